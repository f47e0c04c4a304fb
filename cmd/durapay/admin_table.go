package main

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/worker"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

// works has the commands that print lines about their work on the database.
func (a *adminCmd) works(ctx context.Context) map[string]func(config.Config, *postgres.Store) error {
	return map[string]func(config.Config, *postgres.Store) error{
		// The next run completes an interrupted one.
		"keys rotate": func(cfg config.Config, store *postgres.Store) error {
			if err := rotate(cfg.Keys); err != nil {
				return err
			}
			return rekeyAll(ctx, cfg, store)
		},
		// The rows that still use an older key are rekeyed first.
		"keys drop-old": func(cfg config.Config, store *postgres.Store) error {
			if err := rekeyAll(ctx, cfg, store); err != nil {
				return err
			}
			n, err := dropOldKeys(cfg.Keys)
			if err == nil {
				fmt.Printf("%d old keys removed\n", n)
			}
			return err
		},
		"owed": func(cfg config.Config, store *postgres.Store) error { return a.Owed.print(ctx, cfg, store) },
		"sanctions accept": func(_ config.Config, store *postgres.Store) error {
			entries, err := sanctions.Register{Store: store}.Accept(ctx, string(a.actor()), clock())
			if err == nil {
				fmt.Printf("the list of %d addresses is in force\n", entries)
			}
			return err
		},
		"sanctions status": func(_ config.Config, store *postgres.Store) error {
			return printLists(ctx, sanctions.Register{Store: store})
		},
		"swap-key create": func(cfg config.Config, store *postgres.Store) error { return a.SwapKey.Create.create(ctx, cfg, store) },
		"trades dead":     func(_ config.Config, store *postgres.Store) error { return a.Trades.Dead.print(ctx, store) },
		"trades resend": func(_ config.Config, store *postgres.Store) error {
			// The worker makes the next attempts.
			err := store.Tx(ctx, func(q *db.Queries) error {
				return chargestore.RedeliverTradeEvent(ctx, q, a.Trades.Resend.Event, clock())
			})
			if err == nil {
				fmt.Printf("event %d is sent again\n", a.Trades.Resend.Event)
			}
			return err
		},
	}
}

// asks has the commands that ask a workflow for something before they answer.
func (a *adminCmd) asks(ctx context.Context) map[string]func(*base) error {
	p, t, who := &a.Payouts, &a.Trades, string(a.actor())
	payment := func(in workflows.RetryTradePayment) func(*base) error {
		return func(b *base) error { return t.askAbout(ctx, b, in) }
	}
	return map[string]func(*base) error{
		"payouts retry": func(b *base) error { return p.Retry.wake(ctx, b) },
		"payouts release": func(b *base) error {
			_, row, err := p.Release.row(ctx, b)
			if err != nil {
				return err
			}
			// Through its workflow, which then does not relay the abandoned transaction.
			return b.ask(ctx, row, workflows.ReleaseUpdate, workflows.ReleasePayout{Actor: who})
		},
		"reconcile": func(b *base) error {
			done, err := worker.Reconciler{Store: b.store, Temporal: b.temporal, Clock: clock}.Run(ctx)
			if err != nil {
				return err
			}
			return a.show(done)
		},
		"trades retry":  payment(workflows.RetryTradePayment{TradePaymentID: t.Retry.Payment, Actor: who}),
		"trades refund": payment(workflows.RetryTradePayment{TradePaymentID: t.Refund.Payment, Actor: who, Refund: true}),
		// If it is too early, the error tells when to try again.
		"trades release": payment(workflows.RetryTradePayment{TradePaymentID: t.Release.Payment, Actor: who, Release: true}),
		"trades end": func(b *base) error {
			if _, err := b.store.GetTrade(ctx, t.End.TradeID); err != nil {
				return fmt.Errorf("trade %s: %w", t.End.TradeID, err)
			}
			return b.ask(ctx, dispatch.Row{Kind: outbox.Trades, ID: t.End.TradeID}, workflows.EndTradeUpdate, workflows.EndTrade{Actor: who})
		},
	}
}

// ask sends an update to the workflow of a row. It starts a new run if the last one has ended.
func (b *base) ask(ctx context.Context, row dispatch.Row, update string, in any) error {
	return dispatch.Dispatcher{Client: b.temporal}.Ask(ctx, row, dispatch.Update{Name: update, Args: []any{in}}, nil)
}

// answers has the commands that print an answer of operator.Admin.
//
//nolint:funlen // one line for each command
func (a *adminCmd) answers(ctx context.Context) map[string]func(*operator.Admin) (any, error) {
	m, t, who := &a.Merchants, &a.Trades, a.actor()
	payout := func(of *onePayout) func(*operator.Admin) (any, error) {
		return func(d *operator.Admin) (any, error) { return d.Payout(ctx, of.PayoutID) }
	}
	trade := func(id *string) func(*operator.Admin) (any, error) {
		return func(d *operator.Admin) (any, error) { return d.Trade(ctx, *id) }
	}
	return map[string]func(d *operator.Admin) (any, error){
		"find":   func(d *operator.Admin) (any, error) { return d.Find(ctx, a.Find.Text) },
		"health": func(d *operator.Admin) (any, error) { return d.Health(ctx) },
		"charges list": func(d *operator.Admin) (any, error) {
			return d.Charges(ctx, config.Mode(a.Charges.List.Mode), a.Charges.List.filter(), a.Charges.List.page())
		},
		"charges show": func(d *operator.Admin) (any, error) { return d.ChargeByID(ctx, a.Charges.Show.ChargeID) },
		"refunds list": func(d *operator.Admin) (any, error) {
			return d.Refunds(ctx, a.Refunds.List.filter(), a.Refunds.List.page())
		},
		"refunds show":        func(d *operator.Admin) (any, error) { return d.RefundByID(ctx, a.Refunds.Show.RefundID) },
		"grant":               func(d *operator.Admin) (any, error) { return d.SetAdmin(ctx, who, a.Grant.Email, true) },
		"revoke":              func(d *operator.Admin) (any, error) { return d.SetAdmin(ctx, who, a.Revoke.Email, false) },
		"merchants list":      func(d *operator.Admin) (any, error) { return d.Merchants(ctx, m.List.page()) },
		"merchants suspend":   func(d *operator.Admin) (any, error) { return d.Suspend(ctx, who, m.Suspend.MerchantID, true) },
		"merchants unsuspend": func(d *operator.Admin) (any, error) { return d.Suspend(ctx, who, m.Unsuspend.MerchantID, false) },
		"merchants hold": func(d *operator.Admin) (any, error) {
			return d.Hold(ctx, who, m.Hold.MerchantID, time.Time(m.Hold.Until))
		},
		"merchants reset-2fa": func(d *operator.Admin) (any, error) { return d.ResetTwoFactor(ctx, who, m.Reset2FA.MerchantID) },
		"merchants terms":     func(d *operator.Admin) (any, error) { return d.SetTerms(ctx, who, m.Terms.MerchantID, m.terms()) },
		"invite create": func(d *operator.Admin) (any, error) {
			return d.CreateInvite(ctx, who, a.Invite.Create.For, a.Invite.Create.Note)
		},
		"invite list":   func(d *operator.Admin) (any, error) { return d.Invites(ctx) },
		"invite revoke": func(d *operator.Admin) (any, error) { return d.RevokeInvite(ctx, who, a.Invite.Revoke.ID) },
		"fees list":     func(d *operator.Admin) (any, error) { return d.Tiers(ctx) },
		"fees set":      func(d *operator.Admin) (any, error) { return d.SetTiers(ctx, who, tiersOf(a.Fees.Set.Tiers)) },
		"payments unmatched": func(d *operator.Admin) (any, error) {
			return d.Unmatched(ctx, a.Payments.Unmatched.Resolved, a.Payments.Unmatched.page())
		},
		"payments resolve": func(d *operator.Admin) (any, error) {
			return a.Payments.Resolve, d.ResolveUnmatched(ctx, who, a.Payments.Resolve.ID, a.Payments.Resolve.Note)
		},
		"payments stuck": func(d *operator.Admin) (any, error) { return d.Stuck(ctx) },
		"payouts list": func(d *operator.Admin) (any, error) {
			return d.Payouts(ctx, a.Payouts.List.filter(), a.Payouts.List.page())
		},
		"payouts show":    payout(&a.Payouts.Show),
		"payouts retry":   payout(&a.Payouts.Retry),
		"payouts release": payout(&a.Payouts.Release),
		"deliveries list": func(d *operator.Admin) (any, error) {
			return d.Undelivered(ctx, a.Deliveries.List.page())
		},
		"deliveries redeliver": func(d *operator.Admin) (any, error) { return d.SendAgain(ctx, who, a.Deliveries.Redeliver.DeliveryID) },
		"alerts list": func(d *operator.Admin) (any, error) {
			return d.Alerts(ctx, a.Alerts.List.Resolved, a.Alerts.List.page())
		},
		"alerts resolve": func(d *operator.Admin) (any, error) {
			return d.ResolveAlert(ctx, who, a.Alerts.Resolve.ID, a.Alerts.Resolve.Note)
		},
		"audit":          func(d *operator.Admin) (any, error) { return d.Changes(ctx, a.Audit.page()) },
		"trades list":    func(d *operator.Admin) (any, error) { return t.List.of(ctx, d) },
		"trades show":    trade(&t.Show.TradeID),
		"trades retry":   trade(&t.asked),
		"trades refund":  trade(&t.asked),
		"trades release": trade(&t.asked),
		"trades end":     trade(&t.End.TradeID),
	}
}
