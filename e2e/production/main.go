//go:build linux

// Command production plays an operator's first day with docker-compose.yml as it
// ships, on a machine of its own within this one: a Docker engine whose data are in
// .dev/production, images whose bases are stand-ins made of Debian's packages
// (deploy/test-images), and private chains. It follows README.md from the passwords
// to the backup, takes a payment, makes a payout and trades both ways, and checks
// every step. It exits with 0 only if every check passed.
//
// One file holds the differences from the shipped installation. override.go writes
// it, and Compose reads it in addition to docker-compose.yml: the chains' network
// and where builds find Debian's and Monero's servers. The digests of images are
// left out of the copy that is installed, because a stand-in cannot have them. The
// last step alone uses other images, whose clock a file moves.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

func main() {
	os.Exit(fixture.Main("production", func(ctx context.Context) error { return run(ctx, os.Args[1:]) }))
}

func run(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("production", flag.ContinueOnError)
	keep := flags.Bool("keep", false, "leave the installation running, and say how to reach it")
	goOn := flags.Bool("go-on", false, "go on after a step that failed, to see what else does")
	only := flags.String("only", "", "after the first day, take the steps whose title matches this regular expression alone")
	if err := flags.Parse(args); err != nil {
		return err
	}
	titles, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return errors.New("this needs root: it starts a Docker engine")
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	var e *engine
	if err := fixture.Try(func() { e = startEngine(ctx, filepath.Join(root, ".dev", "production")) }); err != nil {
		return err
	}
	d := &day{root: root, engine: e, goOn: *goOn, only: titles}
	defer func() {
		err = errors.Join(err, d.close())
		if *keep {
			fmt.Printf("\nThe installation is in %s; reach it with\n    export %s\n", d.site.dir, strings.Join(e.environment(), " "))
			return
		}
		err = errors.Join(err, d.site.down(context.WithoutCancel(ctx)), e.stop())
	}()
	return fixture.Try(func() { d.live(ctx) })
}

// action is what happens next, and is checked.
type action struct {
	title string
	run   func(context.Context)
}

// play runs the actions in order and stops at the first that fails, or continues
// and returns all failures at the end.
func play(ctx context.Context, goOn bool, actions []action) error {
	begun := time.Now()
	var failed error
	for _, a := range actions {
		since := time.Now()
		fmt.Printf("\n━━ %s\n", a.title)
		if err := fixture.Try(func() { a.run(ctx) }); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", a.title, err))
			if !goOn {
				return failed
			}
			fmt.Println("    ✗", err)
		}
		fmt.Printf("    (%s)\n", time.Since(since).Round(time.Second))
	}
	if failed == nil {
		fmt.Printf("\nAll of this was checked, in %s.\n", time.Since(begun).Round(time.Second))
	}
	return failed
}

// until asks until the answer is yes, and gives up after maxWait.
func until(ctx context.Context, what string, ask func() bool) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	fixture.Wait(ctx, what, ask)
}
