package main

import (
	"context"
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

// swap is a trade of one coin for the other, and its progress.
type swap struct {
	clients.Trade

	from, to string
	amount   money.Decimal
	payee    fixture.Payee
	deposit  string
}

// issueKey has the operator's command make the partner's key.
func (d *demo) issueKey(ctx context.Context) (err error) {
	if d.partner, err = d.Partner(ctx); err == nil {
		fixture.Sayf("durapay admin swap-key create --class partner: key %s…, and a secret for signatures", d.partner.Key.Key[:12])
	}
	return err
}

// swapStep takes a swap from its quote to the arrival of the payout, after
// the steps that are given.
func (d *demo) swapStep(s *swap, before ...action) step {
	with := func(f func(context.Context, *swap) error) func(context.Context) error {
		return func(ctx context.Context) error { return f(ctx, s) }
	}
	return step{fmt.Sprintf("A partner's customer swaps %s for %s", coinName(s.from), coinName(s.to)), append(before, []action{
		{fmt.Sprintf("The partner asks what %s %s pays", s.amount, coinName(s.from)), with(d.quote)},
		{"The partner makes the trade for its customer", with(d.makeTrade)},
		{"The customer makes the deposit", with(d.makeDeposit)},
		{"Blocks are mined, and the exchange pays out", with(d.fill)},
		{"The payout is mined and arrives", with(d.collect)},
		{"The partner has heard of each status once, in order", with(d.checkEvents)},
	}...)}
}

func coinName(ticker string) string {
	return map[string]string{fixture.Monero: "Monero", fixture.Litecoin: "Litecoin"}[ticker]
}

func (d *demo) quote(ctx context.Context, s *swap) error {
	q, err := d.partner.Quote(ctx, clients.Pair{From: s.from, To: s.to}, s.amount)
	if err != nil {
		return err
	}
	fixture.Sayf("%s %s pay %s %s now, filled by %s; %s USD of fees are in that", s.amount, s.from, q.AmountTo, s.to, q.Best, q.Fees)
	fixture.Sayf("the pair takes %s to %s %s", q.Min, q.Max, s.from)
	rate, err := money.ParseDecimal(q.Rate)
	if err != nil {
		return err
	}
	return fixture.Check(s.amount.Mul(rate).Floor(fixture.Decimals(s.to)).String() == q.AmountTo, "this is not the amount times the rate %s", rate)
}

func (d *demo) makeTrade(ctx context.Context, s *swap) (err error) {
	if s.payee, err = d.NewPayee(ctx, s.to); err != nil {
		return err
	}
	refund, err := d.NewPayee(ctx, s.from)
	if err != nil {
		return err
	}
	s.Trade, err = d.partner.Trade(ctx, clients.Order{
		Pair: clients.Pair{From: s.from, To: s.to}, Amount: s.amount, Address: s.payee.Address, Refund: refund.Address,
		Webhook: d.SafeHooks.URL("/trades"),
	})
	if err != nil {
		return err
	}
	fixture.Sayf("trade %s is %s, the rate %s is locked", s.ID, s.Status, s.Rate)
	fixture.Sayf("the deposit goes to %s…", s.Deposit[:16])
	fixture.Sayf("each status is sent to %s", d.SafeHooks.URL("/trades"))
	return fixture.Check(s.Status == "pending", "its status is %s", s.Status)
}

func (d *demo) makeDeposit(ctx context.Context, s *swap) (err error) {
	if s.deposit, err = d.Pay(ctx, s.from, s.Deposit, s.amount); err != nil {
		return err
	}
	fixture.Sayf("transaction %s", s.deposit)
	return d.told(ctx, s, "deposit_detected")
}

// fill makes the deposit as deep as it must be; the exchange answers it.
func (d *demo) fill(ctx context.Context, s *swap) error {
	if err := d.Bury(ctx, s.from, s.deposit, 1); err != nil {
		return err
	}
	if err := d.told(ctx, s, "confirming"); err != nil {
		return err
	}
	if err := d.Mine(ctx, s.from, depth(s.from)-1); err != nil {
		return err
	}
	fixture.Sayf("the deposit is %d blocks deep", depth(s.from))
	for _, status := range []string{"processing", "sending"} {
		if err := d.told(ctx, s, status); err != nil {
			return err
		}
	}
	now, err := d.partner.Find(ctx, s.ID)
	if err != nil {
		return err
	}
	if err := fixture.Check(now.Payout != nil, "the trade has no payout"); err != nil {
		return err
	}
	s.Trade = now
	fixture.Sayf("payout %s", *s.Payout)
	return nil
}

func (d *demo) collect(ctx context.Context, s *swap) error {
	if err := d.Bury(ctx, s.to, *s.Payout, depth(s.to)); err != nil {
		return err
	}
	if err := d.told(ctx, s, "completed"); err != nil {
		return err
	}
	arrivals, err := d.Arrivals(ctx)
	if err != nil {
		return err
	}
	got := arrivals.To(s.payee)
	rate, err := money.ParseDecimal(s.Rate)
	if err != nil {
		return err
	}
	want := s.amount.Mul(rate).Floor(fixture.Decimals(s.to))
	if err := fixture.Check(len(got) == 1 && got[*s.Payout].Cmp(want) == 0, "%s %s should have arrived, not %v", want, s.to, got); err != nil {
		return err
	}
	fixture.Sayf("on the chain of %s the customer's address received %s %s: the deposit times the locked rate", coinName(s.to), want, s.to)
	return nil
}

// checkEvents verifies the partner's events: every signature, the order, and that
// each event begins at the status with which the previous one ended.
func (d *demo) checkEvents(_ context.Context, s *swap) error {
	events, err := d.SafeHooks.SwapEvents(s.ID, d.partner.Key.Secret)
	if err != nil {
		return err
	}
	states := []string{"awaiting_deposit", "deposit_detected", "confirming", "processing", "sending", "completed"}
	if err := fixture.Check(len(events) == len(states)-1, "%d events arrived: %v", len(events), events); err != nil {
		return err
	}
	for i, event := range events {
		if err := fixture.Check(event.PrevStatus == states[i] && event.Status == states[i+1], "event %d goes from %s to %s", i+1, event.PrevStatus, event.Status); err != nil {
			return err
		}
		fixture.Sayf("%s → %s", event.PrevStatus, event.Status)
	}
	return nil
}

// told waits for the event of a status and verifies its signature.
func (d *demo) told(ctx context.Context, s *swap, status string) error {
	got, err := d.SafeHooks.Await(ctx, fixture.SwapIs(s.ID, status))
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", status, err)
	}
	if _, err := got.Swap(d.partner.Key.Secret); err != nil {
		return err
	}
	fixture.Sayf("the webhook of %s arrived, its signature is right", status)
	return nil
}
