package payouts

import (
	"context"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
)

// markSpent removes payments that another transaction has spent from the balance and from
// every later choice, and opens an alert. Such a transaction comes from a second
// installation with the same seed, or from a withdrawal by hand: transactions of this
// service have their payments reserved. Its block must be as deep as that of a confirmed
// payout, because until then a reorganization could free the payment. A second run finds
// the payments marked.
func (a *Handler) markSpent(ctx context.Context, w *monero.Wallet, p db.Payout, in inputs) error {
	spent, err := a.spentDeep(ctx, w, in.spent)
	if err != nil || len(spent) == 0 {
		return err
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.MarkSpentElsewhere(ctx, db.MarkSpentElsewhereParams{PayoutID: p.ID, Ids: spent})
		if err != nil || len(rows) == 0 {
			return err
		}
		amounts := make([]money.Piconero, len(rows))
		for i, r := range rows {
			amounts[i] = r.Amount
		}
		sum, err := money.Sum(amounts...)
		if err != nil {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{
			Kind: alert.PaymentSpent, Subject: p.ID,
			Detail: fmt.Sprintf("payments of merchant %s, %d of %s XMR in all, were spent by transactions that are not of this service; the first came with %s",
				p.MerchantID, len(rows), sum, rows[0].TxHash),
		})
	})
}

// spentDeep returns the payments whose outputs are all spent in the chain, none of them
// by one of its newest blocks.
func (a *Handler) spentDeep(ctx context.Context, w *monero.Wallet, images map[int64][]string) ([]int64, error) {
	if len(images) == 0 {
		return nil, nil
	}
	info, err := a.Daemon.Info(ctx)
	if err != nil {
		return nil, err
	}
	sent, err := w.Sent(ctx, info.Height-min(info.Height, payout.Confirmations))
	if err != nil {
		return nil, err
	}
	var newest []string
	for _, tx := range sent {
		if tx.Height == 0 { // in no block
			continue
		}
		bytes, err := a.Daemon.TransactionBytes(ctx, tx.TxHash)
		if err != nil {
			return nil, err
		}
		spends, err := monero.KeyImages(bytes)
		if err != nil {
			return nil, err
		}
		newest = append(newest, spends...)
	}
	var deep []int64
	for id, of := range images {
		states, err := a.Daemon.KeyImages(ctx, of)
		if err != nil {
			return nil, err
		}
		inChain := !slices.ContainsFunc(states, func(s monero.SpentStatus) bool { return s != monero.SpentInChain })
		if inChain && !slices.ContainsFunc(of, func(image string) bool { return slices.Contains(newest, image) }) {
			deep = append(deep, id)
		}
	}
	return deep, nil
}
