package main

import (
	"context"
	"fmt"
)

// step is a part of the story that could be told alone, but for who the
// people are.
type step struct {
	title   string
	actions []action
}

// action is what happens next, and is checked.
type action struct {
	title string
	run   func(context.Context) error
}

// play runs the scenes in order and stops at the first step that fails.
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
