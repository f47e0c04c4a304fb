package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// errMissed says that a row missed its bar.
var errMissed = errors.New("a bar was missed")

// wholeRun bounds everything together.
const wholeRun = 90 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
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
	ctx, cancel := context.WithTimeout(ctx, wholeRun)
	defer cancel()
	begun := time.Now()
	b := &bench{sizes: fullSizes(), rows: o.rows}
	if o.quick {
		b.sizes = quickSizes()
	}
	if o.many > 0 {
		b.sizes.many = o.many
	}
	err = b.run(ctx, o.dir)
	fmt.Fprint(os.Stdout, b.table.String())
	fmt.Printf("\n%s; Temporal: %s; %s open charges; the whole run took %s\n",
		machine(), kind, thousands(b.sizes.open), time.Since(begun).Round(time.Second))
	if err == nil && o.strict && b.table.missed() {
		return errMissed
	}
	return err
}

type options struct {
	rows          map[string]bool
	quick, strict bool
	dir           string
	// many is sizes.many; 0 for that of the other options.
	many int
}

func parse(args []string) (options, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "smaller numbers")
	strict := flags.Bool("strict", false, "a missed bar is a failure")
	chosen := flags.String("run", "", "comma-separated `rows`; all when empty")
	many := flags.Int("many", 0, "`charges` of the shop whose lists are read; 1,000,000, or less with -quick")
	dir := flags.String("keep", "", "`directory` for the stack, kept afterwards with its logs")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	o := options{quick: *quick, strict: *strict, dir: *dir, many: *many, rows: map[string]bool{}}
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
