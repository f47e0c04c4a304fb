// Package testseed chooses the random cases of tests. Every test file that uses
// pgregory.net/rapid has it in its package, imported for this effect alone.
//
// make test draws the same cases each time, so that a test fails for the change that broke it and not
// by chance. make test-all draws new cases by its seed. The flag -rapid.seed replaces both.
package testseed

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // defines the flag
)

func init() { //nolint:gochecknoinits // before the tests' flags are read
	seed := os.Getenv("TEST_SEED")
	if seed == "" {
		seed = "1"
	}
	if err := flag.Set("rapid.seed", seed); err != nil {
		panic(err)
	}
}
