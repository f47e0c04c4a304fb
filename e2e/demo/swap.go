package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// depth is how deep a deposit or a payout of a coin must lie: as the exchange of
// the stack wants it, and at least as deep as the chain lets it be spent.
func depth(coin string) int {
	return map[string]int{fixture.Monero: fixture.UnlockBlocks, fixture.Litecoin: 2}[coin]
}

type swap struct {
	*demo
	clients.Trade

	from, to string
	amount   money.Decimal
	payee    fixture.Payee
	deposit  string
}

// issueKey has the operator's command make the partner's key.
func (d *demo) issueKey(ctx context.Context) {
	d.partner = fixture.Must(d.Partner(ctx))
	fixture.Sayf("durapay admin swap-key create --class partner: key %s…, and a secret for signatures", d.partner.Key.Key[:12])
}

// step takes a swap from its quote to the arrival of the payout, after
// the steps that are given.
func (s *swap) step(before ...action) step {
	return step{fmt.Sprintf("A partner's customer swaps %s for %s", coinName(s.from), coinName(s.to)), append(before, []action{
		{fmt.Sprintf("The partner asks what %s %s pays", s.amount, coinName(s.from)), s.quote},
		{"The partner makes the trade for its customer", s.makeTrade},
		{"The customer makes the deposit", s.makeDeposit},
		{"Blocks are mined, and the exchange pays out", s.fill},
		{"The payout is mined and arrives", s.collect},
		{"The partner has heard of each status once, in order", s.checkEvents},
	}...)}
}

func coinName(ticker string) string {
	return map[string]string{fixture.Monero: "Monero", fixture.Litecoin: "Litecoin"}[ticker]
}

func (s *swap) quote(ctx context.Context) {
	q := fixture.Must(s.partner.Quote(ctx, clients.Pair{From: s.from, To: s.to}, s.amount))
	fixture.Sayf("%s %s pay %s %s now, filled by %s; %s USD of fees are in that", s.amount, s.from, q.AmountTo, s.to, q.Best, q.Fees)
	fixture.Sayf("the pair takes %s to %s %s", q.Min, q.Max, s.from)
	rate := fixture.Must(money.ParseDecimal(q.Rate))
	fixture.Requiref(s.amount.Mul(rate).Floor(fixture.Decimals(s.to)).String() == q.AmountTo, "this is not the amount times the rate %s", rate)
}

func (s *swap) makeTrade(ctx context.Context) {
	s.payee = fixture.Must(s.NewPayee(ctx, s.to))
	refund := fixture.Must(s.NewPayee(ctx, s.from))
	s.Trade = fixture.Must(s.partner.Trade(ctx, clients.Order{
		Pair: clients.Pair{From: s.from, To: s.to}, Amount: s.amount, Address: s.payee.Address, Refund: refund.Address,
		Webhook: s.SafeHooks.URL("/trades"),
	}))
	fixture.Sayf("trade %s is %s, the rate %s is locked", s.ID, s.Status, s.Rate)
	fixture.Sayf("the deposit goes to %s…", s.Deposit[:16])
	fixture.Sayf("each status is sent to %s", s.SafeHooks.URL("/trades"))
	fixture.Requiref(s.Status == "pending", "its status is %s", s.Status)
}

func (s *swap) makeDeposit(ctx context.Context) {
	s.deposit = fixture.Must(s.Pay(ctx, s.from, s.Deposit, s.amount))
	fixture.Sayf("transaction %s", s.deposit)
	s.awaitWebhook(ctx, "deposit_detected")
}

// fill makes the deposit as deep as it must be; the exchange answers it.
func (s *swap) fill(ctx context.Context) {
	fixture.Do(s.Bury(ctx, s.from, s.deposit, 1))
	s.awaitWebhook(ctx, "confirming")
	fixture.Do(s.Mine(ctx, s.from, depth(s.from)-1))
	fixture.Sayf("the deposit is %d blocks deep", depth(s.from))
	for _, status := range []string{"processing", "sending"} {
		s.awaitWebhook(ctx, status)
	}
	now := fixture.Must(s.partner.Find(ctx, s.ID))
	fixture.Requiref(now.Payout != nil, "the trade has no payout")
	s.Trade = now
	fixture.Sayf("payout %s", *s.Payout)
}

func (s *swap) collect(ctx context.Context) {
	fixture.Do(s.Bury(ctx, s.to, *s.Payout, depth(s.to)))
	s.awaitWebhook(ctx, "completed")
	got := fixture.Must(s.Arrivals(ctx)).To(s.payee)
	rate := fixture.Must(money.ParseDecimal(s.Rate))
	want := s.amount.Mul(rate).Floor(fixture.Decimals(s.to))
	fixture.Requiref(len(got) == 1 && got[*s.Payout].Cmp(want) == 0, "%s %s should have arrived, not %v", want, s.to, got)
	fixture.Sayf("on the chain of %s the customer's address received %s %s: the deposit times the locked rate", coinName(s.to), want, s.to)
}

// checkEvents verifies the partner's events: every signature, the order, and that
// each event begins at the status with which the previous one ended.
func (s *swap) checkEvents(context.Context) {
	events := fixture.Must(s.SafeHooks.SwapEvents(s.ID, s.partner.Key.Secret))
	states := []string{"awaiting_deposit", "deposit_detected", "confirming", "processing", "sending", "completed"}
	fixture.Requiref(len(events) == len(states)-1, "%d events arrived: %v", len(events), events)
	for i, event := range events {
		fixture.Requiref(event.PrevStatus == states[i] && event.Status == states[i+1], "event %d goes from %s to %s", i+1, event.PrevStatus, event.Status)
		fixture.Sayf("%s → %s", event.PrevStatus, event.Status)
	}
}

func (s *swap) awaitWebhook(ctx context.Context, status string) {
	got, err := s.SafeHooks.Await(ctx, fixture.SwapIs(s.ID, status))
	if err != nil {
		fixture.Failf("waiting for %s: %w", status, err)
	}
	fixture.Must(got.Swap(s.partner.Key.Secret))
	fixture.Sayf("the webhook of %s arrived, its signature is right", status)
}

// conversion is what becomes of a merchant's sweep that is paid in litecoins.
type conversion struct {
	*demo

	payee  string
	charge clients.Charge
	payout clients.Payout
	swap   clients.Swap
	// atHome is what the payout address had before.
	atHome int
}

func (d *demo) conversionStep() step {
	c := &conversion{demo: d}
	return step{"A merchant is paid in litecoins", []action{
		{"The merchant wants litecoins from now on", c.wantLitecoins},
		{"A customer pays, and the money can be spent", c.earn},
		{"The merchant sweeps: the transaction pays the deposit of a swap", c.sweepToSwap},
		{"Blocks are mined on both chains, and the swap is finished", c.finishSwap},
		{"The litecoins have arrived", c.litecoinsArrived},
	}}
}

func (c *conversion) wantLitecoins(ctx context.Context) {
	c.payee = fixture.Must(c.Coins.Address(ctx))
	c.atHome = len(fixture.Must(c.shop.Wallet.Receipts(ctx)))
	fixture.Sayf("sweeps are swapped to litecoins for %s…", c.payee[:16])
	fixture.Do(c.shop.SetAutoSwap(ctx, "ltc", c.payee))
}

func (c *conversion) earn(ctx context.Context) {
	c.charge = fixture.Must(c.shop.Sell(ctx, "0.3"))
	sent := fixture.Must(c.Customer.Pay(ctx, fixture.Outputs(c.charge)...))
	fixture.Do(c.Bury(ctx, fixture.Monero, sent.Hash, fixture.UnlockBlocks+1))
	c.awaitEvent(ctx, "charge.confirmed", c.charge.ID)
	fixture.Must(c.shop.Unlocked(ctx, 1))
}

func (c *conversion) sweepToSwap(ctx context.Context) {
	c.payout = fixture.Must(c.shop.Sweep(ctx))
	fixture.Requiref(c.payout.SwapID != nil, "the payout names no swap")
	c.swap = fixture.Must(c.shop.SwapStatus(ctx, *c.payout.SwapID))
	fixture.Sayf("payout %s: %s XMR for swap %s", c.payout.PayoutID, c.payout.AmountXMR, c.swap.ID)
	fixture.Sayf("%s promises %s LTC for %s XMR", c.swap.Provider, c.swap.AmountToExpected, c.swap.AmountFrom)
	c.known(ctx, *c.payout.TxHash)
	c.awaitEvent(ctx, "payout.sent", c.payout.PayoutID)
}

func (c *conversion) finishSwap(ctx context.Context) {
	fixture.Do(c.Chain.MineInto(ctx, *c.payout.TxHash))
	fixture.Wait(ctx, "the swap is finished", func() bool {
		fixture.Do(errors.Join(c.Chain.Mine(ctx, 1), c.Coins.Mine(ctx, 1)))
		c.swap = fixture.Must(c.shop.SwapStatus(ctx, c.swap.ID))
		return c.swap.Status == "finished"
	})
	fixture.Sayf("the provider paid %s LTC", *c.swap.AmountTo)
}

func (c *conversion) litecoinsArrived(ctx context.Context) {
	list := fixture.Must(c.Coins.Receipts(ctx, c.payee))
	fixture.Requiref(len(list) == 1, "%d transactions arrived instead of one", len(list))
	arrived := money.FromAtomic(uint64(list[0].Amount), fixture.Decimals(fixture.Litecoin))
	fixture.Requiref(arrived.String() == *c.swap.AmountTo, "%s LTC arrived, the swap says %s", arrived, *c.swap.AmountTo)
	fixture.Sayf("on the chain of Litecoin the merchant's address received %s LTC", arrived)
	fixture.Requiref(len(fixture.Must(c.shop.Wallet.Receipts(ctx))) == c.atHome, "something went to the payout address")
	fixture.Sayf("nothing went to the payout address")
}
