package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/report"
)

func day(year int, month time.Month, d int) time.Time {
	return time.Date(year, month, d, 0, 0, 0, 0, time.UTC)
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		period   report.Period
		from, to time.Time
	}{
		"december":       {report.Period{Kind: report.Monthly, Year: 2026, Month: 12}, day(2026, 12, 1), day(2027, 1, 1)},
		"leap february":  {report.Period{Kind: report.Monthly, Year: 2028, Month: 2}, day(2028, 2, 1), day(2028, 3, 1)},
		"first quarter":  {report.Period{Kind: report.Quarterly, Year: 2026, Quarter: 1}, day(2026, 1, 1), day(2026, 4, 1)},
		"fourth quarter": {report.Period{Kind: report.Quarterly, Year: 2026, Quarter: 4}, day(2026, 10, 1), day(2027, 1, 1)},
		"year":           {report.Period{Kind: report.Annual, Year: 2026, Month: 99, Quarter: 99}, day(2026, 1, 1), day(2027, 1, 1)},
	} {
		span, err := c.period.Span()
		require.NoError(t, err, name)
		require.Equal(t, report.Span{From: c.from, To: c.to}, span, name)
	}
	for _, bad := range []report.Period{
		{}, {Kind: "weekly", Year: 2026}, {Kind: report.Monthly, Year: 2026}, {Kind: report.Monthly, Year: 2026, Month: 13},
		{Kind: report.Quarterly, Year: 2026}, {Kind: report.Quarterly, Year: 2026, Quarter: 5}, {Kind: report.Annual, Year: 1969},
		{Kind: report.Annual, Year: 3000}, {Kind: report.Monthly, Month: 1},
	} {
		_, err := bad.Span()
		require.ErrorIs(t, err, report.ErrPeriod, bad)
	}
}

// TestCurrentPeriodHoldsTheMoment shows that each moment lies in its period,
// wherever its clock stands, and that the next period begins where it ends.
func TestCurrentPeriodHoldsTheMoment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", rapid.IntRange(-14*3600, 14*3600).Draw(t, "offset"))
		now := time.Unix(rapid.Int64Range(0, day(2900, 1, 1).Unix()).Draw(t, "now"), 0).In(zone)
		kind := rapid.SampledFrom([]report.Kind{report.Monthly, report.Quarterly, report.Annual}).Draw(t, "kind")
		span, err := report.Current(kind, now).Span()
		require.NoError(t, err)
		require.False(t, now.Before(span.From))
		require.True(t, now.Before(span.To))
		next, err := report.Current(kind, span.To).Span()
		require.NoError(t, err)
		require.Equal(t, span.To, next.From)
	})
}
