//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
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
	paid   fixture.Sent
}

const (
	betweenSales  = 8 * time.Second
	betweenBlocks = 3 * time.Second
	// betweenPages is the pause between two requests that check whether the shop answers.
	betweenPages = 200 * time.Millisecond
	// answerTimeout is how long the shop waits for an answer.
	answerTimeout = 20 * time.Second
)

// selling does something to the installation under a load, and then settles the load in
// any case. While a part is down, an action that fails is either tried later or promised
// nothing.
func (d *day) selling(ctx context.Context, do func()) *load {
	running, stop := context.WithCancel(ctx)
	l := &load{day: d, stop: stop}
	l.each(running, betweenBlocks, func() { fixture.Do(d.chains.Chain.Mine(running, 1)) })
	l.each(running, betweenSales, func() { l.sellAndPay(ctx) })
	l.each(running, betweenPages, func() { l.ask(ctx) })
	fixture.Finally(do, func() error { return fixture.Try(func() { l.settle(ctx) }) })
	return l
}

// each repeats something until the load ends.
func (l *load) each(ctx context.Context, pause time.Duration, do func()) {
	l.done.Go(func() {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = fixture.Try(do) // fails as long as something is down
			}
		}
	})
}

// ask asks the API through the container that speaks TLS, as a browser does.
func (l *load) ask(ctx context.Context) {
	answer, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	err := fixture.Try(func() { l.day.page(answer, l.day.client, publicURL+"/livez", "") })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	if err != nil {
		l.unanswered = append(l.unanswered, err)
	}
}

// alwaysAnswered ends the step if one request got no answer. It is asked for after
// settle.
func (l *load) alwaysAnswered() {
	if len(l.unanswered) > 0 {
		fixture.Failf("%d of %d requests got no answer, the first: %w", len(l.unanswered), l.asked, l.unanswered[0])
	}
	fixture.Sayf("each of %d requests got its answer", l.asked)
}

// sellAndPay sells and pays. The payment is signed once and handed to the daemon until
// it is known there.
func (l *load) sellAndPay(ctx context.Context) {
	answer, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	charge := fixture.Must(l.day.shop.Sell(answer, "0.02")) // an error promises nothing
	var paid fixture.Sent
	failed := fixture.Try(func() {
		until(ctx, "the payment is signed", func() bool {
			var err error
			paid, err = l.day.chains.Customer.Sign(ctx, fixture.Outputs(charge)...)
			return err == nil
		})
		until(ctx, "the payment is sent", func() bool {
			_ = l.day.chains.Chain.Send(ctx, paid.Blob) // it may be there already
			found, err := l.day.chains.Chain.Where(ctx, paid.Hash)
			return err == nil && found.State != monero.Missed
		})
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sold = append(l.sold, sale{charge, paid})
	l.errs = errors.Join(l.errs, failed)
}

// settle ends the load and waits until everything that was paid is confirmed;
// then it sweeps, and compares the books with the chain.
func (l *load) settle(ctx context.Context) {
	l.stop()
	l.done.Wait()
	fixture.Do(l.errs)
	hashes := make([]string, 0, len(l.sold))
	for _, s := range l.sold {
		hashes = append(hashes, s.paid.Hash)
	}
	fixture.Do(errors.Join(l.day.chains.Chain.MineAll(ctx, hashes...), l.day.chains.Chain.Mine(ctx, 2*fixture.UnlockBlocks)))
	for _, s := range l.sold {
		l.day.confirmedOnce(ctx, s)
	}
	fixture.Sayf("%d charges were sold meanwhile, and each is confirmed, told and paid once; %d of %d requests got no answer", len(l.sold), len(l.unanswered), l.asked)
	l.day.sweepAll(ctx)
}

// confirmedOnce waits for a charge's events and compares the charge with the
// payment that was sent.
func (d *day) confirmedOnce(ctx context.Context, s sale) {
	d.awaitEvent(ctx, "charge.confirmed", s.charge.ID)
	now := fixture.Must(d.shop.Charge(ctx, s.charge.ID))
	// A name counts once: an event that arrived twice was redelivered.
	names := map[string]bool{}
	for _, q := range d.shop.Hooks.Requests() {
		if q.Event.ID == s.charge.ID {
			names[q.Event.Name] = true
		}
	}
	faults := fixture.ChargeFaults(now, slices.Collect(maps.Keys(names)), s.charge.AmountXMR)
	fixture.Requiref(len(faults) == 0 && now.Status == "confirmed", "charge %s is %s: %v", now.ID, now.Status, faults)
}

func (d *day) sweepAll(ctx context.Context) {
	unlocking, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	fixture.Must(d.shop.Unlocked(unlocking, 1))
	sweep := fixture.Must(d.shop.Sweep(ctx))
	fixture.Do(d.chains.Bury(ctx, fixture.Monero, *sweep.TxHash, fixture.UnlockBlocks+1))
	d.paidOut(ctx)
}

// paidOut waits until every payout is confirmed and compares them with the chain.
func (d *day) paidOut(ctx context.Context) {
	var payouts []clients.Payout
	until(ctx, "every payout is confirmed", func() bool {
		payouts = fixture.Must(d.shop.Payouts(ctx))
		return !slices.ContainsFunc(payouts, func(p clients.Payout) bool { return p.Status != "confirmed" })
	})
	faults := fixture.PaidOutTo(payouts, fixture.Must(d.shop.Wallet.Receipts(ctx)))
	fixture.Sayf("%d payouts are on the chain as they are in the books", len(payouts))
	fixture.Requiref(len(faults) == 0, "the books do not agree with the chain: %v", faults)
}

// people lets a merchant sign up with an invite, and with no other.
func (d *day) people(ctx context.Context) {
	var invite struct {
		Token string `json:"invite"`
	}
	d.site.admin(ctx, &invite, "invite", "create")
	d.shop = &fixture.Shop{Merchant: &clients.Merchant{BaseURL: publicURL, HTTP: d.client}, Password: rand.Text()}
	if _, err := d.shop.SignUp(ctx, "stranger@example.com", d.shop.Password, "Stranger", ""); clients.Status(err) != http.StatusForbidden {
		fixture.Failf("a stranger's sign-up should be refused with 403: %w", err)
	}
	fixture.Must(d.shop.SignUp(ctx, shopEmail, d.shop.Password, "Shop", invite.Token))
	fixture.Sayf("nobody opens an account without an invite; a merchant has opened one")
	d.openHooks(ctx)
}

// openHooks lets the merchant listen where the installation's containers reach
// this machine: at the address of the one network that has a fixed one.
func (d *day) openHooks(ctx context.Context) {
	hooks := fixture.Must(fixture.StartReceiver())
	d.shop.Hooks, d.chains.Hooks = hooks, hooks
	gateway := d.site.gateway(ctx, "edge")
	local := strings.TrimPrefix(hooks.URL(""), "http://")
	address := d.tunnel(ctx, net.JoinHostPort(gateway, "0"), func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", local)
	})
	d.shop.Webhook = fixture.Must(d.shop.CreateWebhook(ctx, "http://"+address+"/events", clients.AllEvents()...))
}

func (d *day) checkEvent(ctx context.Context, event, id string) {
	d.awaitEvent(ctx, event, id)
	fixture.Sayf("the webhook %s arrived", event)
}

// awaitEvent waits for an event and verifies its signature.
func (d *day) awaitEvent(ctx context.Context, event, id string) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	fixture.Must(d.shop.AwaitEvent(ctx, event, id))
}

// charge takes a payment from the request to the event that it can be counted on.
func (d *day) charge(ctx context.Context) {
	d.paid = fixture.Must(d.shop.CreateCharge(ctx, clients.NewCharge{Amount: money.MustDecimal("12.34"), Currency: "USD"}))
	fixture.Sayf("charge %s asks for %s XMR at %s", d.paid.ID, d.paid.AmountXMR, d.paid.PaymentURL)
	d.page(ctx, d.client, d.paid.PaymentURL, d.paid.Subaddress)
	sent := fixture.Must(d.chains.Customer.Pay(ctx, fixture.Outputs(d.paid)...))
	d.checkEvent(ctx, "charge.pending", d.paid.ID)
	fixture.Do(d.chains.Bury(ctx, fixture.Monero, sent.Hash, d.paid.ConfirmationsRequired+1))
	d.checkEvent(ctx, "charge.confirmed", d.paid.ID)
}

// payout sweeps the balance, and checks where the money arrives.
func (d *day) payout(ctx context.Context) {
	fixture.Do(d.shop.PayOutTo(ctx, d.chains.Customer))
	d.sweepAll(ctx)
	p := fixture.Must(d.shop.Payouts(ctx))[0]
	gross := fixture.Must(money.Sum(p.AmountXMR, p.FeeXMR, p.NetworkFeeXMR))
	fixture.Sayf("payout %s: %s XMR, and %s XMR to the chain", p.PayoutID, p.AmountXMR, p.NetworkFeeXMR)
	fixture.Requiref(gross == d.paid.AmountXMR, "this is not what was paid")
	d.checkEvent(ctx, "payout.sent", p.PayoutID)
}
