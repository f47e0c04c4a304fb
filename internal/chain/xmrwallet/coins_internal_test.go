package xmrwallet

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// TestFewSubaddressesAreRich: the rich subaddresses are those that payments
// spend from, however much dust is at other ones.
func TestFewSubaddressesAreRich(t *testing.T) {
	t.Parallel()
	at := func(index uint32, amounts ...uint64) (list []monero.Output) {
		for _, a := range amounts {
			list = append(list, monero.Output{SubaddressIndex: index, Amount: money.Piconero(a)})
		}
		return list
	}
	join := func(lists ...[]monero.Output) (all []monero.Output) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	var equal []monero.Output
	for i := range uint32(20) {
		equal = append(equal, at(i, 100)...)
	}
	for name, c := range map[string]struct {
		held []monero.Output
		rich []uint32
	}{
		"nothing":                        {nil, nil},
		"no money":                       {at(4, 0, 0), []uint32{4}},
		"dust elsewhere":                 {join(at(7, 1, 1, 1), at(0, 500, 500)), []uint32{0}},
		"a 16th elsewhere":               {join(at(0, 150), at(7, 10)), []uint32{0, 7}},
		"as much, in few outputs":        {join(at(1, 100), at(2, 60, 40)), []uint32{1, 2}},
		"much dust beside a large coin":  {join(at(3, 900), at(9, 1, 1, 1, 1, 1)), []uint32{3}},
		"more subaddresses than are few": {equal, []uint32{0, 1, 2, 3, 4, 5, 6, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := holdingsOf(c.held)
			require.Equal(t, c.rich, h.rich)
			require.Equal(t, sumOf(c.held), h.total)
		})
	}
}
