package scans

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// ConfirmedSends are the confirmed transactions of one wallet, for its watcher: a
// reorganization that is deeper than they are drops them.
type ConfirmedSends struct {
	Store    *postgres.Store
	Wallet   chain.Receiver
	WalletID string
}

// Dropped returns the transactions that have left the blocks in which they were
// confirmed. After each new block it asks for all of them in blocks that are not settled,
// a hundred at a time. The scan settles blocks in the transaction that stores its
// consequences, so no transaction is missed.
func (c ConfirmedSends) Dropped(ctx context.Context, found watch.Scanned) ([]db.ConfirmedOutgoingRow, error) {
	if !found.NewBlock() {
		return nil, nil
	}
	rows, err := c.Store.ConfirmedOutgoing(ctx, db.ConfirmedOutgoingParams{
		WalletID: c.WalletID, FromHeight: int64(min(found.Before.Settled, found.After.Settled)), ChainHeight: int64(found.After.Height),
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	hashes := make([]string, len(rows))
	for i, r := range rows {
		hashes[i] = r.TxHash
	}
	at, err := c.Wallet.Locate(ctx, hashes)
	if err != nil {
		return nil, err
	}
	var dropped []db.ConfirmedOutgoingRow
	for i, r := range rows {
		if at[i].State != chain.Mined || int64(at[i].Height) != r.Height {
			dropped = append(dropped, r)
		}
	}
	return dropped, nil
}

// Unconfirm turns dropped transactions into sent ones, which are relayed again until they
// are deep or an operator gives them up. It alerts operators, and returns the trades that
// the transactions pay. A transaction that another run has unconfirmed is left alone.
func (c ConfirmedSends) Unconfirm(ctx context.Context, q *db.Queries, dropped []db.ConfirmedOutgoingRow, now time.Time) (trades []string, err error) {
	for _, r := range dropped {
		if r.PayoutID != nil {
			if err := unconfirmPayout(ctx, q, *r.PayoutID, now); err != nil {
				return nil, err
			}
		}
		n, err := q.UnconfirmOutgoing(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		detail := fmt.Sprintf("%s of wallet %s was confirmed in block %d and is not there any more: the same bytes are relayed again",
			r.Purpose, c.WalletID, r.Height)
		if err := q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.SendDropped, Subject: r.TxHash, Detail: detail}); err != nil {
			return nil, err
		}
		trades = append(trades, r.TradeIds...)
	}
	return trades, nil
}

// unconfirmPayout turns a payout into a sent one again, and its claim of a refund into
// one that is in progress.
func unconfirmPayout(ctx context.Context, q *db.Queries, id string, now time.Time) error {
	claims, err := q.UnconfirmPayout(ctx, id)
	for _, claim := range claims {
		if claim != nil && err == nil {
			err = chargestore.RefundPayoutDropped(ctx, q, *claim, now)
		}
	}
	return err
}
