package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
)

// slowest is the number of packages in the table.
const slowest = 10

// printTable prints steps in the order in which they ended, and the slowest packages.
func printTable(out io.Writer, file string) error {
	steps, packages, err := read(file)
	if err != nil {
		return err
	}
	slices.SortStableFunc(packages, func(a, b cost) int { return cmp.Compare(b.Seconds, a.Seconds) })
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, part := range []struct {
		title string
		costs []cost
	}{{"step", steps}, {"package", packages[:min(slowest, len(packages))]}} {
		_, _ = fmt.Fprintf(w, "seconds\tprocessor\t  %s\n", part.title)
		for _, c := range part.costs {
			_, _ = fmt.Fprintf(w, "%.1f\t%.1f\t  %s\n", c.Seconds, c.Processor, c.Name)
		}
	}
	return w.Flush()
}

func read(file string) (steps, packages []cost, err error) {
	f, err := os.Open(file) //nolint:gosec // the caller's own file
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	for d := json.NewDecoder(f); ; {
		var c cost
		switch err := d.Decode(&c); {
		case errors.Is(err, io.EOF):
			return steps, packages, nil
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		case c.Package:
			packages = append(packages, c)
		default:
			steps = append(steps, c)
		}
	}
}
