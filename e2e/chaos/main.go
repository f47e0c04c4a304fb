// Command chaos disturbs a stack of its own while customers pay, merchants sweep and refund,
// and traders swap both ways. Then it counts the disagreements between the services'
// promises, the actions of customers, both chains and the statements of the services.
//
// Parts are killed or hang for up to 90 seconds, several at once. A merchant's receiver
// refuses. Clocks of services are wrong by up to ten minutes. Runs are terminated,
// cancelled and reset. Backups and migrations run, and a worker with another build ID
// takes over. The table of disturbances is in disturbance.go.
//
// Two sorts of assertions are counted. "Always none" are faults: any count but zero is a
// failure. "Sometimes" are dangerous places, such as a worker that is away between
// storing a transaction and relaying it. Most rounds wait for such a place and begin
// there. A run of half an hour or more fails for a place that it never reached; a
// shorter one names it.
//
// With -away postgres,temporal=10m the run has one disturbance in place of all of these: the
// parts are killed together in the middle, and start again after that time.
//
// A seed determines the disturbances and the actions of customers; the machine
// determines when a process is ready again. After the given minutes chaos begins and
// disturbs nothing more. The chains continue, and it counts until all counts are zero
// or the quiet has lasted long.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

var (
	// errFaults is returned when a count is not zero.
	errFaults = errors.New("the books do not agree")
	// errNeverReached is returned when a long run did not reach all dangerous places.
	errNeverReached = errors.New("dangerous places were never reached")
)

// longRun is from how many minutes on a run must have reached every place.
const longRun = 30

func main() {
	os.Exit(fixture.Main("chaos", func(ctx context.Context) error { return run(ctx, os.Args[1:]) }))
}

type options struct {
	minutes float64
	seed    uint64
	quiet   time.Duration
	dir     string
	away    outage
}

func parse(args []string) (options, error) {
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	o := options{}
	flags.Float64Var(&o.minutes, "minutes", 15, "how long the stack is disturbed")
	flags.Uint64Var(&o.seed, "seed", 7, "what the choices are drawn from")
	flags.DurationVar(&o.quiet, "quiet", 20*time.Minute, "how long the counts may take to become zero")
	flags.StringVar(&o.dir, "keep", "", "`directory` for the stack, kept afterwards with its logs")
	flags.Func("away", "`parts=duration` of one outage in place of all else: postgres,temporal=10m", func(text string) (err error) {
		o.away, err = parseOutage(text)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.minutes <= 0 || flags.NArg() > 0 {
		return o, errors.New("chaos -minutes M -seed S [-quiet D] [-keep DIR] [-away PARTS=D]")
	}
	if o.away.length().Minutes() >= o.minutes {
		return o, errors.New("-minutes must be longer than -away")
	}
	return o, nil
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	w, err := openTestbed(ctx, o)
	if w != nil {
		defer func() {
			if err := w.Stop(err != nil || o.dir != ""); err != nil {
				fixture.Reportf("stopping the stack: %v", err)
			}
			if w.temporal != nil {
				w.temporal.Close()
			}
		}()
	}
	if err != nil {
		return err
	}
	err = fixture.Try(func() { trial(ctx, w, o) })
	return err
}

func trial(ctx context.Context, w *testbed, o options) {
	begun := time.Now()
	t := newTally()
	w.disturb(ctx, o, t)
	fixture.Reportf("nothing is disturbed any more after %s; waiting for quiet", time.Since(begun).Round(time.Second))
	quiet := time.Now()
	faults := w.settle(ctx, o.quiet, t)
	returned := quiet
	if restarted := w.restarted(); restarted.After(returned) {
		returned = restarted
	}
	lasting, took := w.lasting(ctx, returned)
	faults = append(faults, lasting...)
	fmt.Print(t.table(w.places.counts(), faults))
	fmt.Printf("\n%g minutes with the seed %d, %s until all due news was told, and %s until it was quiet\n",
		o.minutes, o.seed, took.Round(time.Second), time.Since(quiet).Round(time.Second))
	for _, f := range faults {
		fmt.Println(f)
	}
	var never []string
	if len(o.away) == 0 {
		never = w.places.never()
	}
	for _, name := range never {
		fmt.Println("never reached:", name)
	}
	fixture.Do(verdict(o.minutes, faults, never))
}

// verdict returns an error unless a run passed. A short run need not have reached every place.
func verdict(minutes float64, faults []fixture.Fault, never []string) error {
	var err error
	if len(faults) > 0 {
		err = errFaults
	}
	if minutes >= longRun && len(never) > 0 {
		err = errors.Join(err, errNeverReached)
	}
	return err
}

// endedByItself is the kind of a part that ended without being killed.
const endedByItself = "ended by itself:"

type tally struct {
	mu sync.Mutex
	// disturbances are counted by the text of each.
	disturbances map[string]int
	// done are the charges, payments and so on, by name.
	done map[string]int
}

func newTally() *tally { return &tally{disturbances: map[string]int{}, done: map[string]int{}} }

func (t *tally) disturbed(x disturbance) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.disturbances[x.String()]++
}

func (t *tally) did(what string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[what] = n
}

func (t *tally) table(reached map[string]int, faults []fixture.Fault) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out strings.Builder
	line := func(what string, n int) { fmt.Fprintf(&out, "| %-60s | %6d |\n", what, n) }
	head := func(what string) {
		fmt.Fprintf(&out, "\n| %-60s | %6s |\n|%s|%s:|\n", what, "number", strings.Repeat("-", 62), strings.Repeat("-", 7))
	}
	head("done")
	for _, what := range doings() {
		line(what, t.done[what])
	}
	head("disturbances")
	all := 0
	for _, name := range slices.Sorted(maps.Keys(t.disturbances)) {
		line(name, t.disturbances[name])
		all += t.disturbances[name]
	}
	line("all", all)
	head("sometimes")
	for _, at := range dangerous() {
		line(at.name, reached[at.name])
	}
	head("always none")
	for _, kind := range fixture.FaultKinds() {
		n := 0
		for _, f := range faults {
			if f.Kind == kind {
				n++
			}
		}
		line(string(kind), n)
	}
	return out.String()
}

const (
	chargesMade     = "charges promised"
	chargesPaid     = "charges paid"
	sweepsMade      = "payouts of merchants"
	tradesMade      = "trades promised"
	tradesPaid      = "trades with a deposit"
	eventsDelivered = "events of charges and payouts"
	invoiceEvents   = "events in BTCPay's shape"
	tradesFilled    = "trades completed"
	claimsPaid      = "refunds paid to buyers"
)

func doings() []string {
	return []string{chargesMade, chargesPaid, sweepsMade, claimsPaid, tradesMade, tradesPaid, tradesFilled, eventsDelivered, invoiceEvents}
}
