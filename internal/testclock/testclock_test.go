package testclock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/testclock"
)

func TestAClockGoesForwardOnly(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_800_000_000, 0).UTC()
	for name, c := range map[string]struct {
		status   testclock.Status
		from, to time.Time
		refused  string
	}{
		"a second":              {testclock.Ready, at, at.Add(time.Second), ""},
		"a month":               {testclock.Ready, at, at.Add(testclock.MaxAdvance), ""},
		"more than a month":     {testclock.Ready, at, at.Add(testclock.MaxAdvance + time.Second), "31 days at most"},
		"nowhere":               {testclock.Ready, at, at, "later than"},
		"back":                  {testclock.Ready, at, at.Add(-time.Second), "later than"},
		"while it advances":     {testclock.Advancing, at, at.Add(time.Second), "still advancing"},
		"after a failure":       {testclock.InternalFailure, at, at.Add(time.Second), "only be deleted"},
		"past what it can show": {testclock.Ready, testclock.Last, testclock.Last.Add(time.Second), "between"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := testclock.MayAdvance(c.status, c.from, c.to)
			if c.refused == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.refused)
		})
	}
}
