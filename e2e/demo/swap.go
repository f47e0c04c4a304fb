package main

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/e2e/partner"
	"github.com/durapay/durapay/e2e/receiver"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

// depth is how deep a deposit or a payout of a coin must lie: as the exchange of
// the stack wants it, and at least as deep as the chain lets it be spent.
func depth(ticker string) int { return map[string]int{"xmr": unlockBlocks, "ltc": 2}[ticker] }

// swap is a trade of one coin for the other, and what has become of it.
type swap struct {
	partner.Trade

	from, to string
	amount   money.Decimal
	payee    string
	account  regtest.Account
	deposit  string
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
	return map[string]string{"xmr": "Monero", "ltc": "Litecoin"}[ticker]
}

func decimals(ticker string) int32 { return map[string]int32{"xmr": 12, "ltc": 8}[ticker] }

func (d *demo) quote(ctx context.Context, s *swap) error {
	q, err := d.partnerSetup.partner.Quote(ctx, partner.Pair{From: s.from, To: s.to}, s.amount)
	if err != nil {
		return err
	}
	sayf("%s %s pay %s %s now, filled by %s; %s USD of fees are in that", s.amount, s.from, q.AmountTo, s.to, q.Best, q.Fees)
	sayf("the pair takes %s to %s %s", q.Min, q.Max, s.from)
	rate, err := money.ParseDecimal(q.Rate)
	if err != nil {
		return err
	}
	return check(s.amount.Mul(rate).Floor(decimals(s.to)).String() == q.AmountTo, "this is not the amount times the rate %s", rate)
}

func (d *demo) makeTrade(ctx context.Context, s *swap) error {
	refund, err := d.addresses(ctx, s)
	if err != nil {
		return err
	}
	s.Trade, err = d.partnerSetup.partner.Trade(ctx, partner.Order{
		Pair: partner.Pair{From: s.from, To: s.to}, Amount: s.amount, Address: s.payee, Refund: refund,
		Webhook: d.partnerSetup.hooks.URL("/trades"),
	})
	if err != nil {
		return err
	}
	sayf("trade %s is %s, the rate %s is locked", s.ID, s.Status, s.Rate)
	sayf("the deposit goes to %s…", s.Deposit[:16])
	sayf("each status is told to %s", d.partnerSetup.hooks.URL("/trades"))
	return check(s.Status == "pending", "its status is %s", s.Status)
}

// addresses makes one that the payout goes to, and one for a refund.
func (d *demo) addresses(ctx context.Context, s *swap) (refund string, err error) {
	if s.account, err = d.customer.NewAccount(ctx); err != nil {
		return "", err
	}
	litecoin, err := d.partnerSetup.coins.Address(ctx)
	if s.to == "xmr" {
		s.payee = s.account.Address
		return litecoin, err
	}
	s.payee = litecoin
	return s.account.Address, err
}

func (d *demo) makeDeposit(ctx context.Context, s *swap) error {
	if s.from == "xmr" {
		amount, err := money.PiconeroFromXMR(s.amount)
		if err != nil {
			return err
		}
		sent, err := d.customer.Pay(ctx, regtest.Output{Address: s.Deposit, Amount: amount})
		if err != nil {
			return err
		}
		s.deposit = sent.Hash
	} else {
		amount, err := utxo.ParseAmount(s.amount.String())
		if err != nil {
			return err
		}
		if s.deposit, err = d.partnerSetup.coins.Pay(ctx, s.Deposit, amount); err != nil {
			return err
		}
	}
	sayf("transaction %s", s.deposit)
	return d.told(ctx, s, "deposit_detected")
}

// fill makes the deposit as deep as it must be; the exchange answers it.
func (d *demo) fill(ctx context.Context, s *swap) error {
	if err := d.mineInto(ctx, s.from, s.deposit); err != nil {
		return err
	}
	if err := d.told(ctx, s, "confirming"); err != nil {
		return err
	}
	if err := d.mine(ctx, s.from, depth(s.from)-1); err != nil {
		return err
	}
	sayf("the deposit is %d blocks deep", depth(s.from))
	for _, status := range []string{"processing", "sending"} {
		if err := d.told(ctx, s, status); err != nil {
			return err
		}
	}
	now, err := d.partnerSetup.partner.Find(ctx, s.ID)
	if err != nil {
		return err
	}
	if err := check(now.Payout != nil, "the trade has no payout"); err != nil {
		return err
	}
	s.Trade = now
	sayf("payout %s", *s.Payout)
	return nil
}

func (d *demo) collect(ctx context.Context, s *swap) error {
	if err := d.mineInto(ctx, s.to, *s.Payout); err != nil {
		return err
	}
	if err := d.mine(ctx, s.to, depth(s.to)-1); err != nil {
		return err
	}
	if err := d.told(ctx, s, "completed"); err != nil {
		return err
	}
	got, err := d.received(ctx, s)
	if err != nil {
		return err
	}
	rate, err := money.ParseDecimal(s.Rate)
	if err != nil {
		return err
	}
	want := s.amount.Mul(rate).Floor(decimals(s.to))
	if err := check(len(got) == 1 && got[*s.Payout].Cmp(want) == 0, "%s %s should have arrived, not %v", want, s.to, got); err != nil {
		return err
	}
	sayf("on the chain of %s the customer's address received %s %s: the deposit times the locked rate", coinName(s.to), want, s.to)
	return nil
}

// received is what came to the payee, by transaction.
func (d *demo) received(ctx context.Context, s *swap) (map[string]money.Decimal, error) {
	got := map[string]money.Decimal{}
	if s.to == "xmr" {
		list, err := s.account.Receipts(ctx)
		for _, r := range list {
			got[r.TxHash] = r.Amount.Decimal()
		}
		return got, err
	}
	list, err := d.partnerSetup.coins.Receipts(ctx, s.payee)
	for _, r := range list {
		got[r.TxHash] = money.FromAtomic(uint64(r.Amount), decimals(s.to))
	}
	return got, err
}

// checkEvents verifies what the partner was told: every signature, the order,
// and that each event goes on where the one before ended.
func (d *demo) checkEvents(_ context.Context, s *swap) error {
	events, err := d.partnerSetup.hooks.SwapEvents(s.ID, d.partnerSetup.partner.Key.Secret)
	if err != nil {
		return err
	}
	states := []string{"awaiting_deposit", "deposit_detected", "confirming", "processing", "sending", "completed"}
	if err := check(len(events) == len(states)-1, "%d events arrived: %v", len(events), events); err != nil {
		return err
	}
	for i, event := range events {
		if err := check(event.PrevStatus == states[i] && event.Status == states[i+1], "event %d goes from %s to %s", i+1, event.PrevStatus, event.Status); err != nil {
			return err
		}
		sayf("%s → %s", event.PrevStatus, event.Status)
	}
	return nil
}

// told waits for the event of a status and verifies its signature.
func (d *demo) told(ctx context.Context, s *swap, status string) error {
	got, err := d.partnerSetup.hooks.Await(ctx, receiver.SwapIs(s.ID, status))
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", status, err)
	}
	if _, err := got.Swap(d.partnerSetup.partner.Key.Secret); err != nil {
		return err
	}
	sayf("the webhook of %s arrived, its signature is right", status)
	return nil
}

// mine adds blocks to a coin's chain.
func (d *demo) mine(ctx context.Context, ticker string, blocks int) error {
	if ticker == "ltc" {
		return d.partnerSetup.coins.Mine(ctx, blocks)
	}
	return d.chain.Mine(ctx, blocks)
}

// mineInto adds blocks to a coin's chain until one holds a transaction.
func (d *demo) mineInto(ctx context.Context, ticker, txHash string) error {
	if ticker == "ltc" {
		return d.partnerSetup.coins.MineInto(ctx, txHash)
	}
	return d.chain.MineInto(ctx, txHash)
}
