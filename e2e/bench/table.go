package main

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/e2e/fixture"
)

// row is one line of the table.
type row struct {
	measure, value, reference string
	// ratio is value divided by reference; empty when there is none.
	ratio string
	// bar is what the row must meet; empty when it only informs.
	bar string
	met bool
}

// table holds the measurements.
type table struct{ rows []row }

func (t *table) add(r row) {
	t.rows = append(t.rows, r)
	fixture.Tellf("%s: %s (reference %s, ratio %s)", r.measure, r.value, orDash(r.reference), orDash(r.ratio))
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

func machine() string { return fmt.Sprintf("%d cores, %s", runtime.NumCPU(), runtime.GOARCH) }
