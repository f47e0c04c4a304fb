package exchangewatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/tradedetails"
)

// screening asks again for the origins of deposits that could not be read when
// the deposits came. Such a deposit is stored and seen, and nothing is done
// for it. All others go on.
type screening struct {
	store    *postgres.Store
	box      *secret.Box
	wallet   chain.Receiver
	walletID string
	clock    func() time.Time
}

const (
	// screenedAtOnce bounds how many deposits are asked for between two scans, and
	// screenedWithin for how long one more is begun.
	screenedAtOnce = 10
	screenedWithin = 3 * time.Second
	// A deposit is asked for briefly first, so that a large one holds up
	// others little. Later it is given longer.
	askedFirst, askedLater = time.Second, 5 * time.Second
	// screenAgain is the pause before a deposit is asked for once more; it doubles
	// up to screenSeldom.
	screenAgain, screenSeldom = time.Minute, time.Hour
)

// pauseAfter is how long a deposit rests that was asked for in vain that often before.
func pauseAfter(asked int32) time.Duration {
	return min(screenAgain<<min(asked, 10), screenSeldom)
}

// ask asks for those whose turn it is, and says whether some of them may be left. The
// errors are the database's and the box's.
func (s *screening) ask(ctx context.Context) (left bool, err error) {
	now := s.clock().UTC().Truncate(time.Millisecond)
	if err := s.store.ResolveUnscreened(ctx, db.ResolveUnscreenedParams{Kind: alert.DepositUnscreened, WalletID: s.walletID}); err != nil {
		return false, err
	}
	due, err := s.store.UnscreenedDeposits(ctx, db.UnscreenedDepositsParams{WalletID: s.walletID, Now: now, MaxRows: screenedAtOnce})
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

// read is where a deposit comes from, as far as that is told in time.
func (s *screening) read(ctx context.Context, d db.TradeDeposit) ([]string, error) {
	patience := askedLater
	if d.OriginsAsked == 0 {
		patience = askedFirst
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.wallet.Origins(ctx, chain.Received{TxHash: d.TxHash, Address: d.Address})
}

// askFor stores where a deposit comes from, and notifies its trade. Operators
// are told of a deposit that was asked for in vain, and of one that nobody
// will ever read.
func (s *screening) askFor(ctx context.Context, d db.TradeDeposit, now time.Time) error {
	from, unread := s.read(ctx, d)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	tooMany := errors.Is(unread, chain.ErrTooManySources)
	if unread != nil && !tooMany {
		return s.postpone(ctx, d, now)
	}
	sealed, err := tradedetails.SealOrigins(s.box, tradedetails.DepositOf(d), from)
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
		if err := q.EnqueueTradeSignals(ctx, db.EnqueueTradeSignalsParams{TradeIds: []string{d.TradeID}, WalletID: s.walletID, Now: now}); err != nil {
			return err
		}
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.DepositUnscreened, Subject: unscreenedSubject(d)})
	})
}

// keepUnreadable keeps a deposit as one of a listed address is kept: neither swapped
// nor sent back.
func keepUnreadable(ctx context.Context, q *db.Queries, d db.TradeDeposit) error {
	if err := q.BlockDeposit(ctx, d.ID); err != nil {
		return err
	}
	return q.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.DepositBlocked, Subject: d.TradeID, Detail: fmt.Sprintf("deposit %d spends outputs of too many transactions to be screened", d.ID),
	})
}

// postpone has a deposit asked for later.
func (s *screening) postpone(ctx context.Context, d db.TradeDeposit, now time.Time) error {
	return s.store.Tx(ctx, func(q *db.Queries) error {
		if err := q.PostponeOrigins(ctx, db.PostponeOriginsParams{ID: d.ID, DueAt: now.Add(pauseAfter(d.OriginsAsked))}); err != nil {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{
			Kind: alert.DepositUnscreened, Subject: unscreenedSubject(d),
			Detail: "the daemon does not tell where a deposit comes from: it waits until that is known",
		})
	})
}

func unscreenedSubject(d db.TradeDeposit) string { return fmt.Sprintf("%s/%d", d.TradeID, d.ID) }
