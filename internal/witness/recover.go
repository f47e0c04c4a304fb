package witness

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Outcomes for a transaction that the database does not know.
const (
	// TakenOver: the debt that it paid is known here, and is marked as paid by it.
	TakenOver = "taken_over"
	// Recorded: the journal names the debts that it paid, but this database does not know some
	// of them, or an operator accepted a part. An alert is opened.
	Recorded = "recorded"
	// Accepted: an operator confirmed that the transaction is in order.
	Accepted = "accepted"
	// Undecided: it keeps the wallet in safe mode.
	Undecided = "undecided"
	// Waiting: it keeps the wallet in safe mode, even if an operator accepts it, until the
	// chain shows the fate of another transaction.
	Waiting = "waiting"
)

// AcceptAll can be given instead of the hashes of all undecided transactions.
const AcceptAll = "all"

// RecoveredSend is a transaction that the database did not know.
type RecoveredSend struct {
	TxHash string `json:"tx_hash"`
	// Amount and Fee are in atomic units, as the chain shows them.
	Amount uint64 `json:"amount_atomic"`
	Fee    uint64 `json:"fee_atomic"`
	Height uint64 `json:"height"`
	// Journal is the entry that was recorded when it was sent, or that follows from an
	// operator's answer; null without either.
	Journal *Entry `json:"journal"`
	Outcome string `json:"outcome"`
	Why     string `json:"why,omitempty"`
}

// Recovery is the information beyond the database's, and the result of a recovery.
type Recovery struct {
	WalletID string `json:"wallet_id"`
	// SafeMode is the reason for the wallet's safe mode; empty outside of it.
	SafeMode string `json:"safe_mode"`
	Database Mark   `json:"database"`
	Places   []Seen `json:"places"`
	// Burned is the highest index of an address that is no longer given out.
	Burned int64 `json:"burned_addresses_up_to"`
	// Missing is what keeps the wallet in safe mode apart from its sends: an answer of an
	// operator, or the work of the wallet's watcher. It is empty for nothing.
	Missing string          `json:"missing"`
	Sends   []RecoveredSend `json:"unknown_sends"`
	// Applied reports whether the recovery was done, and not only shown. Ended reports whether
	// the wallet has left safe mode.
	Applied bool `json:"applied"`
	Ended   bool `json:"ended"`

	// since is the start of the safe mode that the recovery saw.
	since *time.Time
}

// Recoverer brings a wallet out of safe mode.
type Recoverer struct {
	*Keeper

	// Address seals the merchant's payout address for a payout whose row is inserted again.
	Address func(m db.Merchant, payoutID string) (sealed []byte, err error)
	// Seal seals an address that a payout paid.
	Seal func(payoutID, address string) (sealed []byte, err error)
	// Actor is the person who requested the recovery, for the audit log.
	Actor string
	// Accept lists the hashes of transactions that are in order although their payments are
	// unknown here.
	Accept []string
	// Paid holds an operator's answers, by hash, about payments of transactions without an
	// entry: PaidMerchant, or the ID of a claim or a refund.
	Paid map[string]string
	// AddressesUpTo is the highest index of an address that was ever given out, if an operator
	// knows it; else 0.
	AddressesUpTo int64

	// applies reports whether the results are applied, and not only shown.
	applies bool
}

// errShown rolls a transaction back whose writes are only shown.
var errShown = errors.New("shown, not applied")

// Show returns what Apply would do, and writes nothing.
func (r *Recoverer) Show(ctx context.Context, walletID string) (Recovery, error) {
	return r.run(ctx, walletID)
}

// Apply takes over the transactions that were sent, makes new transactions and addresses
// start above the marks of all places, and ends safe mode unless a transaction stays
// undecided. Run twice, or again after a crash on any line, it does the remaining steps.
func (r *Recoverer) Apply(ctx context.Context, walletID string) (Recovery, error) {
	applying := *r
	applying.applies = true
	return applying.run(ctx, walletID)
}

func (r *Recoverer) run(ctx context.Context, walletID string) (found Recovery, err error) {
	if _, ok := r.Wallets[walletID]; !ok { // before the first write about it
		return Recovery{}, fmt.Errorf("wallet %s is not configured here", walletID)
	}
	if err := r.Store.EnsureWitness(ctx, walletID); err != nil {
		return Recovery{}, err
	}
	err = r.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		found, err = r.recover(ctx, s, row)
		return err
	})
	return found, err
}

// recover runs while no other process compares or raises the wallet. It takes over in one
// transaction, which stays open while the wallet is asked. That is acceptable because an
// operator watches this command.
func (r *Recoverer) recover(ctx context.Context, s *postgres.Session, row db.GetWitnessRow) (found Recovery, err error) {
	if r.applies {
		if err := r.lose(ctx, s, row); err != nil {
			return found, err
		}
		if row, err = s.GetWitness(ctx, row.Witness.WalletID); err != nil {
			return found, err
		}
	}
	err = s.Tx(ctx, func(q *db.Queries) error {
		var err error
		if found, err = r.sends(ctx, q, row); err == nil && !r.applies {
			err = errShown
		}
		return err
	})
	if errors.Is(err, errShown) {
		return found, nil
	}
	if err != nil || found.SafeMode == "" {
		return found, err
	}
	found.Applied = true
	if found.Missing != "" || slices.ContainsFunc(found.Sends, func(s RecoveredSend) bool { return s.keepsSafeMode() }) {
		return found, nil
	}
	found.Ended, err = r.leave(ctx, s, found)
	return found, err
}

// sends examines all sources, and takes over the transactions that were sent.
func (r *Recoverer) sends(ctx context.Context, q *db.Queries, row db.GetWitnessRow) (Recovery, error) {
	walletID := row.Witness.WalletID
	wallet := r.Wallets[walletID]
	k, err := known(ctx, q, row.Witness, row.Witness)
	if err != nil {
		return Recovery{}, err
	}
	found := Recovery{
		WalletID: walletID, SafeMode: standing(row.Witness).Safe, since: row.Witness.SafeSince, Database: k.Highest,
		Places: read(ctx, wallet), Sends: []RecoveredSend{},
	}
	if err := silence(found.Places); err != nil {
		return found, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if err := r.burn(ctx, q, &found, k, row.Restored, row.Witness.LostAddresses); err != nil {
		return found, err
	}
	// A wallet that does not see all of its money does not see all of its transactions either.
	err = r.restore(ctx, q, walletID, wallet.Chain)
	if lag, behind := errors.AsType[*chain.LagError](err); behind {
		found.Missing = cmp.Or(found.Missing, lag.Error()+", so nobody knows yet whether the wallet has missed payments: ask again later")
		return found, nil
	}
	if err != nil {
		return found, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	sent, tip, err := wallet.Chain.SentSince(ctx, row.Witness.KnownHeight, WithPool)
	if err != nil {
		return found, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if err := unread(ctx, q, &found, row.Witness, tip); err != nil {
		return found, err
	}
	noted, err := wallet.Temporal.Since(ctx, row.Witness.Sends)
	if err != nil {
		return found, fmt.Errorf("%w: %s: %w", ErrUnknown, wallet.Temporal.Name(), err)
	}
	sent = withNoted(sent, noted)
	// Blocks first: a waiting transaction must not take over a debt that a mined one has paid.
	slices.SortStableFunc(sent, func(a, b Sent) int { return cmp.Compare(min(b.Height, 1), min(a.Height, 1)) })
	journal, err := r.journal(ctx, walletID, sent)
	if err != nil {
		return found, err
	}
	if found.Sends, err = r.unknown(ctx, q, walletID, sent, journal); err != nil {
		return found, err
	}
	unnamed, err := r.nameless(ctx, q, found, slices.AppendSeq(noted, maps.Values(journal)))
	found.Sends = append(found.Sends, unnamed...)
	return found, err
}

// withNoted adds transactions that were recorded and that the chain does not show, because
// any holder of the bytes may relay them again.
func withNoted(sent []Sent, noted []Entry) []Sent {
	for _, e := range noted {
		if !slices.ContainsFunc(sent, func(s Sent) bool { return s.TxHash == e.TxHash }) {
			sent = append(sent, Sent{TxHash: e.TxHash})
		}
	}
	return sent
}

// unknown decides about every transaction that the database does not know, or has
// abandoned.
func (r *Recoverer) unknown(ctx context.Context, q *db.Queries, walletID string, sent []Sent, journal map[string]Entry) ([]RecoveredSend, error) {
	hashes, err := q.UnknownSends(ctx, accountOf(walletID, sent))
	if err != nil || len(hashes) == 0 {
		return []RecoveredSend{}, err
	}
	list := make([]RecoveredSend, 0, len(hashes))
	for _, s := range sent {
		if !slices.Contains(hashes, s.TxHash) || slices.ContainsFunc(list, func(o RecoveredSend) bool { return o.TxHash == s.TxHash }) {
			continue
		}
		recovered := RecoveredSend{TxHash: s.TxHash, Amount: s.Amount, Fee: s.Fee, Height: s.Height}
		if e, ok := journal[s.TxHash]; ok {
			recovered.Journal = &e
		}
		if err := r.decide(ctx, q, walletID, &recovered); err != nil {
			return nil, fmt.Errorf("transaction %s: %w", s.TxHash, err)
		}
		list = append(list, recovered)
	}
	return list, nil
}

// journal returns the entries of the transactions from all places.
func (r *Recoverer) journal(ctx context.Context, walletID string, sent []Sent) (map[string]Entry, error) {
	hashes := make([]string, len(sent))
	for i, s := range sent {
		hashes[i] = s.TxHash
	}
	all := map[string]Entry{}
	for _, p := range r.Wallets[walletID].Places() {
		entries, err := p.Journal(ctx, hashes)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrUnknown, p.Name(), err)
		}
		for hash, e := range entries {
			if _, ok := all[hash]; !ok {
				all[hash] = e
			}
		}
	}
	return all, nil
}

// decide takes one transaction over, or sets the reason why it cannot.
func (r *Recoverer) decide(ctx context.Context, q *db.Queries, walletID string, s *RecoveredSend) error {
	s.Outcome = Undecided
	var err error
	if s.Journal == nil {
		if s.Journal, s.Why, err = r.fromChain(ctx, q, walletID, *s); err != nil {
			return err
		}
	}
	if s.Journal != nil {
		s.Outcome, s.Why, err = r.takeOver(ctx, q, walletID, *s.Journal)
		if open, ok := errors.AsType[question](err); ok {
			s.Outcome, s.Why, err = open.outcome(), open.why, nil
		}
		if err != nil {
			return err
		}
	}
	if s.Outcome == Undecided && r.accepts(s.TxHash) {
		_, own, err := ownPayout(ctx, q, s.TxHash)
		switch {
		case err != nil:
		case own:
			s.Why += "; it is not accepted: it is a payout of this database, and what it paid would be paid again. If another payout of the claim " +
				"is in its place, release that one, and recover again"
		default:
			s.Outcome = Accepted
			err = r.makeWayForAccepted(ctx, q, walletID, s.TxHash)
		}
		if open, ok := errors.AsType[question](err); ok {
			s.Outcome, s.Why, err = open.outcome(), open.why, nil
		}
		if err != nil {
			return err
		}
	}
	if s.keepsSafeMode() {
		return nil
	}
	return r.acknowledge(ctx, q, walletID, *s)
}

func (s RecoveredSend) keepsSafeMode() bool { return s.Outcome == Undecided || s.Outcome == Waiting }

// accepts reports whether an operator accepts the open questions about a transaction.
func (r *Recoverer) accepts(txHash string) bool {
	return slices.Contains(r.Accept, txHash) || slices.Contains(r.Accept, AcceptAll)
}

// acknowledge stores that the transaction is known from now on.
func (r *Recoverer) acknowledge(ctx context.Context, q *db.Queries, walletID string, s RecoveredSend) error {
	note, err := json.Marshal(s.Journal)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	kind, nowhere := "taken_over", false
	if s.Outcome == Accepted {
		kind = "accepted"
		if nowhere, err = r.nowhere(ctx, walletID, s.TxHash); err != nil {
			return err
		}
	}
	if _, err := q.AcknowledgeSend(ctx, db.AcknowledgeSendParams{
		WalletID: walletID, TxHash: s.TxHash, Kind: kind, Note: string(note), AcknowledgedAt: r.at(), Nowhere: nowhere,
	}); err != nil {
		return err
	}
	if s.Outcome == Recorded {
		if err := q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.SendUnmatched, Subject: s.TxHash, Detail: walletID + ": " + s.Why}); err != nil {
			return err
		}
	}
	return r.audit(ctx, q, "wallet.take_over", s.TxHash, s)
}

func (r *Recoverer) audit(ctx context.Context, q *db.Queries, action, subject string, detail any) error {
	text, err := json.Marshal(detail)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return q.RecordAudit(ctx, db.RecordAuditParams{At: r.at(), Actor: r.Actor, Action: action, Subject: subject, Detail: string(text)})
}

// leave makes new transactions and addresses start above all known ones, makes all places
// agree, and ends safe mode. It does not end a safe mode that was entered in the meantime.
func (r *Recoverer) leave(ctx context.Context, s *postgres.Session, found Recovery) (ended bool, err error) {
	id, w := found.WalletID, r.Wallets[found.WalletID]
	to := Mark{Sends: found.Database.Sends, Addresses: found.Burned}
	for _, p := range found.Places {
		to = to.Max(p.Mark)
	}
	for _, sent := range found.Sends {
		if sent.Journal != nil {
			to.Sends = max(to.Sends, sent.Journal.Seq)
		}
	}
	if err := s.Tx(ctx, func(q *db.Queries) error {
		highest, err := q.RenumberBuilt(ctx, db.RenumberBuiltParams{WalletID: id, Above: to.Sends})
		if err != nil {
			return err
		}
		if err := q.RaiseOutgoingSequence(ctx, db.RaiseOutgoingSequenceParams{WalletID: id, Seq: highest}); err != nil {
			return err
		}
		return q.IntendAddresses(ctx, db.IntendAddressesParams{WalletID: id, Addresses: to.Addresses})
	}); err != nil {
		return false, err
	}
	for _, p := range w.Places() {
		if err := p.Raise(ctx, to, nil); err != nil {
			return false, fmt.Errorf("%w: %s: %w", ErrUnknown, p.Name(), err)
		}
	}
	_, tip, err := w.Chain.SentSince(ctx, beyond, Now)
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	err = s.Tx(ctx, func(q *db.Queries) error {
		row, err := q.GetWitness(ctx, id)
		if since := row.Witness.SafeSince; err != nil || since == nil || !since.Equal(*found.since) {
			return err
		}
		ended = true
		return r.end(ctx, q, found, to, tip)
	})
	return ended && err == nil, err
}

// end ends safe mode.
func (r *Recoverer) end(ctx context.Context, q *db.Queries, found Recovery, to Mark, tip int64) error {
	id, at := found.WalletID, r.at()
	if err := q.OpenLease(ctx, db.OpenLeaseParams{WalletID: id, LeaseFrom: to.Addresses}); err != nil {
		return err
	}
	if err := q.LeaveSafeMode(ctx, db.LeaveSafeModeParams{
		WalletID: id, Sends: to.Sends, KnownHeight: max(0, tip-Behind), BegunAt: &at,
	}); err != nil {
		return err
	}
	if err := q.SetSafeMode(ctx, db.SetSafeModeParams{ID: id, SafeMode: false}); err != nil {
		return err
	}
	if err := q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.SafeMode, Subject: id}); err != nil {
		return err
	}
	if err := onItsChain(ctx, q, id); err != nil { // its chain has answered SentSince
		return err
	}
	return r.audit(ctx, q, "wallet.recover", id, struct {
		Reason string    `json:"reason"`
		To     Mark      `json:"to"`
		At     time.Time `json:"at"`
	}{found.SafeMode, to, at})
}
