package witness

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

// Names of the workflow that keeps a wallet's mark.
const (
	// WorkflowType is its type, Queue its task queue.
	WorkflowType = "Witness"
	Queue        = "merchant"
	// RaiseUpdate carries a Raise and completes once the mark is that high.
	RaiseUpdate = "raise"
	// MarkQuery returns the Mark, JournalQuery the entries of the given hashes, and
	// SinceQuery the entries numbered above an int64.
	MarkQuery    = "mark"
	JournalQuery = "journal"
	SinceQuery   = "since"
	// ConflictType is the type of the error of a raise whose number belongs to another
	// transaction.
	ConflictType = "witness_conflict"
	// JournalSize is how many entries the workflow keeps, the newest ones. JournalPayments
	// is how many unspent payments these may contain, because a Temporal run accepts at
	// most 2 MB from the previous one.
	JournalSize     = 300
	JournalPayments = 4000
)

// WorkflowID returns the ID of a wallet's workflow.
func WorkflowID(walletID string) string { return "witness-" + walletID }

// State is the state of the workflow.
type State struct {
	Mark    Mark
	Journal []Entry
}

// Raise is the argument of RaiseUpdate.
type Raise struct {
	To    Mark
	Entry *Entry
}

// Apply raises the state. It returns ErrConflict and changes nothing when another
// transaction has the entry's number.
func (s *State) Apply(r Raise) error {
	if r.Entry != nil {
		for _, e := range s.Journal {
			if e.Seq == r.Entry.Seq && e.TxHash != r.Entry.TxHash {
				return fmt.Errorf("%w: %d is %s", ErrConflict, e.Seq, e.TxHash)
			}
			if e.TxHash == r.Entry.TxHash {
				s.Mark = s.Mark.Max(r.To)
				return nil
			}
		}
		s.Journal = newest(append(s.Journal, *r.Entry))
	}
	s.Mark = s.Mark.Max(r.To)
	return nil
}

// newest returns the entries that the workflow keeps. It always keeps the last one.
func newest(journal []Entry) []Entry {
	first, named := len(journal)-1, 0
	for first > 0 && first > len(journal)-JournalSize {
		for _, ref := range journal[first-1].Pays {
			named += len(ref.Unspent)
		}
		if named > JournalPayments {
			break
		}
		first--
	}
	return journal[first:]
}

// callTimeout is how long calls wait for Temporal.
const callTimeout = 10 * time.Second

// Temporal keeps the mark and the newest entries in a separate workflow, which needs a
// worker to answer.
type Temporal struct {
	Client   client.Client
	WalletID string
}

var _ Lister = Temporal{}

// Name returns the operators' name for the place.
func (Temporal) Name() string { return "Temporal" }

// Read asks the workflow. Without a workflow it returns the zero mark.
func (p Temporal) Read(ctx context.Context) (Mark, error) {
	var m Mark
	err := p.query(ctx, &m, MarkQuery)
	return m, err
}

func (p Temporal) query(ctx context.Context, out any, name string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	answer, err := p.Client.QueryWorkflow(ctx, WorkflowID(p.WalletID), "", name, args...)
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return nil
	}
	if err != nil {
		return fmt.Errorf("temporal: %w", err)
	}
	return answer.Get(out)
}

// Raise sends an update to the workflow, and starts the workflow if there is none.
func (p Temporal) Raise(ctx context.Context, to Mark, entry *Entry) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	handle, err := p.Client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: p.Client.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
			ID: WorkflowID(p.WalletID), TaskQueue: Queue,
			WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
			WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		}, WorkflowType, State{}),
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateName: RaiseUpdate, Args: []any{Raise{To: to, Entry: entry}}, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err == nil {
		err = handle.Get(ctx, nil)
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok && app.Type() == ConflictType {
		return fmt.Errorf("%w: %s", ErrConflict, app.Message())
	}
	if err != nil {
		return fmt.Errorf("temporal: %w", err)
	}
	return nil
}

// Journal asks the workflow for entries.
func (p Temporal) Journal(ctx context.Context, txHashes []string) (map[string]Entry, error) {
	var entries []Entry
	if err := p.query(ctx, &entries, JournalQuery, txHashes); err != nil {
		return nil, err
	}
	list := map[string]Entry{}
	for _, e := range entries {
		list[e.TxHash] = e
	}
	return list, nil
}

// Since asks the workflow for the entries of the newest transactions.
func (p Temporal) Since(ctx context.Context, seq int64) ([]Entry, error) {
	var entries []Entry
	return entries, p.query(ctx, &entries, SinceQuery, seq)
}
