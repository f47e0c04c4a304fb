package stack

import "testing"

// ForTest starts a private stack in a temporary folder and stops it when the test ends. A
// short test run skips the test, because it starts no process except PostgreSQL.
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

// SkipShort skips a test that starts processes in a short test run. Up starts no process in a
// short test run, so a test that does not call SkipShort fails.
func SkipShort(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts processes")
	}
}
