package trades

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// Anyone can trigger a refund by sending an amount that cannot be swapped. So refunds
// wait for payouts, spend the coins that they return, share one transaction, and are
// capped for each trade. A refund that costs more than its value is kept.

// joinWithin bounds the search for refunds that can share the transaction of another one.
// The leading refund does not wait longer for the daemon's answers about them.
const joinWithin = time.Minute

// reasonDust is the reason, for operators, why a small refund is kept.
const reasonDust = "the refund is smaller than the chain fee of sending it, and is kept"

// batch is what one transaction pays: either payments of one trade to its one address, or
// one payment each to several addresses.
type batch struct {
	payments []db.TradePaymentState
	// payees are the addresses: one for all payments, or one for each.
	payees []string
	// prefer are the transactions of the deposits that are returned.
	prefer []string
}

// lead returns the payment that the transaction is made for; the other payments go with
// it.
func (b batch) lead() db.TradePaymentState { return b.payments[0] }

func (b batch) ids() (ids []int64) {
	for _, p := range b.payments {
		ids = append(ids, p.ID)
	}
	return ids
}

func (b batch) trades() (ids []string) {
	for _, p := range b.payments {
		if !slices.Contains(ids, p.TradeID) {
			ids = append(ids, p.TradeID)
		}
	}
	return ids
}

func (b batch) isRefund() bool { return trade.Kind(b.lead().Kind) == trade.Refund }

func (a *Payments) single(ctx context.Context, p db.TradePaymentState) (batch, error) {
	b := batch{}
	return b, a.add(ctx, &b, p, false)
}

// add adds a payment to the batch, to the same payee or to its own.
func (a *Payments) add(ctx context.Context, b *batch, p db.TradePaymentState, same bool) error {
	d, err := a.Store.PaidDeposit(ctx, p.ID)
	if err != nil {
		return err
	}
	to, err := a.payee(ctx, p)
	if err != nil {
		return err
	}
	b.payments = append(b.payments, p)
	if !same {
		b.payees = append(b.payees, to)
	}
	if trade.Kind(p.Kind) == trade.Refund {
		b.prefer = append(b.prefer, d.TxHash)
	}
	return nil
}

// gather returns the batch that a payment leads. ok is false if the payment must wait, or
// is kept as dust. Every payment in the batch may be made now.
func (a *Payments) gather(ctx context.Context, p db.TradePaymentState) (b batch, ok bool, err error) {
	if b, err = a.single(ctx, p); err != nil || !b.isRefund() {
		return b, err == nil, err
	}
	room, _, err := refundsWait(ctx, a.Store.Queries, p.TradeID, p.WalletID, a.Clock())
	if err != nil || room <= 0 {
		return b, false, err
	}
	row, err := a.Store.GetWallet(ctx, p.WalletID)
	if err != nil {
		return b, false, err
	}
	siblings, err := a.Store.OpenRefundsOfTrade(ctx, db.OpenRefundsOfTradeParams{
		TradeID: p.TradeID, WalletID: p.WalletID, MaxRows: int32(room),
	})
	if err != nil {
		return b, false, err
	}
	if len(siblings) > 1 {
		a.joinSiblings(ctx, &b, siblings, room)
	} else {
		err = a.joinOtherTrades(ctx, &b, row.NetworkFee)
	}
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return b, false, err
	}
	if b.worthwhile(row.NetworkFee) {
		return b, true, nil
	}
	return b, false, a.keepDust(ctx, p)
}

// joinSiblings adds further refunds of the same trade, all to one address.
func (a *Payments) joinSiblings(ctx context.Context, b *batch, siblings []db.TradePaymentState, room int) {
	ctx, cancel := context.WithTimeout(ctx, joinWithin)
	defer cancel()
	for _, p := range siblings {
		if p.ID != b.lead().ID && len(b.payments) < room {
			a.join(ctx, b, p, true)
		}
	}
}

// joinOtherTrades adds one refund each of several other trades. They share the fee in equal
// parts, so kept dust joins only if half a fee leaves something of it.
func (a *Payments) joinOtherTrades(ctx context.Context, b *batch, fee money.Decimal) error {
	wallet, _, err := a.wallet(b.lead().WalletID)
	if err != nil {
		return err
	}
	refunds, err := a.Store.OpenRefundsOfOtherTrades(ctx, db.OpenRefundsOfOtherTradesParams{
		WalletID: b.lead().WalletID, TradeID: b.lead().TradeID, MaxRows: int32(2 * wallet.MaxPayees()),
	})
	if err != nil || b.lead().Amount.Cmp(fee) <= 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, joinWithin)
	defer cancel()
	for _, p := range refunds {
		if len(b.payments) < wallet.MaxPayees() && p.Amount.Add(p.Amount).Cmp(fee) > 0 {
			a.joinOther(ctx, b, p)
		}
	}
	return nil
}

// joinOther adds a payment with an address of its own, unless it must wait or another
// payment goes to that address.
func (a *Payments) joinOther(ctx context.Context, b *batch, p db.TradePaymentState) {
	room, _, err := refundsWait(ctx, a.Store.Queries, p.TradeID, p.WalletID, a.Clock())
	if err != nil || room <= 0 {
		return
	}
	if to, err := a.payee(ctx, p); err == nil && !slices.Contains(b.payees, to) {
		a.join(ctx, b, p, false)
	}
}

// join adds a payment that can be made now. A payment that cannot be made, or that cannot
// be checked now, is left out: its own turn will show why.
func (a *Payments) join(ctx context.Context, b *batch, p db.TradePaymentState, same bool) {
	if ctx.Err() != nil || a.checkBacked(ctx, p) != nil {
		return
	}
	if sanctioned, err := a.sanctioned(ctx, p); err == nil && sanctioned == "" {
		_ = a.add(ctx, b, p, same) // nothing is taken when it fails
	}
}

// worthwhile reports whether the refunds bring more than their transaction costs: the fee
// of an ordinary payment, and a quarter more for each further input. Dust that an
// operator has retried is paid anyway.
func (b batch) worthwhile(fee money.Decimal) bool {
	lead := b.lead()
	if lead.Dust || lead.Amount.Cmp(fee) > 0 {
		return true
	}
	if len(b.payees) > 1 || len(b.payments) == 1 {
		return false
	}
	sum, cost := money.Decimal{}, fee
	for i, p := range b.payments {
		sum = sum.Add(p.Amount)
		if i > 0 {
			cost = cost.Add(fee.Mul(money.MustDecimal("0.25")))
		}
	}
	return sum.Cmp(cost) > 0
}

// keepDust records that a refund waits for other refunds to share its transaction, and
// opens one alert for each trade.
func (a *Payments) keepDust(ctx context.Context, p db.TradePaymentState) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		kept, err := q.KeepDust(ctx, db.KeepDustParams{ID: p.ID, Reason: reasonDust})
		if err != nil || kept == 0 {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.TradePaymentFailed, Subject: dustSubject(p.TradeID), Detail: reasonDust})
	})
}

// resolveDust closes the alert about a trade's dust once the trade has none.
func resolveDust(ctx context.Context, q *db.Queries, tradeID string) error {
	remaining, err := q.CountDust(ctx, tradeID)
	if err != nil || remaining > 0 {
		return err
	}
	return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.TradePaymentFailed, Subject: dustSubject(tradeID)})
}

func dustSubject(tradeID string) string { return tradeID + "/dust" }

// payment returns the payment that the wallet must build.
func (b batch) payment(c exchange.Coin) (chain.Payment, error) {
	amounts := make([]uint64, len(b.payees))
	for i, p := range b.payments {
		amount, err := p.Amount.ToAtomic(c.Decimals)
		if err != nil {
			return chain.Payment{}, err
		}
		amounts[min(i, len(amounts)-1)] += amount
	}
	pay := chain.Payment{To: b.payees[0], Amount: amounts[0], SubtractFee: b.isRefund(), Prefer: b.prefer}
	for i, to := range b.payees[1:] {
		pay.More = append(pay.More, chain.Destination{Address: to, Amount: amounts[i+1]})
	}
	return pay, nil
}

// fees returns each payment's share of the chain fee, in atomic units. ok is false if the
// transaction does not pay the requested amounts. Payments to one address share the fee
// by their size.
func (b batch) fees(c exchange.Coin, built chain.Built) (fees []uint64, ok bool, err error) {
	pay, err := b.payment(c)
	if err != nil || len(built.Paid) != len(b.payees) {
		return nil, false, err
	}
	want := []uint64{pay.Amount}
	if pay.SubtractFee {
		if want, ok = pay.Less(built.Fee); !ok {
			return nil, false, nil
		}
	}
	for i, paid := range built.Paid {
		if paid != want[i] {
			return nil, false, nil
		}
	}
	switch {
	case len(b.payees) > 1:
		for i, d := range pay.Destinations() {
			fees = append(fees, d.Amount-want[i])
		}
	case len(b.payments) == 1:
		fees = []uint64{built.Fee}
	default:
		return b.bySize(c, pay.Amount, built.Fee), true, nil
	}
	return fees, true, nil
}

// bySize divides a fee that is less than the total, so that no payment bears more than
// its amount.
func (b batch) bySize(c exchange.Coin, total, fee uint64) []uint64 {
	fees, remaining := make([]uint64, len(b.payments)), fee
	amounts := make([]uint64, len(b.payments))
	for i, p := range b.payments {
		amounts[i], _ = p.Amount.ToAtomic(c.Decimals) // it was converted before
		high, low := bits.Mul64(fee, amounts[i])
		fees[i], _ = bits.Div64(high, low, total)
		remaining -= fees[i]
	}
	for i := range fees { // the remainder of the division
		more := min(remaining, amounts[i]-fees[i])
		fees[i], remaining = fees[i]+more, remaining-more
	}
	return fees
}
