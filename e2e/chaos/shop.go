package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// shop is a merchant with customers.
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

// pluginPath is where the events in BTCPay's shape go.
func (s *shop) pluginPath() string { return s.path + "/plugin" }

const (
	// leastCharge and mostCharge are in piconero: cents of XMR.
	leastCharge = 10_000_000_000
	mostCharge  = 50_000_000_000
	// paidShare of the charges are paid.
	paidShare = 0.7
	// oneAnswer is how long a customer waits for an answer.
	oneAnswer = 30 * time.Second
)

// sell makes charges, and has customers pay most of them.
func (s *shop) sell(ctx context.Context, until time.Time) {
	for time.Now().Before(until) {
		amount := money.Piconero(leastCharge + s.dice.Int64N(mostCharge-leastCharge))
		paid := s.dice.Float64() < paidShare
		fixture.Do(fixture.Pause(ctx, s.dice.between(500*time.Millisecond, 3*time.Second)))
		answer, cancel := context.WithTimeout(ctx, oneAnswer)
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
				answer, cancel := context.WithTimeout(ctx, oneAnswer)
				defer cancel()
				_, _ = s.Sweep(answer) // refused, cut off or made: the books tell
			})
		}
		all.Wait()
	}
}
