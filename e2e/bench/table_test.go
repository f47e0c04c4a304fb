package main

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestPercentileIsTheNearestRank(t *testing.T) {
	t.Parallel()
	var samples []time.Duration
	for i := 100; i > 0; i-- {
		samples = append(samples, time.Duration(i))
	}
	require.EqualValues(t, 50, percentile(samples, 50))
	require.EqualValues(t, 99, percentile(samples, 99))
	require.EqualValues(t, 7, percentile([]time.Duration{7}, 99))
	require.EqualValues(t, 2, percentile([]time.Duration{3, 1, 2}, 50))
	require.Zero(t, percentile(nil, 99))
}

func TestTableIsAlignedAndShowsMissedBars(t *testing.T) {
	t.Parallel()
	var all table
	all.add(row{measure: "pool → receiver", value: "1 s", bar: "≤ 2 s", met: true})
	all.add(row{measure: "informs only", value: "7/s"})
	require.False(t, all.missed())
	all.add(row{measure: "m", value: "3 s", reference: "1 s", ratio: "3.00", bar: "≤ 2 s"})
	require.True(t, all.missed())

	lines := strings.Split(strings.TrimSpace(all.String()), "\n")
	require.Len(t, lines, 5)
	for _, line := range lines {
		require.Equal(t, utf8.RuneCountInString(lines[0]), utf8.RuneCountInString(line), line)
	}
	require.Contains(t, lines[2], "| yes |")
	require.Contains(t, lines[3], "| -   |")
	require.Contains(t, lines[4], "| NO  |")
}

func TestRowsAreChosenByName(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-run", "sweep,lists", "-strict"})
	require.NoError(t, err)
	require.True(t, o.strict)
	require.True(t, o.rows["sweep"] && o.rows["lists"])
	require.False(t, o.rows["charges"])
	o, err = parse(nil)
	require.NoError(t, err)
	for _, name := range names() {
		require.True(t, o.rows[name], name)
	}
	_, err = parse([]string{"-run", "nonsense"})
	require.ErrorContains(t, err, "payments")
}

func TestSizesAreChosen(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-open", "7", "-among", "5"})
	require.NoError(t, err)
	s := o.sizes()
	require.Equal(t, 7, s.open)
	require.Greater(t, s.among, s.few, "the other merchant has charges too")
	o, err = parse([]string{"-quick"})
	require.NoError(t, err)
	require.Equal(t, quickSizes(), o.sizes())
}

func TestWhatDoesNotFitIsSkippedAndNamed(t *testing.T) {
	t.Parallel()
	made := 0
	do := func(*bench, context.Context) { made++ }
	b := &bench{end: time.Now().Add(10 * time.Minute)}
	require.NoError(t, b.do(t.Context(), step{name: "short", do: do, takes: time.Minute}))
	require.NoError(t, b.do(t.Context(), step{name: "long", do: do, takes: time.Hour}))
	require.Equal(t, 1, made)
	require.Equal(t, []string{"long"}, b.skipped)
	b.quick = true
	require.NoError(t, b.do(t.Context(), step{name: "long", do: do, takes: time.Hour}))
	require.Equal(t, 2, made, "quick sizes take no such time")
}

func TestTheWholeRunFitsIntoItsTime(t *testing.T) {
	t.Parallel()
	var takes time.Duration
	for _, s := range stages(options{}.sizes()) {
		takes += startingStack
		for _, one := range s.steps {
			takes += one.takes
		}
	}
	require.LessOrEqual(t, takes, wholeRun)
}

func TestTheMiddleOfRoundsCounts(t *testing.T) {
	t.Parallel()
	c := comparison{[][]tally{
		{{10, time.Second}, {10, time.Second}, {10, time.Second}},
		{{20, time.Second}, {1, time.Second}, {30, time.Second}},
	}}
	require.InDelta(t, 20, c.rate(1), 1e-9)
	require.InDelta(t, 2, c.ratioTo(0), 1e-9)
	half := func(part []time.Duration) time.Duration { return percentile(part, 99) }
	require.EqualValues(t, 4, middleOf([]time.Duration{1, 2, 90, 3, 4, 1, 3}, 3, half))
}

func TestNumbersAreGrouped(t *testing.T) {
	t.Parallel()
	require.Equal(t, "0", thousands(0))
	require.Equal(t, "999", thousands(999))
	require.Equal(t, "10,000", thousands(10_000))
	require.Equal(t, "1,000,000", thousands(1_000_000))
}
