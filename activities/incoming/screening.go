package incoming

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// screening requests the origins of deposits that could not be read when the deposits
// came. Such a deposit is stored and seen, but the trade does nothing for it. All other
// deposits proceed.
type screening struct {
	*payments

	clock func() time.Time
}

const (
	// screenedAtOnce bounds how many deposits are screened between two scans, and
	// screenedWithin bounds the time until which another one is begun.
	screenedAtOnce = 10
	screenedWithin = 3 * time.Second
	// The first request is short, so that a large deposit delays the other deposits little.
	// Later requests may take longer.
	askedFirst, askedLater = time.Second, 5 * time.Second
	// screenAgain is the pause before another request for a deposit; it doubles up to
	// screenSeldom.
	screenAgain, screenSeldom = time.Minute, time.Hour
)

// pauseAfter returns the pause after a number of earlier requests that failed.
func pauseAfter(asked int32) time.Duration {
	return min(screenAgain<<min(asked, 10), screenSeldom)
}

// ask requests the origins of the deposits that are due, and reports whether more may be
// due. Its errors are those of the database and of the box.
func (s *screening) ask(ctx context.Context) (more bool, err error) {
	now := s.clock().UTC().Truncate(time.Millisecond)
	if err := s.store.ResolveUnscreened(ctx, db.ResolveUnscreenedParams{Kind: alert.DepositUnscreened, WalletIds: s.wallets}); err != nil {
		return false, err
	}
	due, err := s.store.UnscreenedDeposits(ctx, db.UnscreenedDepositsParams{WalletIds: s.wallets, Now: now, MaxRows: screenedAtOnce})
	if err != nil {
		return false, err
	}
	begun := time.Now()
	for _, d := range due {
		if time.Since(begun) > screenedWithin {
			return true, nil
		}
		if err := s.askFor(ctx, d, now); err != nil {
			return false, err
		}
	}
	return len(due) == screenedAtOnce, nil
}

// read returns the origins of a deposit, if they can be read in time.
func (s *screening) read(ctx context.Context, d db.TradeDeposit) ([]string, error) {
	timeout := askedLater
	if d.OriginsAsked == 0 {
		timeout = askedFirst
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return s.receiver.Origins(ctx, chain.Received{TxHash: d.TxHash, Address: d.Address})
}

// askFor stores the origins of a deposit, and notifies its trade. It alerts operators to
// a deposit whose request failed, and to a deposit that can never be screened.
func (s *screening) askFor(ctx context.Context, d db.TradeDeposit, now time.Time) error {
	from, unread := s.read(ctx, d)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	tooMany := errors.Is(unread, chain.ErrTooManySources)
	if unread != nil && !tooMany {
		return s.postpone(ctx, d, now)
	}
	sealed, err := exchange.SealOrigins(s.box, exchange.DepositOf(d), from)
	if err != nil {
		return err
	}
	return s.store.Tx(ctx, func(q *db.Queries) error {
		n, err := q.SetOrigins(ctx, db.SetOriginsParams{ID: d.ID, OriginsSealed: sealed})
		if err != nil || n == 0 {
			return err
		}
		if tooMany {
			if err := keepUnreadable(ctx, q, d); err != nil {
				return err
			}
		}
		if err := q.WakeTrades(ctx, []string{d.TradeID}); err != nil {
			return err
		}
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.DepositUnscreened, Subject: unscreenedSubject(d)})
	})
}

// keepUnreadable keeps a deposit like one of a listed address: it is neither swapped nor
// sent back.
func keepUnreadable(ctx context.Context, q *db.Queries, d db.TradeDeposit) error {
	if err := q.BlockDeposit(ctx, d.ID); err != nil {
		return err
	}
	return sending.Alert(ctx, q, alert.DepositBlocked, d.TradeID, fmt.Sprintf("deposit %d spends outputs of too many transactions to be screened", d.ID))
}

// postpone sets a later request for a deposit.
func (s *screening) postpone(ctx context.Context, d db.TradeDeposit, now time.Time) error {
	return s.store.Tx(ctx, func(q *db.Queries) error {
		if err := q.PostponeOrigins(ctx, db.PostponeOriginsParams{ID: d.ID, DueAt: now.Add(pauseAfter(d.OriginsAsked))}); err != nil {
			return err
		}
		return sending.Alert(ctx, q, alert.DepositUnscreened, unscreenedSubject(d),
			"the daemon does not tell where a deposit comes from: it waits until that is known")
	})
}

func unscreenedSubject(d db.TradeDeposit) string { return fmt.Sprintf("%s/%d", d.TradeID, d.ID) }

// origins are the addresses from which a deposit was paid.
type origins struct {
	addresses []string
	// unread is set if they could not be read.
	unread bool
}

// spending identifies the origins of a payment. Each transaction is requested once,
// however many deposits it pays.
type spending struct {
	txHash string
	hidden bool
}

func spendingOf(p watch.Payment) spending { return spending{p.TxHash, p.Hidden} }

// How long reading origins may delay a scan, because the payer chooses how much there is
// to read. A deposit whose origins are not read by then is stored and screened later.
const (
	originsPerScan  = 3 * time.Second
	originsOfOneNow = time.Second
)

// origins returns the origins of the trades' deposits, by transaction.
func (s *payments) origins(ctx context.Context, list []watch.Payment) (map[spending]origins, error) {
	all := map[spending]origins{}
	if len(list) == 0 {
		return all, nil
	}
	addresses := each(list, func(p watch.Payment) string { return p.Address })
	owned, err := s.store.HoldTradesAt(ctx, db.HoldTradesAtParams{WalletIds: walletsOf(list), Addresses: addresses})
	if err != nil || len(owned) == 0 {
		return all, err
	}
	bounded, cancel := context.WithTimeout(ctx, originsPerScan)
	defer cancel()
	for _, p := range list {
		if !slices.ContainsFunc(owned, func(t db.HoldTradesAtRow) bool { return t.DepositAddress == p.Address }) {
			continue
		}
		if _, read := all[spendingOf(p)]; read {
			continue
		}
		all[spendingOf(p)] = s.originsNow(bounded, p)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return all, nil
}

// originsNow asks the receiver, for as long as a scan may wait for one transaction.
func (s *payments) originsNow(ctx context.Context, p watch.Payment) origins {
	if ctx.Err() != nil {
		return origins{unread: true}
	}
	ctx, cancel := context.WithTimeout(ctx, originsOfOneNow)
	defer cancel()
	addresses, err := s.receiver.Origins(ctx, p.Received)
	return origins{addresses, err != nil}
}
