package activities_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain gives random runs the same seed each time, so that a test fails for the change that
// broke it. -rapid.seed=0 draws another.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "rapid.seed" })
	if !chosen {
		if err := flag.Set("rapid.seed", "1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
