package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/tradedetails"
)

// screening asks again where deposits come from of which that could not be read
// when they came. Such a deposit is stored and seen, and nothing is done for it; the
// others go on.
type screening struct {
	store    *postgres.Store
	box      *secret.Box
	wallet   chain.Receiver
	walletID string
	clock    func() time.Time
}

const (
	// screenedAtOnce bounds how many deposits are asked for between two scans.
	screenedAtOnce = 10
	// screenAgain is the pause before a deposit is asked for once more.
	screenAgain = time.Minute
)

// ask asks for those whose turn it is. The errors are the database's and the box's.
func (s *screening) ask(ctx context.Context) error {
	now := s.clock().UTC().Truncate(time.Millisecond)
	due, err := s.store.UnscreenedDeposits(ctx, db.UnscreenedDepositsParams{WalletID: s.walletID, Now: now, MaxRows: screenedAtOnce})
	if err != nil {
		return err
	}
	for _, d := range due {
		if err := s.askFor(ctx, d, now); err != nil {
			return err
		}
	}
	return nil
}

// askFor stores where a deposit comes from, and has its trade told. Operators are
// told of one that is asked for in vain, unless the chain has dropped it.
func (s *screening) askFor(ctx context.Context, d db.TradeDeposit, now time.Time) error {
	from, unread := s.wallet.Origins(ctx, chain.Received{TxHash: d.TxHash, Address: d.Address})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	sealed, err := tradedetails.SealOrigins(s.box, tradedetails.DepositOf(d), from)
	if err != nil {
		return err
	}
	subject := fmt.Sprintf("%s/%d", d.TradeID, d.ID)
	return s.store.Tx(ctx, func(q *db.Queries) error {
		if unread != nil {
			if err := q.PostponeOrigins(ctx, db.PostponeOriginsParams{ID: d.ID, DueAt: now.Add(screenAgain)}); err != nil {
				return err
			}
			if d.MissingAt == nil {
				return q.OpenAlert(ctx, db.OpenAlertParams{
					Kind: alert.DepositUnscreened, Subject: subject, Detail: "the daemon does not tell where a deposit comes from: it waits until that is known",
				})
			}
		} else {
			n, err := q.SetOrigins(ctx, db.SetOriginsParams{ID: d.ID, OriginsSealed: sealed})
			if err != nil || n == 0 {
				return err
			}
			if err := q.EnqueueTradeSignals(ctx, db.EnqueueTradeSignalsParams{TradeIds: []string{d.TradeID}, WalletID: s.walletID, Now: now}); err != nil {
				return err
			}
		}
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.DepositUnscreened, Subject: subject})
	})
}
