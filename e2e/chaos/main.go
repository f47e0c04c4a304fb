package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
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
}

func parse(args []string) (options, error) {
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	o := options{}
	flags.Float64Var(&o.minutes, "minutes", 15, "how long the stack is disturbed")
	flags.Uint64Var(&o.seed, "seed", 7, "what the choices are drawn from")
	flags.DurationVar(&o.quiet, "quiet", 20*time.Minute, "how long the counts may take to become zero")
	flags.StringVar(&o.dir, "keep", "", "`directory` for the stack, kept afterwards with its logs")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.minutes <= 0 || flags.NArg() > 0 {
		return o, errors.New("chaos -minutes M -seed S [-quiet D] [-keep DIR]")
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
				fixture.Tellf("stopping the stack: %v", err)
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

// trial disturbs for the given time and counts what came of it.
func trial(ctx context.Context, w *testbed, o options) {
	begun := time.Now()
	t := newTally()
	w.disturb(ctx, o, t)
	fixture.Tellf("nothing is disturbed any more after %s; waiting for quiet", time.Since(begun).Round(time.Second))
	quiet := time.Now()
	faults := w.settle(ctx, o.quiet, t)
	returned := quiet
	if restarted := w.restarted(); restarted.After(returned) {
		returned = restarted
	}
	lasting, told := w.lasting(ctx, returned)
	faults = append(faults, lasting...)
	fmt.Print(t.table(w.places.counts(), faults))
	fmt.Printf("\n%g minutes with the seed %d, %s until all due news was told, and %s until it was quiet\n",
		o.minutes, o.seed, told.Round(time.Second), time.Since(quiet).Round(time.Second))
	for _, f := range faults {
		fmt.Println(f)
	}
	never := w.places.never()
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
