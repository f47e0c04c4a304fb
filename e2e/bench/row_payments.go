package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

const (
	pendingBar   = 500 * time.Millisecond
	confirmedBar = 700 * time.Millisecond
	// sameBar is how much slower "no slower" may be measured to be.
	sameBar     = 1.10
	paymentPath = "/payments"
)

// waits are the times from the chain to the receiver.
type waits struct{ pending, confirmed []time.Duration }

func (b *bench) calmPayments(ctx context.Context) {
	b.calm.payments = b.watchPayments(ctx)
	b.addWaits(pendingRow, 0, pendingBar, b.calm.payments.pending, nil)
	b.addWaits(confirmedRow, 0, confirmedBar, b.calm.payments.confirmed, nil)
}

func (b *bench) crowdedPayments(ctx context.Context) {
	w := b.watchPayments(ctx)
	b.addWaits(pendingRow, b.sizes.open, pendingBar, w.pending, b.calm.payments.pending)
	b.addWaits(confirmedRow, b.sizes.open, confirmedBar, w.confirmed, b.calm.payments.confirmed)
}

const (
	pendingRow   = "payment in the pool → charge.pending"
	confirmedRow = "block → charge.confirmed"
)

// paymentSets is how many parts the payments are taken in, one after the other, where
// those of two runs are compared: the middle part decides, so that one moment in which
// the machine is busy with something else does not.
const paymentSets = 3

func (b *bench) addWaits(what string, open int, bar time.Duration, samples, calm []time.Duration) {
	p99 := func(part []time.Duration) time.Duration { return percentile(part, 99) }
	r := p99Row(fmt.Sprintf("%s, %s others open", what, thousands(open)), samples, bar)
	if len(calm) > 0 {
		ratio := quotient(middleOf(samples, paymentSets, p99), middleOf(calm, paymentSets, p99))
		half := quotient(percentile(samples, 50), percentile(calm, 50))
		r.reference = "with 0: " + spread(calm)
		r.ratio = fmt.Sprintf("%s (p99, the middle of %d parts), %s (p50)", ratioText(ratio), paymentSets, ratioText(half))
		r.bar += fmt.Sprintf(", both ≤ %.1f times", sameBar)
		r.met = r.met && max(ratio, half) <= sameBar
	}
	b.table.add(r)
}

// watchPayments pays charges and takes the time to the receiver. Each round sends one
// payment and mines one block, which confirms the payment of the earlier round. The time
// begins once the daemon has the block; watchPayments reports the time of mining separately.
func (b *bench) watchPayments(ctx context.Context) waits {
	s := b.testbed.openShop(ctx, []string{"charge.pending", "charge.confirmed"}, paymentPath)
	var all waits
	var before []clients.Charge
	var mining []time.Duration
	mine := func() error {
		begun := time.Now()
		err := b.testbed.Chain.Mine(ctx, 1)
		mining = append(mining, time.Since(begun))
		return err
	}
	for round := range b.sizes.payments {
		charges := s.charges(ctx, b.sizes.perPayment)
		tx := s.sign(ctx, charges)
		all.pending = append(all.pending, s.after(ctx, round, "charge.pending", charges, func() error { return b.testbed.broadcast(ctx, tx) })...)
		for _, one := range s.after(ctx, round, "charge.confirmed", before, mine) {
			all.confirmed = append(all.confirmed, one-mining[round])
		}
		before = charges
	}
	fixture.Reportf("the daemon made a block in %s", spread(mining))
	return all
}

// golden spreads the begins of any number of rounds evenly over a second: its
// multiples, less whole seconds, leave no large gap.
const golden = 618_034 * time.Microsecond

// evenly does something and returns when it began. A watcher without a publisher polls once a
// second, so the delay depends on the moment within the second. The rounds begin at moments that
// are spread evenly, the same for every set of rounds, because random ones differ by more than the
// difference to be measured.
func evenly(ctx context.Context, round int, do func() error) (begun time.Time) {
	moment := golden * time.Duration(round) % time.Second
	now := time.Duration(time.Now().Nanosecond())
	fixture.Do(fixture.Pause(ctx, (moment-now+time.Second)%time.Second))
	begun = time.Now()
	fixture.Do(do())
	return begun
}

// after does something at the moment of its round, and returns how long after
// its begin the event arrived for each charge.
func (s *shop) after(ctx context.Context, round int, name string, charges []clients.Charge, do func() error) []time.Duration {
	begun := evenly(ctx, round, do)
	samples := make([]time.Duration, 0, len(charges))
	for _, c := range charges {
		samples = append(samples, arrived(ctx, s.testbed.Hooks, event(paymentPath, name, c.ID)).Sub(begun))
	}
	return samples
}

const (
	neighbourBar = 2 * time.Second
	// neighbourHooks is how many webhooks an account may have for live events.
	neighbourHooks = 10
	neighbourPath  = "/neighbour"
)

// neighbour takes the time from a charge's creation to its event at one merchant's receiver, while
// another merchant has thousands of events pending: half of its receivers hang, and half refuse.
func (b *bench) neighbour(ctx context.Context) {
	paths := make([]string, neighbourHooks)
	for i := range paths {
		paths[i] = fmt.Sprint("/busy/", i)
		answer := fixture.AnswerStatus(http.StatusInternalServerError)
		if i%2 == 0 {
			answer = fixture.AnswerNothing
		}
		b.testbed.Hooks.Answer(paths[i], answer)
	}
	created := []string{"charge.created"}
	busy := b.testbed.openShop(ctx, nil)
	for _, path := range paths {
		fixture.Must(busy.Subscribe(ctx, clients.NewWebhook{URL: b.testbed.Hooks.URL(path), Events: created, Retries: "long"}))
	}
	s := b.testbed.openShop(ctx, created, neighbourPath)
	calm := s.eventTimes(ctx, b.sizes.timedEvents)
	fixture.Do(repeat(ctx, rushClients, int64(b.sizes.pendingEvents/neighbourHooks), busy.post))
	took := s.eventTimes(ctx, b.sizes.timedEvents)
	remaining := value[int](ctx, b.testbed, `SELECT count(*) FROM deliveries AS d JOIN webhooks AS h ON h.id = d.webhook_id
		WHERE h.merchant_id = $1 AND d.status = 'pending'`, busy.id())
	r := p99Row(fmt.Sprintf("charge made → charge.created, beside a merchant with %s events pending, %s at the end",
		thousands(b.sizes.pendingEvents), thousands(remaining)), took, neighbourBar)
	r.reference, r.ratio = "alone: "+spread(calm), ratioText(quotient(percentile(took, 99), percentile(calm, 99)))
	b.table.add(r)
}

// eventTimes makes charges, one after the other, and returns how long after the request each event came.
func (s *shop) eventTimes(ctx context.Context, n int) []time.Duration {
	samples := make([]time.Duration, n)
	for i := range samples {
		begun := time.Now()
		c := fixture.Must(s.Sell(ctx, price))
		samples[i] = arrived(ctx, s.testbed.Hooks, event(neighbourPath, "charge.created", c.ID)).Sub(begun)
	}
	return samples
}
