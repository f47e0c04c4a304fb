//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

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

// until asks until the answer is yes, and gives up after patience.
func until(ctx context.Context, what string, ask func() bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	fixture.Wait(ctx, what, ask)
}
