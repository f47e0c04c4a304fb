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
	for _, s := range stages() {
		failures = append(failures, b.stage(ctx, s))
	}
	err = errors.Join(failures...)
	fmt.Fprint(os.Stdout, b.table.String())
	fmt.Printf("\n%d cores, %s; Temporal: %s; the whole run took %s\n", runtime.NumCPU(), runtime.GOARCH, kind, time.Since(begun).Round(time.Second))
	if len(b.left) > 0 {
		fmt.Printf("Left out, since the run would have taken more than %s: %s\n", o.limit, strings.Join(b.left, ", "))
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
}

func (o options) sizes() sizes {
	s := fullSizes()
	if o.quick {
		s = quickSizes()
	}
	s.open = cmp.Or(max(o.open, 0), s.open)
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
