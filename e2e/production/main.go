//go:build linux

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
	wanted, err := regexp.Compile(*only)
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
	d := &day{root: root, engine: e, goOn: *goOn, only: wanted}
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
