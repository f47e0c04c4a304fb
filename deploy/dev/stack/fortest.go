package stack

import "testing"

// ForTest starts a private stack in a temporary folder and stops it with the test. A
// short test run skips the test: it starts no process but PostgreSQL.
func ForTest(tb testing.TB, o Options) *Stack {
	tb.Helper()
	SkipShort(tb)
	o.Dir, o.Private = tb.TempDir(), true
	s, err := Start(tb.Context(), o)
	if err != nil {
		tb.Fatalf("the stack does not start: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Stop(); err != nil {
			tb.Errorf("stop the stack: %v", err)
		}
	})
	return s
}

// SkipShort skips a test that starts processes. Up refuses to start any in a short test
// run, so a test that does not call it fails.
func SkipShort(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts processes")
	}
}
