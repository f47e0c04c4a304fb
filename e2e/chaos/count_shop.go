package main

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

func (c *counter) shop(ctx context.Context, s *shop) {
	events := c.delivered(ctx, s.Webhook, s.path, merchants(s.Webhook.Secret))
	invoices := c.delivered(ctx, s.plugin, s.pluginPath(), plugins(s.plugin.Secret))
	swept := map[string]money.Piconero{}
	c.made[chargesMade] += len(s.promised)
	for _, promised := range s.promised {
		now, err := s.Charge(ctx, promised.ID)
		if clients.Status(err) == http.StatusNotFound {
			c.addf(fixture.ChargeMissing, promised.ID, "%v", err)
			continue
		}
		fixture.Do(err)
		c.charge(promised, now, events[now.ID], invoices[now.ID])
		if now.PayoutID != nil {
			swept[*now.PayoutID] += now.AmountReceivedXMR
		}
	}
	c.refunds(ctx, s)
	c.payouts(ctx, s, events, swept)
}

func (c *counter) charge(promised, now clients.Charge, events, invoice []string) {
	if now.Subaddress != promised.Subaddress || now.AmountXMR != promised.AmountXMR {
		c.addf(fixture.ChargeMissing, now.ID, "it is another one now: %+v", now)
	}
	c.give(now.Subaddress, now.ID)
	sent := c.xmr[now.Subaddress].amount
	if sent >= now.AmountXMR {
		c.made[chargesPaid]++
		if now.Status != "confirmed" {
			c.addf(fixture.NotConfirmed, now.ID, "%s, with %s XMR of %s XMR", now.Status, now.AmountReceivedXMR, sent)
			return
		}
	}
	c.faults = append(c.faults, fixture.ChargeFaults(now, events, sent)...)
	c.faults = append(c.faults, fixture.InvoiceFaults(now, invoice)...)
}

// payouts compares the payouts with their charges, their events, and with what
// arrived at the merchant's wallet.
func (c *counter) payouts(ctx context.Context, s *shop, events map[string][]string, swept map[string]money.Piconero) {
	payouts := fixture.Must(s.Payouts(ctx))
	for _, p := range payouts {
		c.faults = append(c.faults, fixture.PayoutFaults(p, events[p.PayoutID], false)...)
		if p.Status != "broadcast" && p.Status != "confirmed" {
			continue
		}
		c.made[sweepsMade]++
		if gross := p.AmountXMR + p.RefundXMR + p.FeeXMR + p.NetworkFeeXMR; gross != swept[p.PayoutID] {
			c.addf(fixture.PayoutMismatch, p.PayoutID, "%s XMR of charges of %s XMR", gross, swept[p.PayoutID])
		}
	}
	c.faults = append(c.faults, fixture.PaidOutTo(payouts, c.paid.At(s.Wallet))...)
}

// refunds compares a merchant's refunds with what arrived at their buyers: each claim once
// where it is completed, and nothing else.
func (c *counter) refunds(ctx context.Context, s *shop) {
	for _, back := range s.back {
		now, err := s.Refund(ctx, back.id)
		if clients.Status(err) == http.StatusNotFound {
			c.addf(fixture.ChargeMissing, back.id, "%v", err)
			continue
		}
		fixture.Do(err)
		arrived := c.paid.To(back.payee)
		for _, claim := range now.Claims {
			switch claim.Status {
			case "completed":
				c.made[claimsPaid]++
				if amount, came := arrived[*claim.TxHash]; !came || amount.Cmp(claim.AmountXMR.Decimal()) != 0 {
					c.addf(fixture.RefundMismatch, claim.ID, "%s XMR in the books, %s XMR arrived in %s", claim.AmountXMR, amount, *claim.TxHash)
				}
				delete(arrived, *claim.TxHash)
			case "in_progress":
				c.addf(fixture.RefundMismatch, claim.ID, "it is being paid")
			}
		}
		for hash, amount := range arrived {
			c.addf(fixture.RefundMismatch, back.id, "%s XMR arrived in %s for no claim", amount, hash)
		}
	}
}

// trades compares the service's promises to a partner with the rows and payments.
func (c *counter) trades(ctx context.Context, r *trader) {
	conn := fixture.Must(c.testbed.database(ctx))
	defer func() { _ = conn.Close(ctx) }()
	c.made[tradesMade] = len(r.deals)
	for _, d := range r.deals {
		fixture.Named(d.ID, func() { c.trade(ctx, conn, r, d) })
	}
}

func (c *counter) trade(ctx context.Context, conn *pgx.Conn, r *trader, d *deal) {
	c.give(d.Deposit, d.ID)
	now := fixture.Must(r.client.Find(ctx, d.ID))
	if now.Deposit != d.Deposit || now.Rate != d.Rate {
		c.addf(fixture.ChargeMissing, d.ID, "it is another one now: %+v", now)
	}
	written := fixture.Must(fixture.ReadTrade(ctx, conn, d.ID))
	if seen := c.seen(d); seen.Deposit != "" {
		c.made[tradesPaid]++
		c.faults = append(c.faults, written.Settled(seen)...)
		if now.Status == "completed" {
			c.made[tradesFilled]++
		} else {
			c.addf(fixture.TradeUnpaid, d.ID, "%s", now.Status)
		}
	} else if now.Status != "awaiting_deposit" || len(written.Deposits)+len(written.Payments)+len(seen.Paid)+len(seen.Back) > 0 {
		c.addf(fixture.TradeMismatch, d.ID, "nobody paid for it, and it is %s, with %+v", now.Status, written)
	}
	c.tradeEvents(ctx, conn, r, d, now.Status)
}

func (c *counter) seen(d *deal) fixture.Seen {
	seen := fixture.Seen{
		Amount: d.amount, Pays: d.amount.Mul(money.MustDecimal(d.Rate)).Floor(fixture.Decimals(d.to)),
		Paid: c.paid.To(d.payee), Back: c.paid.To(d.refund),
	}
	if d.from == fixture.Litecoin {
		seen.Deposit, seen.Height = c.ltc[d.Deposit].txHash, c.ltc[d.Deposit].height
	} else {
		seen.Deposit, seen.Height = c.xmr[d.Deposit].txHash, c.xmr[d.Deposit].height
	}
	return seen
}

// tradeEvents follows the events of a trade from one status to the next. Each
// must have arrived.
func (c *counter) tradeEvents(ctx context.Context, conn *pgx.Conn, r *trader, d *deal, status string) {
	arrived := fixture.Must(c.testbed.SafeHooks.SwapEvents(d.ID, r.client.Key.Secret))
	distinct := map[fixture.SwapEvent]bool{}
	for _, e := range arrived {
		distinct[e] = true
	}
	rows := fixture.Must(conn.Query(ctx, "SELECT prev_status, status FROM trade_events WHERE trade_id = $1 ORDER BY id", d.ID))
	at, steps := "awaiting_deposit", 0
	var before, after string
	fixture.Must(pgx.ForEachRow(rows, []any{&before, &after}, func() error {
		if before != at {
			c.addf(fixture.EventMissing, d.ID, "%s follows %s", after, at)
		}
		at, steps = after, steps+1
		return nil
	}))
	switch {
	case at != status:
		c.addf(fixture.EventMissing, d.ID, "it is %s, and the last event says %s", status, at)
	case len(distinct) < steps:
		c.addf(fixture.EventMissing, d.ID, "%d of %d events arrived", len(distinct), steps)
	case len(distinct) > steps:
		c.addf(fixture.EventTwice, d.ID, "%d events arrived where there are %d", len(distinct), steps)
	}
}
