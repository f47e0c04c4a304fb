package trades

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// AdvanceTrade names the trade to advance.
type AdvanceTrade struct {
	TradeID string
	// Now is the workflow's clock.
	Now time.Time
}

// postponement is the time after which a trade whose deposit could not be answered is
// checked again. A database that has just started is compared with its witness within
// seconds. The end of safe mode wakes every trade by itself.
const postponement = time.Minute

func recheckAt(o trade.Outcome, now time.Time) time.Time {
	at, again := o.Trade.RecheckAt(), now.Add(postponement)
	if o.Postponed && (at.IsZero() || again.Before(at)) {
		return again
	}
	return at
}

// AdvanceTrade compares the trade with the chains and writes the consequences in one
// transaction: the new status, an event for each transition, the planned transactions
// and, at completion, the commission. If another provider fills the trade, it only reads
// it, see FollowTrade. If the trade does not exist, its orders are given up, see
// lockTrade. A second run changes nothing.
func (a *Handler) AdvanceTrade(ctx context.Context, in AdvanceTrade) (TradeState, error) {
	if err := blockListed(ctx, a.Store, a.Secret, a.Sanctioned, in.TradeID); err != nil {
		return TradeState{}, err
	}
	var state TradeState
	var gone bool
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		row, err := a.lockTrade(ctx, q, in)
		if postgres.IsNotFound(err) {
			gone = true
			return nil
		}
		if err == nil && row.WalletFrom == nil {
			state, err = stateOfTrade(ctx, q, row, false, in.Now)
			return err
		}
		if err != nil {
			return err
		}
		pair, err := a.pairOf(row)
		if err != nil {
			return err
		}
		facts, err := a.tradeFacts(ctx, q, row, pair, in.Now)
		if err != nil {
			return err
		}
		before := a.tradeOf(row, pair.To.Decimals)
		outcome := trade.Advance(before, facts)
		if err := a.write(ctx, q, row, before, outcome, in.Now); err != nil {
			return err
		}
		if !outcome.Unbacked {
			if err := alertUnsent(ctx, q, in.TradeID, in.Now); err != nil {
				return err
			}
		}
		row, err = q.GetTrade(ctx, in.TradeID)
		if err != nil {
			return err
		}
		state, err = stateOfTrade(ctx, q, row, outcome.Unbacked, in.Now)
		state.RecheckAt, state.Postponed = recheckAt(outcome, in.Now), outcome.Postponed
		return err
	})
	if err == nil && gone {
		err = refusals.New(refusals.Missing, "the trade does not exist")
	}
	return state, alertNoWallet(ctx, a.Store, in.TradeID, err)
}

// lockTrade locks a trade that exists. If it does not, its orders are given up: no attempt
// that was requested until now makes one any more, not even one that Temporal presumes
// dead. lockTrade waits for an order that is writing the trade, and finds the trade that
// it wrote.
func (a *Handler) lockTrade(ctx context.Context, q *db.Queries, in AdvanceTrade) (db.Trade, error) {
	row, err := q.LockTrade(ctx, in.TradeID)
	if !postgres.IsNotFound(err) {
		return row, err
	}
	var makers []string
	for _, p := range a.Quoter.Fanout.Profiles() {
		makers = append(makers, p.Name)
	}
	if err := q.GiveOrdersUp(ctx, db.GiveOrdersUpParams{TradeID: in.TradeID, Providers: makers, AskedUntil: in.Now}); err != nil {
		return db.Trade{}, err
	}
	return q.LockTrade(ctx, in.TradeID)
}

// pairOf returns the settings of the trade's coins. It finds a pair that is no longer
// offered by its wallets.
func (a *Handler) pairOf(row db.Trade) (exchange.Pair, error) {
	var pair exchange.Pair
	for _, c := range a.Quoter.Coins() {
		switch c.WalletID {
		case value(row.WalletFrom):
			pair.From = c
		case value(row.WalletTo):
			pair.To = c
		}
	}
	if pair.From.WalletID == "" || pair.To.WalletID == "" {
		return pair, fmt.Errorf("trade %s: %w", row.ID, errNoWallet)
	}
	return pair, nil
}

func (a *Handler) tradeFacts(ctx context.Context, q *db.Queries, row db.Trade, pair exchange.Pair, now time.Time) (trade.Facts, error) {
	f := trade.Facts{Now: now}
	deposits, err := q.TradeDeposits(ctx, row.ID)
	if err != nil {
		return f, err
	}
	for _, d := range deposits {
		f.Deposits = append(f.Deposits, trade.Deposit{
			ID: d.ID, Amount: d.Amount, FirstSeenAt: d.FirstSeenAt, Confirmations: d.Confirmations,
			MinedAt: value(d.MinedAt), Locked: d.Locked || d.Contested, Missing: d.MissingAt != nil, Blocked: d.Blocked, Unscreened: d.OriginsDueAt != nil, Abandoned: d.Abandoned,
		})
	}
	payments, err := q.TradePayments(ctx, row.ID)
	if err != nil {
		return f, err
	}
	for _, p := range payments {
		f.Payments = append(f.Payments, trade.Payment{
			Kind: trade.Kind(p.Kind), DepositID: p.DepositID, State: trade.PaymentState(p.State), Amount: p.Amount, Reason: value(reasonOf(p)),
		})
	}
	if f.Unsure, err = unsure(ctx, q, row); err != nil {
		return f, err
	}
	if len(deposits) > 0 && row.CountedDeposit == nil {
		if rate, err := a.Quoter.Rate(pair, int64(row.Markup)); err == nil { // zero without a current price
			f.CurrentRate = rate
		}
		f.Free, err = a.free(ctx, q, pair.To)
	}
	return f, err
}

// unsure reports whether one of the trade's wallets is in safe mode, or this database was
// not compared with its witness, so that it may be an older copy.
func unsure(ctx context.Context, q *db.Queries, row db.Trade) (bool, error) {
	for _, id := range []*string{row.WalletFrom, row.WalletTo} {
		of, err := q.GetWitness(ctx, value(id))
		if postgres.IsNotFound(err) {
			return true, nil
		}
		if err != nil || of.Witness.SafeSince != nil || !of.Current {
			return true, err
		}
	}
	return false, nil
}

// free returns the part of the inventory that no trade has reserved. It locks the wallet
// until the trade has taken its part.
func (a *Handler) free(ctx context.Context, q *db.Queries, c exchange.Coin) (money.Decimal, error) {
	if _, err := q.LockWallet(ctx, c.WalletID); err != nil {
		return money.Decimal{}, err
	}
	inventory, err := a.Quoter.Inventory(ctx, q, c)
	return inventory.Free(), err
}

func (a *Handler) write(ctx context.Context, q *db.Queries, row db.Trade, before trade.Trade, o trade.Outcome, now time.Time) error {
	if len(o.Abandoned) > 0 {
		if err := q.AbandonDeposits(ctx, o.Abandoned); err != nil {
			return err
		}
	}
	if before != o.Trade {
		shown := len(o.Transitions) > 0 || before.Detail != o.Trade.Detail || before.Received.Cmp(o.Trade.Received) != 0
		if err := saveTrade(ctx, q, row, o.Trade, shown, now); err != nil {
			return err
		}
	}
	for _, change := range o.Transitions {
		if err := recordTransition(ctx, q, row, change, now); err != nil {
			return err
		}
	}
	for _, planned := range o.Planned {
		if err := planTradePayment(ctx, q, row, planned, now); err != nil {
			return err
		}
	}
	if before.Status != trade.Completed && o.Trade.Status == trade.Completed {
		if err := credit(ctx, q, row, o.Trade, now); err != nil {
			return err
		}
	}
	return alertTrade(ctx, q, row.ID, before, o)
}

func saveTrade(ctx context.Context, q *db.Queries, row db.Trade, t trade.Trade, shown bool, now time.Time) error {
	save := db.SaveTradeParams{
		ID: row.ID, Status: string(t.Status), StatusDetail: t.Detail, Reserved: t.Reserved, Received: t.Received,
		Payout: t.Payout, UpdatedAt: row.UpdatedAt,
	}
	if t.Counted != 0 {
		save.CountedDeposit = &t.Counted
	}
	if shown {
		save.UpdatedAt = now
	}
	return q.SaveTrade(ctx, save)
}

func recordTransition(ctx context.Context, q *db.Queries, row db.Trade, change trade.Transition, now time.Time) error {
	body, err := trade.EventBody(row.ID, change, now)
	if err != nil {
		return err
	}
	delivery := "none"
	if row.HasWebhook {
		delivery = "pending"
	}
	return q.RecordTradeEvent(ctx, db.RecordTradeEventParams{
		TradeID: row.ID, Status: string(change.To), PrevStatus: string(change.From), OccurredAt: now,
		Payload: string(body), Delivery: delivery,
	})
}

func planTradePayment(ctx context.Context, q *db.Queries, row db.Trade, o trade.PlannedTransaction, now time.Time) error {
	plan := db.PlanTradePaymentParams{
		TradeID: row.ID, DepositID: o.DepositID, Kind: string(o.Kind), Amount: o.Amount, CreatedAt: now,
		WalletID: value(row.WalletFrom),
	}
	if o.Kind == trade.Payout {
		plan.WalletID = value(row.WalletTo)
	}
	return q.PlanTradePayment(ctx, plan)
}

// credit writes the commission of a completed trade.
func credit(ctx context.Context, q *db.Queries, row db.Trade, t trade.Trade, now time.Time) error {
	if row.KeyID == nil {
		return nil
	}
	amount := trade.Commission(t.Commissionable(), row.CommissionRate, t.DecimalsTo)
	if amount.Sign() <= 0 {
		return nil
	}
	return q.CreditCommission(ctx, db.CreditCommissionParams{
		TradeID: row.ID, KeyID: *row.KeyID, Ticker: row.TickerTo, Network: row.NetworkTo, Amount: amount, CreditedAt: now,
	})
}

// alertTrade alerts operators to a trade that needs a person, and closes the alert when
// it does not any more.
func alertTrade(ctx context.Context, q *db.Queries, id string, before trade.Trade, o trade.Outcome) error {
	var err error
	switch needed, needs := needsPerson(before.Status), needsPerson(o.Trade.Status); {
	case needs && before.Status != o.Trade.Status:
		err = q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.TradeFailed, Subject: id, Detail: o.Trade.Detail})
	case needed && !needs:
		err = q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.TradeFailed, Subject: id})
	}
	if err != nil {
		return err
	}
	if err := q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.TradePaymentStuck, Subject: id}); err != nil {
		return err
	}
	why := ""
	if o.Unbacked {
		why = "the deposit of a trade that is being settled lost its depth on the chain"
	}
	return sending.Alert(ctx, q, alert.TradeUnbacked, id, why)
}

func needsPerson(s trade.Status) bool { return s == trade.Failed || s == trade.Hold }

func (a *Handler) tradeOf(row db.Trade, decimalsTo int32) trade.Trade {
	return trade.Trade{
		Grace: a.ConfirmGrace, AtLockedRate: a.Quoter.AtLockedRate(row.AmountFrom),
		Status: trade.Status(row.Status), Detail: row.StatusDetail, Risk: provider.Risk(row.Risk), Rate: row.Rate,
		Min: row.MinFrom, Max: row.MaxFrom, DecimalsTo: decimalsTo, Confirmations: int64(row.Confirmations),
		ExpiresAt: row.ExpiresAt, Quoted: row.AmountTo, Reserved: row.Reserved, Received: row.Received, Payout: row.Payout,
		Counted: value(row.CountedDeposit),
	}
}
