package xmrwallet

import (
	"context"
	"encoding/hex"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
)

// TestAddressesUpToTheHighestAreKnown hands an address out between two lookups.
func TestAddressesUpToTheHighestAreKnown(t *testing.T) {
	t.Parallel()
	one, err := edwards25519.NewScalar().SetCanonicalBytes(append([]byte{1}, make([]byte, 31)...))
	require.NoError(t, err)
	primary := monero.Address{Network: monero.Mainnet, Kind: monero.KindStandard}
	copy(primary.Spend[:], edwards25519.NewGeneratorPoint().Bytes())
	primary.View = primary.Spend
	view, err := monero.NewDeriver(primary.String(), hex.EncodeToString(one.Bytes()))
	require.NoError(t, err)
	highest := uint64(5)
	a := &addresses{view: view, highest: func(context.Context) (uint64, error) { return highest, nil }, known: map[scan.Key]uint32{}}
	const newest = 5 + lookAhead + 1
	keys := []scan.Key{primary.Spend, view.SpendKey(0, 5), view.SpendKey(0, newest), {1}}
	found, err := a.lookup(t.Context(), keys)
	require.NoError(t, err)
	require.Equal(t, map[scan.Key]monero.Subaddress{
		keys[0]: {Index: 0, Address: primary.String()}, keys[1]: {Index: 5, Address: view.Subaddress(0, 5)},
	}, found)
	highest++
	found, err = a.lookup(t.Context(), keys[2:])
	require.NoError(t, err)
	require.Equal(t, map[scan.Key]monero.Subaddress{keys[2]: {Index: newest, Address: view.Subaddress(0, newest)}}, found)
	for _, key := range keys[:3] { // the address has this key
		to, err := monero.ParseAddress(view.Subaddress(0, a.known[key]))
		require.NoError(t, err)
		require.EqualValues(t, key, to.Spend)
	}
}
