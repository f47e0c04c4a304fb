//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/durapay/durapay/e2e/books"
	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/monero"
)

// load is a shop that keeps selling, a customer who keeps paying, and a chain that
// keeps growing, whatever happens to the installation.
type load struct {
	day  *day
	stop context.CancelFunc
	done sync.WaitGroup

	mu   sync.Mutex
	sold []sale
	errs error
	// asked are requests for a page, and unanswered those that got none.
	asked      int
	unanswered []error
}

// sale is a charge that the service has promised, and the signed payment for it.
type sale struct {
	charge clients.Charge
	paid   regtest.Sent
}

const (
	betweenSales  = 8 * time.Second
	betweenBlocks = 3 * time.Second
	// betweenPages is the pause between two requests that check whether the shop answers.
	betweenPages = 200 * time.Millisecond
	// oneAnswer is how long the shop waits for an answer.
	oneAnswer = 20 * time.Second
)

// sell starts the load. While a part is down, an action that fails is either tried
// later or promised nothing.
func (d *day) sell(ctx context.Context) *load {
	running, stop := context.WithCancel(ctx)
	l := &load{day: d, stop: stop}
	l.done.Go(func() {
		l.each(running, betweenBlocks, func(ctx context.Context) error { return d.chains.Chain.Mine(ctx, 1) })
	})
	l.done.Go(func() { l.each(running, betweenSales, func(context.Context) error { return l.one(ctx) }) })
	l.done.Go(func() { l.each(running, betweenPages, func(context.Context) error { return l.ask(ctx) }) })
	return l
}

// each repeats something until the load ends.
func (l *load) each(ctx context.Context, pause time.Duration, do func(context.Context) error) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// Fails as long as something is down.
			_ = do(ctx)
		}
	}
}

// ask asks the API through the container that speaks TLS, as a browser does.
func (l *load) ask(ctx context.Context) error {
	answer, cancel := context.WithTimeout(ctx, oneAnswer)
	defer cancel()
	err := l.day.page(answer, l.day.client, publicURL+"/livez", "")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	if err != nil {
		l.unanswered = append(l.unanswered, err)
	}
	return err
}

// alwaysAnswered is an error if one request got no answer. It is asked for after
// settle.
func (l *load) alwaysAnswered() error {
	if len(l.unanswered) > 0 {
		return fmt.Errorf("%d of %d requests got no answer, the first: %w", len(l.unanswered), l.asked, l.unanswered[0])
	}
	fixture.Sayf("each of %d requests got its answer", l.asked)
	return nil
}

// one sells and pays. The payment is signed once and handed to the daemon until
// it is known there.
func (l *load) one(ctx context.Context) error {
	answer, cancel := context.WithTimeout(ctx, oneAnswer)
	defer cancel()
	charge, err := l.day.shop.Sell(answer, "0.02")
	if err != nil {
		return err // nothing was promised
	}
	var paid regtest.Sent
	err = until(ctx, "the payment is signed", func() (bool, error) {
		var err error
		paid, err = l.day.chains.Customer.Sign(ctx, fixture.Outputs(charge)...)
		return err == nil, nil
	})
	if err == nil {
		err = until(ctx, "the payment is sent", func() (bool, error) {
			_ = l.day.chains.Chain.Send(ctx, paid.Blob) // it may be there already
			found, err := l.day.chains.Chain.Where(ctx, paid.Hash)
			return err == nil && found.State != monero.Missed, nil
		})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sold = append(l.sold, sale{charge, paid})
	l.errs = errors.Join(l.errs, err)
	return err
}

// settle ends the load and waits until everything that was paid is confirmed;
// then it sweeps, and compares the books with the chain.
func (l *load) settle(ctx context.Context) error {
	l.stop()
	l.done.Wait()
	if l.errs != nil {
		return l.errs
	}
	hashes := make([]string, 0, len(l.sold))
	for _, s := range l.sold {
		hashes = append(hashes, s.paid.Hash)
	}
	if err := errors.Join(l.day.chains.Chain.MineAll(ctx, hashes...), l.day.chains.Chain.Mine(ctx, 2*fixture.UnlockBlocks)); err != nil {
		return err
	}
	for _, s := range l.sold {
		if err := l.day.confirmedOnce(ctx, s); err != nil {
			return err
		}
	}
	fixture.Sayf("%d charges were sold meanwhile, and each is confirmed, told and paid once; %d of %d requests got no answer", len(l.sold), len(l.unanswered), l.asked)
	return l.day.sweepAll(ctx)
}

// confirmedOnce waits for a charge's events and compares the charge with the
// payment that was sent.
func (d *day) confirmedOnce(ctx context.Context, s sale) error {
	if err := d.heard(ctx, "charge.confirmed", s.charge.ID); err != nil {
		return err
	}
	now, err := d.shop.Charge(ctx, s.charge.ID)
	if err != nil {
		return err
	}
	// A name counts once: an event that arrived twice was redelivered.
	names := map[string]bool{}
	for _, q := range d.shop.Hooks.Requests() {
		if q.Event.ID == s.charge.ID {
			names[q.Event.Name] = true
		}
	}
	var events []string
	for name := range names {
		events = append(events, name)
	}
	faults := books.Charge(now, events, s.charge.AmountXMR)
	return fixture.Check(len(faults) == 0 && now.Status == "confirmed", "charge %s is %s: %v", now.ID, now.Status, faults)
}

// sweepAll pays out the available balance, and compares all payouts with the chain.
func (d *day) sweepAll(ctx context.Context) error {
	unlocking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := d.shop.Unlocked(unlocking, 1); err != nil {
		return err
	}
	sweep, err := d.shop.Sweep(ctx)
	if err != nil {
		return err
	}
	if err := d.chains.Bury(ctx, fixture.Monero, *sweep.TxHash, fixture.UnlockBlocks+1); err != nil {
		return err
	}
	return d.paidOut(ctx)
}

// paidOut waits until every payout is confirmed and compares them with the chain.
func (d *day) paidOut(ctx context.Context) error {
	var payouts []clients.Payout
	err := until(ctx, "every payout is confirmed", func() (bool, error) {
		var err error
		payouts, err = d.shop.Payouts(ctx)
		for _, p := range payouts {
			if p.Status != "confirmed" {
				return false, err
			}
		}
		return true, err
	})
	if err != nil {
		return err
	}
	receipts, err := d.shop.Wallet.Receipts(ctx)
	if err != nil {
		return err
	}
	faults := books.PaidOutTo(payouts, receipts)
	fixture.Sayf("%d payouts are on the chain as they are in the books", len(payouts))
	if len(faults) > 0 {
		return fmt.Errorf("the books do not agree with the chain: %v", faults)
	}
	return nil
}
