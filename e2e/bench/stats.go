package main

import (
	"fmt"
	"slices"
	"time"
)

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

// spread is how samples are shown.
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
