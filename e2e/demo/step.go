package main

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/e2e/fixture"
)

// step is a part of the demo that could run alone, but for who the
// people are.
type step struct {
	title   string
	actions []action
}

// step is what happens next, and is checked.
type action struct {
	title string
	run   func(context.Context) error
}

// play runs the steps in order and stops at the first step that fails.
func play(ctx context.Context, steps []step) error {
	n := 0
	for _, step := range steps {
		fmt.Printf("\n━━ %s\n", step.title)
		for _, action := range step.actions {
			n++
			fmt.Printf("\n%2d. %s\n", n, action.title)
			if err := action.run(ctx); err != nil {
				return fmt.Errorf("step %d, %s: %w", n, action.title, err)
			}
		}
	}
	fmt.Println("\nEverything was checked.")
	return nil
}

// hear waits for an event at the merchant's receiver and verifies it.
func (d *demo) hear(ctx context.Context, event, id string) error {
	_, err := d.shop.Hear(ctx, event, id)
	if err == nil {
		fixture.Sayf("event %s arrived, its signature is right", event)
	}
	return err
}
