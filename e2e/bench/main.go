// Command bench measures Durapay on a stack of its own and prints a table: each
// measurement, its reference, and whether it meets its bar. A rate is always
// compared with a reference taken in the same run on the same machine, in turns, so
// that a slow or busy machine slows both.
//
//	go run ./e2e/bench              every row, in 50 minutes at most
//	go run ./e2e/bench -quick       smaller numbers, to see that it works
//	go run ./e2e/bench -run sweep   some rows; an unknown name lists all
//	go run ./e2e/bench -open 20000 -among 1000000
//
// Rows are measured one after the other, in stages: each has a stack of its own. Rows
// that do not fit into the time are left out and named.
//
// A missed bar ends with status 1 only with -strict. Timings belong here: no
// test asserts one.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/e2e/fixture"
)

// errMissed is returned when a row missed its bar.
var errMissed = errors.New("a bar was missed")

// wholeRun bounds everything together, unless another limit is given.
const wholeRun = 50 * time.Minute

func main() {
	os.Exit(fixture.Main("bench", func(ctx context.Context) error { return run(ctx, os.Args[1:]) }))
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == childCommand {
		return runChild(ctx, args[1:])
	}
	o, err := parse(args)
	if err != nil {
		return err
	}
	kind, err := programs.ChosenTemporal()
	if err != nil {
		return err
	}
	begun := time.Now()
	b := &bench{options: o, sizes: o.sizes(), end: begun.Add(o.limit)}
	ctx, cancel := context.WithDeadline(ctx, b.end)
	defer cancel()
	// After a measurement fails, the rest are still made.
	var failures []error
	for _, s := range stages(b.sizes) {
		failures = append(failures, b.stage(ctx, s))
	}
	err = errors.Join(failures...)
	fmt.Fprint(os.Stdout, b.table.String())
	fmt.Printf("\n%d cores, %s; Temporal: %s; the whole run took %s\n", runtime.NumCPU(), runtime.GOARCH, kind, time.Since(begun).Round(time.Second))
	if len(b.skipped) > 0 {
		fmt.Printf("Left out, since the run would have taken more than %s: %s\n", o.limit, strings.Join(b.skipped, ", "))
	}
	if err == nil && o.strict && b.table.missed() {
		return errMissed
	}
	return err
}

type options struct {
	rows map[string]bool
	// fresh is set when what an earlier run has kept is not used.
	quick, strict, fresh bool
	dir                  string
	limit                time.Duration
	// open and among are those of the sizes; 0 for those of the other options.
	open, among int
	// away and sold are those of the outage; 0 for those of the other options.
	away time.Duration
	sold int
}

func (o options) sizes() sizes {
	s := fullSizes()
	if o.quick {
		s = quickSizes()
	}
	s.open = cmp.Or(max(o.open, 0), s.open)
	s.outage = cmp.Or(max(o.away, 0), s.outage)
	s.sold = cmp.Or(max(o.sold, 0), s.sold)
	s.among = max(cmp.Or(max(o.among, 0), s.among), 2*s.few)
	return s
}

func parse(args []string) (options, error) {
	o := options{rows: map[string]bool{}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.BoolVar(&o.quick, "quick", false, "smaller numbers")
	flags.BoolVar(&o.strict, "strict", false, "a missed bar is a failure")
	flags.BoolVar(&o.fresh, "fresh", false, "open the other charges anew instead of taking those that an earlier run has kept")
	chosen := flags.String("run", "", "comma-separated `rows`; all when empty")
	flags.IntVar(&o.open, "open", 0, "other open `charges`; 100,000, or less with -quick")
	flags.IntVar(&o.among, "among", 0, "`charges` among which lists are read; 10,000,000, or less with -quick")
	flags.DurationVar(&o.away, "away", 0, "`time` for which Temporal is away; two minutes, or less with -quick")
	flags.IntVar(&o.sold, "per-second", 0, "`charges` made a second while Temporal is away; 20 when 0")
	flags.DurationVar(&o.limit, "limit", wholeRun, "the whole run's longest `time`: what does not fit is left out")
	flags.StringVar(&o.dir, "keep", "", "`directory` for the stacks, kept afterwards with their logs")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	for _, name := range names() {
		o.rows[name] = *chosen == ""
	}
	for _, name := range strings.FieldsFunc(*chosen, func(r rune) bool { return r == ',' }) {
		if _, known := o.rows[name]; !known {
			return options{}, fmt.Errorf("unknown row %q; there are %s", name, strings.Join(names(), ", "))
		}
		o.rows[name] = true
	}
	return o, nil
}

// step is one measurement. Those of a name are chosen together.
type step struct {
	name string
	do   func(*bench, context.Context)
	// takes is about how long it takes at full size on two quiet processors. A step
	// that does not fit into the run any more is left out.
	takes time.Duration
	// addresses is how many addresses of a stack it needs; nil for none.
	addresses func(sizes) int
	// neededBy are the rows for which it is made when it is not chosen itself.
	neededBy []string
}

// stage is a stack and its measurements, in this order.
type stage struct {
	name  string
	open  func(*bench, context.Context, string, int)
	steps []step
}

// stages are in the order in which they are made. On each stack the first steps are
// those that need few open charges. Only how long one takes depends on the sizes.
func stages(s sizes) []stage {
	return []stage{
		{"merchants", (*bench).openMerchants, []step{
			{"payments", (*bench).calmPayments, 2 * time.Minute, func(s sizes) int { return s.payments * s.perPayment }, nil},
			{"rest", (*bench).calmRest, 2 * time.Minute, nil, nil},
			{"transitions", (*bench).transitions, 20 * time.Second, nil, nil},
			{"public", (*bench).publicReads, 30 * time.Second, nil, nil},
			{"charges", (*bench).chargeRates, 5 * time.Minute, sizes.rateAddresses, nil},
			{"supply", (*bench).supply, 2 * time.Minute, nil, nil},
			{"burst", (*bench).burst, 3 * time.Minute, func(s sizes) int { return s.rush }, nil},
			{"neighbour", (*bench).neighbour, 2 * time.Minute, func(s sizes) int { return s.pendingEvents/neighbourHooks + s.timedEvents }, nil},
			{"outage", (*bench).outage, time.Minute + s.outage, sizes.outageAddresses, nil},
			{"sweep", (*bench).sweep, 3 * time.Minute, func(s sizes) int { return sweepRounds * s.sweep }, nil},
		}},
		{"exchange", (*bench).openExchange, []step{
			{"deposits", (*bench).deposits, 4 * time.Minute, func(s sizes) int { return s.deposits * perDeposit }, nil},
			{"trade-rest", (*bench).tradeRest, 2 * time.Minute, nil, nil},
			{"quotes", (*bench).quotes, 30 * time.Second, nil, nil},
			{"trades", (*bench).tradeRates, 2 * time.Minute, sizes.tradeAddresses, nil},
		}},
		{"books", (*bench).openMerchants, []step{
			{"lists", (*bench).lists, 6 * time.Minute, nil, []string{"desk"}},
			{"desk", (*bench).desk, time.Minute, nil, nil},
		}},
		{"crowd", (*bench).openCrowd, []step{
			{"payments", (*bench).crowdedPayments, 2 * time.Minute, func(s sizes) int { return s.payments * s.perPayment }, nil},
			{"rest", (*bench).crowdedRest, time.Minute, nil, nil},
			{"memory", (*bench).memory, time.Second, nil, nil},
		}},
	}
}

func names() []string {
	var list []string
	for _, stage := range stages(sizes{}) {
		for _, s := range stage.steps {
			if !slices.Contains(list, s.name) {
				list = append(list, s.name)
			}
		}
	}
	return list
}

// sizes are how much of everything is measured.
type sizes struct {
	// open is the number of other open charges in the crowded measurements.
	open int
	// deposits is how many transactions pay for trades, on each chain.
	deposits int
	// slice is how long one turn of a rate lasts; rounds how many turns each
	// side gets.
	slice  time.Duration
	rounds int
	// payments is how many transactions are watched, perPayment how many
	// charges each of them pays.
	payments, perPayment int
	// rest is how long the wallets are listened to.
	rest time.Duration
	// sweep is the number of outputs in the sweep.
	sweep int
	// rush is how many charges are made at once.
	rush int
	// supply is how many are made with the addresses of a default pool.
	supply int
	// pendingEvents is how many events another merchant has pending, timedEvents how many are timed meanwhile.
	pendingEvents, timedEvents int
	// outage is how long Temporal is away, sold how many charges are made a second meanwhile.
	outage time.Duration
	sold   int
	// few is how many charges the shop has whose lists are read first; among is how
	// many all shops have afterwards.
	few, among int
	// reads is how many lists and lookups are timed, and pages of the desk pageReads
	// times each.
	reads, pageReads int
}

func fullSizes() sizes {
	return sizes{
		open: 100_000, slice: 3 * time.Second, rounds: 3, payments: 36, perPayment: 5,
		rest: 40 * time.Second, sweep: 146, rush: 5_000, supply: 10_000, pendingEvents: 6_000, timedEvents: 50, outage: 2 * time.Minute, sold: 20,
		few: 10_000, among: 10_000_000, reads: 300, pageReads: 150, deposits: 30,
	}
}

func quickSizes() sizes {
	return sizes{
		open: 300, slice: time.Second, rounds: 3, payments: 6, perPayment: 2,
		rest: 15 * time.Second, sweep: 20, rush: 300, supply: 3_000, pendingEvents: 600, timedEvents: 20, outage: 10 * time.Second, sold: 20,
		few: 1_000, among: 60_000, reads: 60, pageReads: 100, deposits: 4,
	}
}
