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
