package utxowallet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
)

// TestKeysAreMadeInBatches: an encrypted wallet makes keys only while it is unlocked, for
// seconds, however many addresses of a lost copy an operator named.
func TestKeysAreMadeInBatches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address       string
		number, ahead uint64
		made          []int
	}{
		"a known address":           {"700", 700, 0, []int{500, 1000}},
		"and those of a lost copy":  {"700", 700, 1200, []int{500, 1000, 1500, 2000, 2200}},
		"those of a lost copy only": {"", 0, 600, []int{500, 600}},
	} {
		l := &ledger{}
		require.NoError(t, l.wallet(t).Extend(t.Context(), c.address, c.number, c.ahead), name)
		require.Equal(t, c.made, l.keys, name)
	}
	l := &ledger{}
	require.ErrorIs(t, l.wallet(t).Extend(t.Context(), "5000", 700, 0), chain.ErrNotFound)
	require.Equal(t, []int{500, 1000}, l.keys)
}
