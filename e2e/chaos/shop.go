package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

type shop struct {
	*fixture.Shop

	testbed *testbed
	dice    dice
	path    string
	// plugin is a webhook of BTCPay's shape, in addition to that of the shop.
	plugin clients.Webhook
	// refunded is how many of sold were refunded.
	refunded int

	mu sync.Mutex
	// promised are the charges that the service said it made, and sold those that customers pay.
	promised, sold []clients.Charge
	// back are the refunds that the service said it made.
	back []*givenBack
}

func (w *testbed) openShop(ctx context.Context, number int, d dice) *shop {
	s := &shop{testbed: w, dice: d, path: fmt.Sprintf("/shop-%d", number)}
	s.Shop = fixture.Must(w.SignUp(ctx, "Shop"))
	fixture.Do(errors.Join(s.PayOutTo(ctx, w.Customer), s.ApproveUpTo(ctx, approvedUpTo)))
	// Receivers are away for longer than the usual attempts last.
	s.Webhook = fixture.Must(s.Subscribe(ctx, clients.NewWebhook{URL: s.Hooks.URL(s.path), Events: clients.AllEvents(), Retries: "long"}))
	s.plugin = fixture.Must(s.CreateBTCPayWebhook(ctx, s.Account.Merchant.MerchantID, s.Hooks.URL(s.pluginPath())))
	return s
}

func (s *shop) pluginPath() string { return s.path + "/plugin" }

const (
	// leastCharge and mostCharge are in piconero: cents of XMR.
	leastCharge = 10_000_000_000
	mostCharge  = 50_000_000_000
	// paidShare of the charges are paid.
	paidShare = 0.7
	// answerTimeout is how long a customer waits for an answer.
	answerTimeout = 30 * time.Second
)

func (s *shop) sell(ctx context.Context, until time.Time) {
	for time.Now().Before(until) {
		amount := money.Piconero(leastCharge + s.dice.Int64N(mostCharge-leastCharge))
		paid := s.dice.Float64() < paidShare
		fixture.Do(fixture.Pause(ctx, s.dice.between(500*time.Millisecond, 3*time.Second)))
		answer, cancel := context.WithTimeout(ctx, answerTimeout)
		c, err := s.CreateCharge(answer, clients.NewCharge{Amount: amount.Decimal(), Currency: "XMR"})
		cancel()
		if err != nil {
			continue // nothing was promised
		}
		s.mu.Lock()
		s.promised = append(s.promised, c)
		if paid {
			s.sold = append(s.sold, c)
		}
		s.mu.Unlock()
		if paid {
			s.testbed.xmr.pay(c.Subaddress, c.AmountXMR)
		}
	}
}

// leastSweep and mostSweep come between two sweeps of a merchant: lists show a
// hundred payouts, which are not reached within an hour.
const (
	leastSweep = 10 * time.Second
	mostSweep  = time.Minute
)

// sweep asks for payouts, at times twice at once.
func (s *shop) sweep(ctx context.Context, d dice, until time.Time) {
	for time.Now().Before(until) {
		times := 1 + d.IntN(2)
		fixture.Do(fixture.Pause(ctx, d.between(leastSweep, mostSweep)))
		var all sync.WaitGroup
		for range times {
			all.Go(func() {
				answer, cancel := context.WithTimeout(ctx, answerTimeout)
				defer cancel()
				_, _ = s.Sweep(answer) // refused, cut off or made: the books tell
			})
		}
		all.Wait()
	}
}

// givenBack is a refund that the service said it made.
type givenBack struct {
	id string
	// payee is the buyer's address for this refund alone.
	payee fixture.Payee
}

const (
	// leastRefund and mostRefund come between two refunds of a merchant: each is a payout,
	// and lists show a hundred.
	leastRefund = 25 * time.Second
	mostRefund  = 65 * time.Second
	// cancelledShare of the refunds are cancelled soon after the claim.
	cancelledShare = 0.4
	// mostBeforeCancel is the longest time from the claim to that.
	mostBeforeCancel = 6 * time.Second
	// approvedUpTo lets all refunds be paid without an approval.
	approvedUpTo = 100 * money.OneXMR
)

// refund gives half of one charge after the other back. The buyer claims it at once. A
// merchant who refunds does not sweep: refunds are paid out of the balance.
func (s *shop) refund(ctx context.Context, d dice, until time.Time) {
	for time.Now().Before(until) {
		cancelled, soon := d.Float64() < cancelledShare, d.between(0, mostBeforeCancel)
		fixture.Do(fixture.Pause(ctx, d.between(leastRefund, mostRefund)))
		made, err := s.refundOne(ctx)
		if err != nil || made == nil || !cancelled {
			continue // nothing was promised, or it is not cancelled
		}
		fixture.Do(fixture.Pause(ctx, soon))
		answer, cancel := context.WithTimeout(ctx, answerTimeout)
		_, _ = s.CancelRefund(answer, made.id) // cancelled or not: the books tell
		cancel()
	}
}

// refundOne refunds the oldest charge that was paid, or none while it is not confirmed.
func (s *shop) refundOne(ctx context.Context) (*givenBack, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	s.mu.Lock()
	sold := s.sold
	s.mu.Unlock()
	if len(sold) <= s.refunded {
		return nil, nil //nolint:nilnil // nothing was sold
	}
	charge, err := s.Charge(ctx, sold[s.refunded].ID)
	if err != nil || charge.Status != "confirmed" {
		return nil, err
	}
	payee, err := s.testbed.NewPayee(ctx, fixture.Monero)
	if err != nil {
		return nil, err
	}
	made, err := s.CreateRefund(ctx, charge.ID, (charge.AmountXMR / 2).Decimal().String())
	if err != nil {
		return nil, err
	}
	s.refunded++
	back := &givenBack{made.ID, payee}
	s.mu.Lock()
	s.back = append(s.back, back)
	s.mu.Unlock()
	return back, s.claim(ctx, made, payee)
}

// claim claims all of a refund, again while there is no answer: the same claim is one.
func (s *shop) claim(ctx context.Context, r clients.Refund, to fixture.Payee) error {
	token := r.Link[strings.LastIndex(r.Link, "/")+1:]
	for {
		_, err := s.ClaimRefund(ctx, r.ID, token, to.Address, r.AmountXMR)
		if err == nil || clients.Status(err)/100 == 4 || ctx.Err() != nil {
			return err
		}
		if err := fixture.Pause(ctx, time.Second); err != nil {
			return err
		}
	}
}
