package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

const (
	// restBar is the largest share of calls that may remain with publishers, compared
	// with a worker that has none and polls once a second.
	restBar = 1.0 / 3
	// restCharges are the open charges of the calm measurement.
	restCharges = 10
)

// calmRest counts the calls with few open charges, and those of the same worker without
// the daemon's publisher: it looks once a second, as every worker did before.
func (b *bench) calmRest(ctx context.Context) {
	fixture.Do(repeat(ctx, 1, restCharges, b.crowd.post))
	b.testbed.awaitHeard(ctx)
	b.calm.rest = b.testbed.callsPerMinute(ctx, b.sizes.rest)
	b.calm.restBefore = b.deafCalls(ctx)
	b.addRest(restCharges, b.calm.rest, "")
}

// deafCalls are the calls a minute while no daemon tells the worker anything.
func (b *bench) deafCalls(ctx context.Context) resting {
	w := b.testbed
	w.env["MONEROD_ZMQ_ADDRESS"] = ""
	w.upAgain(ctx)
	calls := w.callsPerMinute(ctx, b.sizes.rest)
	delete(w.env, "MONEROD_ZMQ_ADDRESS")
	w.upAgain(ctx)
	return calls
}

func (b *bench) crowdedRest(ctx context.Context) {
	b.testbed.awaitHeard(ctx)
	calls := b.testbed.callsPerMinute(ctx, b.sizes.rest)
	if b.calm.restBefore.perMinute == 0 {
		b.calm.restBefore = b.deafCalls(ctx)
	}
	also := ""
	if b.calm.rest.perMinute > 0 {
		also = fmt.Sprintf("; with %d open: %.0f", restCharges, b.calm.rest.perMinute)
	}
	b.addRest(b.sizes.open, calls, also)
}

func (b *bench) addRest(open int, calls resting, also string) {
	ratio := calls.perMinute / b.calm.restBefore.perMinute
	b.table.add(row{
		measure: fmt.Sprintf("wallet and daemon RPC calls a minute at rest, %s open", thousands(open)),
		value:   calls.String(), reference: "looking once a second: " + b.calm.restBefore.String() + also,
		ratio: ratioText(ratio), bar: "≤ a third", met: ratio <= restBar,
	})
}

// settling is until what a part does after its start is done.
const settling = 15 * time.Second

// resting are calls a minute.
type resting struct {
	perMinute float64
	// of says how many of them are of what.
	of string
}

// String has the sum and its parts.
func (r resting) String() string { return fmt.Sprintf("%.0f (%s)", r.perMinute, r.of) }

// callsPerMinute listens to the wallets and daemons while nothing happens.
func (w *testbed) callsPerMinute(ctx context.Context, during time.Duration) resting {
	fixture.Do(fixture.Pause(ctx, settling))
	before, begun := w.calls(), time.Now()
	fixture.Do(fixture.Pause(ctx, during))
	var r resting
	var parts []string
	for i, calls := range w.calls() {
		each := float64(calls-before[i]) / time.Since(begun).Minutes()
		r.perMinute += each
		parts = append(parts, fmt.Sprintf("%s %.0f", w.counters[i].name, each))
	}
	r.of = strings.Join(parts, ", ")
	return r
}

func (w *testbed) calls() []int64 {
	all := make([]int64, len(w.counters))
	for i, c := range w.counters {
		all[i] = c.calls.Load()
	}
	return all
}

// awaitHeard has the worker see a payment that the daemon's publisher announced: until
// then the worker does not rely on the publisher. It then confirms the payment.
func (w *testbed) awaitHeard(ctx context.Context) {
	s := w.openShop(ctx, []string{"charge.pending", "charge.confirmed"}, paymentPath)
	charges := s.charges(ctx, 1)
	tx := s.sign(ctx, charges)
	s.after(ctx, 0, "charge.pending", charges, func() error { return w.broadcast(ctx, tx) })
	s.after(ctx, 0, "charge.confirmed", charges, func() error { return w.Chain.Mine(ctx, confirmingBlocks) })
}

const memoryBar = 200

func (b *bench) memory(context.Context) {
	env := b.testbed.Stack.Env()
	for _, part := range []struct{ name, key string }{
		{"merchant API", "PID_MERCHANT_API"}, {"worker", "PID_WORKER"},
	} {
		mib := resident(env[part.key])
		b.table.add(row{
			measure: fmt.Sprintf("memory of the %s, %s open", part.name, thousands(b.sizes.open)),
			value:   fmt.Sprintf("%d MiB", mib), bar: fmt.Sprintf("≤ %d MiB", memoryBar), met: mib <= memoryBar,
		})
	}
}

func resident(pid string) int {
	for line := range strings.Lines(string(fixture.Must(os.ReadFile("/proc/" + pid + "/status")))) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			return fixture.Must(strconv.Atoi(fields[1])) / 1024
		}
	}
	fixture.Failf("process %s has no VmRSS", pid)
	return 0
}
