package main

import (
	"context"
	"fmt"
)

// scene is a part of the story that could be told alone, but for who the
// people are.
type scene struct {
	title string
	steps []step
}

// step is what happens next, and is checked.
type step struct {
	title string
	run   func(context.Context) error
}

// play runs the scenes in order and stops at the first step that fails.
func play(ctx context.Context, scenes []scene) error {
	n := 0
	for _, scene := range scenes {
		fmt.Printf("\n━━ %s\n", scene.title)
		for _, step := range scene.steps {
			n++
			fmt.Printf("\n%2d. %s\n", n, step.title)
			if err := step.run(ctx); err != nil {
				return fmt.Errorf("step %d, %s: %w", n, step.title, err)
			}
		}
	}
	fmt.Println("\nEverything was checked.")
	return nil
}
