//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// action is what happens next, and is checked.
type action struct {
	title string
	run   func(context.Context) error
}

// play runs the actions in order and stops at the first that fails, or goes on
// all the same and says at the end which have failed.
func play(ctx context.Context, goOn bool, actions []action) error {
	begun := time.Now()
	var failed error
	for _, a := range actions {
		since := time.Now()
		fmt.Printf("\n━━ %s\n", a.title)
		if err := a.run(ctx); err != nil {
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

// sayf tells a fact that was checked.
func sayf(format string, values ...any) { fmt.Printf("    ✓ "+format+"\n", values...) }

// check is an error unless a fact holds.
func check(holds bool, format string, values ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, values...)
}

// until asks again and again for what no event tells.
func until(ctx context.Context, what string, ask func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w", what, ctx.Err())
		}
	}
}
