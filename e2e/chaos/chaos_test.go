package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/books"
)

func TestChoicesComeFromTheSeed(t *testing.T) {
	t.Parallel()
	draw := func(seed uint64, actor string) (list []string) {
		d := newDice(seed, actor)
		for range 50 {
			list = append(list, some(d, 1+d.IntN(mostAtOnce), victims())...)
			list = append(list, d.between(time.Second, time.Minute).String())
		}
		return list
	}
	first := draw(7, "killer")
	require.Equal(t, first, draw(7, "killer"))
	require.NotEqual(t, draw(7, "killer"), draw(8, "killer"))
	require.NotEqual(t, draw(7, "killer"), draw(7, "shop 1"))
	for _, name := range victims() {
		require.Contains(t, draw(7, "killer"), name, "everything is killed at some time")
	}
}

func TestTableCountsFaultsByKind(t *testing.T) {
	t.Parallel()
	made := newTally()
	made.killed("worker")
	made.killed("worker")
	made.did(chargesMade, 12)
	shown := made.table([]books.Fault{{Kind: books.Missing}, {Kind: books.TradePaidTwice}, {Kind: books.TradePaidTwice}})
	for _, line := range []string{
		"| charges promised                   |     12 |", "| worker                             |      2 |",
		"| all                                |      2 |", "| promised charges gone              |      1 |",
		"| trades paid twice                  |      2 |", "| trades unpaid                      |      0 |",
	} {
		require.Contains(t, shown, line)
	}
}

func TestAnAddressOfTwoOwnersIsAFault(t *testing.T) {
	t.Parallel()
	c := &counter{addresses: owners{}}
	c.give("a", "ch_1")
	c.give("a", "ch_1")
	require.Empty(t, c.faults)
	c.give("a", "trade")
	require.Len(t, c.faults, 1)
	require.Equal(t, books.AddressTwice, c.faults[0].Kind)
}

func TestArguments(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-minutes", "0.5", "-seed", "9"})
	require.NoError(t, err)
	require.Equal(t, options{minutes: 0.5, seed: 9, quiet: 20 * time.Minute}, o)
	for _, wrong := range [][]string{{"-minutes", "0"}, {"-minutes", "-1"}, {"-seed", "x"}, {"more"}} {
		_, err := parse(wrong)
		require.Error(t, err, "%v", wrong)
	}
}
