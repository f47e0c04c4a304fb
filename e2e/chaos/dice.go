package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"
)

// dice are the choices of one actor. Each actor has its own, so its choices do not
// depend on the speed of the other actors.
type dice struct{ *rand.Rand }

func newDice(seed uint64, actor string) dice {
	name := fnv.New64a()
	_, _ = name.Write([]byte(actor))
	return dice{rand.New(rand.NewPCG(seed, name.Sum64()))} //nolint:gosec // to be drawn again
}

func (d dice) between(least, most time.Duration) time.Duration {
	return least + time.Duration(d.Int64N(int64(most-least)+1))
}

// mostlyShort is a duration from least to most, of which each tenfold is as likely as
// another.
func (d dice) mostlyShort(least, most time.Duration) time.Duration {
	return time.Duration(float64(least) * math.Pow(float64(most)/float64(least), d.Float64()))
}

// some draws n different elements of a list.
func some[T any](d dice, n int, list []T) []T {
	drawn := make([]T, 0, n)
	for _, i := range d.Perm(len(list))[:n] {
		drawn = append(drawn, list[i])
	}
	return drawn
}
