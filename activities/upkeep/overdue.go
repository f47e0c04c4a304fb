package upkeep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/sanctions"
)

// Overdue has the activities that find rows that should have moved and have not, and a
// fork that will stop payments.
type Overdue struct {
	Store *postgres.Store
	// Wake starts the workflow of each item that has none, and has the running ones check
	// their rows.
	Wake func(ctx context.Context, items []outbox.Overdue) error
	// Grace is trade.Trade.Grace.
	Grace time.Duration
	Clock func() time.Time

	// Daemon is asked about forks of the network; nil if there is no live wallet.
	Daemon *monero.Daemon
	// Forks are the announced forks. ForkDays receives how many days remain until the first
	// fork that the daemon does not know, if there is one.
	Forks    []coin.MoneroFork
	ForkDays func(days int, known bool)
}

// overdueRows is how many items of a kind are read and woken at a time.
const overdueRows = 200

// heldAfter is the age from which the search releases a delivery that is held but waits
// for no earlier one.
const heldAfter = 10 * time.Minute

// CheckOverdue wakes all overdue items: items that stay overdue do not hide later ones.
// For each kind it keeps an alert open as long as there are any. It opens the alert with
// the first page, so that an interrupted run has reported its findings. A second run
// finds the same alerts. An item that is woken without need checks its row once more,
// which changes nothing.
func (a *Overdue) CheckOverdue(ctx context.Context) (int, error) {
	now := a.Clock()
	if _, err := a.Store.ReleaseHeldDeliveries(ctx, db.ReleaseHeldDeliveriesParams{Before: now.Add(-heldAfter), Now: now}); err != nil {
		return 0, err
	}
	reported, all := map[outbox.Kind]bool{}, 0
	var failed error // if one page fails, the other pages are still woken
	err := outbox.EachOverdue(ctx, a.Store.Queries, outbox.OverdueSearch{Now: a.Clock(), Grace: a.Grace, MaxRows: overdueRows}, func(items []outbox.Overdue) {
		if len(items) == 0 {
			return
		}
		if kind := items[0].Kind; !reported[kind] {
			reported[kind] = true
			failed = errors.Join(failed, a.alertOverdue(ctx, items))
		}
		all += len(items)
		failed = errors.Join(failed, a.Wake(ctx, items))
	})
	if err != nil {
		return all, errors.Join(err, failed)
	}
	for _, kind := range outbox.OverdueKinds() {
		if !reported[kind] {
			failed = errors.Join(failed, a.Store.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.Overdue, Subject: string(kind)}))
		}
	}
	return all, failed
}

// alertOverdue opens the alert of a kind; items are its first page.
func (a *Overdue) alertOverdue(ctx context.Context, items []outbox.Overdue) error {
	first, many := items[0], fmt.Sprint(len(items))
	if len(items) >= overdueRows {
		many += " or more"
	}
	return sending.Alert(ctx, a.Store.Queries, alert.Overdue, string(first.Kind),
		fmt.Sprintf("%s, the first is %s, %s since %s", many, first.ID, first.Status, first.Since.UTC().Format(time.RFC3339)))
}

// CheckFork keeps an alert open while Monero's network is about to change to a version
// that the daemon does not know: a daemon that stays behind sees no more payments. A
// second run finds the same alert.
func (a *Overdue) CheckFork(ctx context.Context) error {
	if a.Daemon == nil {
		return nil
	}
	fork, err := a.Daemon.Fork(ctx)
	if err != nil {
		return err
	}
	info, err := a.Daemon.Info(ctx)
	if err != nil {
		return err
	}
	top := info.Height - min(info.Height, 1)
	votes, err := a.Daemon.Votes(ctx, top-min(top, coin.VoteBlocks-1), top)
	if err != nil {
		return err
	}
	announced := a.Forks
	if info.NetType != monero.MainnetChain { // heights are known for the main network only
		announced = nil
	}
	next, ok := coin.NextMoneroFork(fork.Knows, info.Height, votes, announced)
	a.ForkDays(next.Days, next.Height > 0)
	kept := []string{}
	if ok {
		opened := alertFork(next, fork.Knows)
		kept, err = append(kept, opened.Subject), a.Store.OpenAlert(ctx, opened)
	}
	return errors.Join(err, a.Store.ResolveAlertsExcept(ctx, db.ResolveAlertsExceptParams{Kind: alert.NetworkFork, Subjects: kept}))
}

func alertFork(next coin.NextFork, knows int) db.OpenAlertParams {
	subject, when := fmt.Sprintf("version %d", next.Version), "nobody has told this release when it comes"
	if next.Height > 0 {
		when = fmt.Sprintf("it comes at block %d", next.Height)
		subject += fmt.Sprintf(" at block %d", next.Height)
	}
	return db.OpenAlertParams{
		Kind: alert.NetworkFork, Subject: subject,
		Detail: fmt.Sprintf("%s; the daemon knows version %d; %d of the last %d blocks are of makers who know a newer one", when, knows, next.Votes, coin.VoteBlocks),
	}
}

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
