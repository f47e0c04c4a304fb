package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/durapay/durapay/e2e/fixture"
)

type row struct {
	measure, value, reference string
	// ratio is value divided by reference; empty when there is none.
	ratio string
	// bar is what the row must meet; empty when it only informs.
	bar string
	met bool
}

type table struct{ rows []row }

func (t *table) add(r row) {
	t.rows = append(t.rows, r)
	fixture.Reportf("%s: %s (reference %s, ratio %s)", r.measure, r.value, orDash(r.reference), orDash(r.ratio))
}

func (t *table) missed() bool {
	for _, r := range t.rows {
		if r.bar != "" && !r.met {
			return true
		}
	}
	return false
}

// String is the table in Markdown with aligned columns.
func (t *table) String() string {
	cells := [][]string{{"measure", "value", "reference", "ratio", "bar", "met"}}
	for _, r := range t.rows {
		cells = append(cells, []string{r.measure, r.value, orDash(r.reference), orDash(r.ratio), orDash(r.bar), r.verdict()})
	}
	widths := make([]int, len(cells[0]))
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for n, line := range cells {
		writeLine(&out, line, widths, " ")
		if n == 0 {
			writeLine(&out, make([]string, len(line)), widths, "-")
		}
	}
	return out.String()
}

func writeLine(out *strings.Builder, line []string, widths []int, fill string) {
	for i, cell := range line {
		padding := strings.Repeat(fill, widths[i]-utf8.RuneCountInString(cell))
		out.WriteString("|" + fill + cell + padding + fill)
	}
	out.WriteString("|\n")
}

func (r row) verdict() string {
	switch {
	case r.bar == "":
		return "-"
	case r.met:
		return "yes"
	default:
		return "NO"
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func ratioText(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

func perSecond(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) + "/s" }

// thousands writes 10000 as 10,000.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percentile is the value that p percent of the samples do not exceed, by the
// nearest rank; 0 without samples.
func percentile(samples []time.Duration, p int) time.Duration {
	if len(samples) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(samples))
	rank := (len(sorted)*p + 99) / 100
	return sorted[max(rank, 1)-1]
}

// p99Row is a row of samples, by the longest time that meets the bar.
func p99Row(measure string, samples []time.Duration, bar time.Duration) row {
	return row{measure: measure, value: spread(samples), bar: "p99 ≤ " + short(bar), met: percentile(samples, 99) <= bar}
}

func spread(samples []time.Duration) string {
	return fmt.Sprintf("p50 %s, p99 %s (n=%d)",
		short(percentile(samples, 50)), short(percentile(samples, 99)), len(samples))
}

// short rounds to what a reader can use.
func short(d time.Duration) string {
	if d < 10*time.Millisecond {
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

func quotient(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return a.Seconds() / b.Seconds()
}

// middle is the middle one of n figures, the greater one of two; 0 without any.
func middle(n int, figure func(int) float64) float64 {
	if n == 0 {
		return 0
	}
	all := make([]float64, n)
	for i := range all {
		all[i] = figure(i)
	}
	slices.Sort(all)
	return all[n/2]
}

// middleOf is the middle one of so many figures that are taken by position.
func middleOf(samples []time.Duration, sets int, figure func([]time.Duration) time.Duration) time.Duration {
	size := len(samples) / sets
	if size == 0 {
		return figure(samples)
	}
	return time.Duration(middle(sets, func(i int) float64 {
		end := (i + 1) * size
		if i == sets-1 {
			end = len(samples)
		}
		return float64(figure(samples[i*size : end]))
	}))
}
