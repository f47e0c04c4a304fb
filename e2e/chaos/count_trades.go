package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

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
		c.addf(fixture.TradeBesideChain, d.ID, "nobody paid for it, and it is %s, with %+v", now.Status, written)
	}
	c.tradeEvents(ctx, conn, r, d, now.Status)
}

// seen is what customer and chains know of a trade.
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
	told := map[fixture.SwapEvent]bool{}
	for _, e := range arrived {
		told[e] = true
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
	case len(told) < steps:
		c.addf(fixture.EventMissing, d.ID, "%d of %d events arrived", len(told), steps)
	case len(told) > steps:
		c.addf(fixture.EventTwice, d.ID, "%d events arrived where there are %d", len(told), steps)
	}
}
