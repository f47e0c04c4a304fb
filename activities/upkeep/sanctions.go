package upkeep

import (
	"context"
	"log/slog"
	"time"

	"github.com/durapay/durapay/internal/sanctions"
)

// SanctionsList keeps the list of sanctioned addresses.
type SanctionsList struct {
	Register sanctions.Register
	// Read reads the whole list from its source.
	Read func(ctx context.Context) (sanctions.List, error)
	// MaxAge is how long ago the source may have been read last.
	MaxAge time.Duration
	Log    *slog.Logger
	Clock  func() time.Time
}

// SanctionsRead is the outcome for the list that was read.
type SanctionsRead struct {
	Outcome sanctions.Outcome
	// Entries is the number of addresses in the list that was read.
	Entries int
}

// RefreshSanctions reads the list from its source and puts it in force, unless it lost
// more than half of its entries. A second run finds the list as the first left it.
func (a *SanctionsList) RefreshSanctions(ctx context.Context) (SanctionsRead, error) {
	list, err := a.Read(ctx)
	if err != nil {
		return SanctionsRead{}, err
	}
	outcome, err := a.Register.Offer(ctx, list, a.Clock())
	if err != nil {
		return SanctionsRead{}, err
	}
	if outcome != sanctions.Unchanged {
		a.Log.InfoContext(ctx, "sanctions list was read", "outcome", string(outcome), "entries", len(list.Entries))
	}
	return SanctionsRead{Outcome: outcome, Entries: len(list.Entries)}, nil
}

// CheckSanctions alerts operators if the list in force is stale, or missing, and returns
// why; empty for a fresh list. A second run finds the same alert.
func (a *SanctionsList) CheckSanctions(ctx context.Context) (string, error) {
	return a.Register.CheckAge(ctx, a.Clock(), sanctions.Ages{Checked: a.MaxAge, Published: sanctions.MaxPublished})
}
