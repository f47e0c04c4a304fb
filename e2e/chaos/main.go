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

// errFaults says that a count is not zero.
var errFaults = errors.New("the books do not agree")

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
	flags.Float64Var(&o.minutes, "minutes", 15, "how long processes are killed")
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
		}()
	}
	if err != nil {
		return err
	}
	err = trial(ctx, w, o)
	return err
}

// trial kills for the given time and counts what it has done.
func trial(ctx context.Context, w *testbed, o options) error {
	begun := time.Now()
	t := newTally()
	if err := w.disturb(ctx, o, t); err != nil {
		return err
	}
	fixture.Tellf("no more kills after %s; waiting for quiet", time.Since(begun).Round(time.Second))
	quiet := time.Now()
	faults, err := w.settle(ctx, o.quiet, t)
	if err != nil {
		return err
	}
	fmt.Print(t.table(faults))
	fmt.Printf("\n%g minutes with the seed %d, and %s until it was quiet\n", o.minutes, o.seed, time.Since(quiet).Round(time.Second))
	for _, f := range faults {
		fmt.Println(f)
	}
	if len(faults) > 0 {
		return errFaults
	}
	return nil
}
