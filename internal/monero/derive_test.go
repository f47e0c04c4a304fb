package monero

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"
)

func TestDeriverKnowsTheWalletsAddresses(t *testing.T) {
	t.Parallel()
	d, err := NewDeriver(walletPrimary, walletView)
	require.NoError(t, err)
	for index, want := range []string{walletPrimary, walletSub1, walletSub2} {
		require.Equal(t, want, d.Subaddress(0, uint32(index)))
	}
}

// Compares the definition, view·(B + m·G), with the shorter calculation of
// Deriver.
func TestDeriverFollowsTheDefinition(t *testing.T) {
	t.Parallel()
	d, err := NewDeriver(walletPrimary, walletView)
	require.NoError(t, err)
	for _, at := range [][2]uint32{{0, 1}, {1, 0}, {7, 70_000}, {0, 1e9}, {math.MaxUint32, math.MaxUint32}} {
		require.Equal(t, subaddressByDefinition(t, at[0], at[1]), d.Subaddress(at[0], at[1]))
	}
}

func subaddressByDefinition(t *testing.T, account, index uint32) string {
	t.Helper()
	primary, err := ParseAddress(walletPrimary)
	require.NoError(t, err)
	view, err := hex.DecodeString(walletView)
	require.NoError(t, err)
	data := append([]byte("SubAddr\x00"), view...)
	data = binary.LittleEndian.AppendUint32(data, account)
	data = binary.LittleEndian.AppendUint32(data, index)
	m, err := new(edwards25519.Scalar).SetUniformBytes(append(Keccak(data), make([]byte, 32)...))
	require.NoError(t, err)
	spend, err := new(edwards25519.Point).SetBytes(primary.Spend[:])
	require.NoError(t, err)
	a, err := new(edwards25519.Scalar).SetCanonicalBytes(view)
	require.NoError(t, err)
	spend.Add(spend, new(edwards25519.Point).ScalarBaseMult(m))
	sub := Address{Network: primary.Network, Kind: KindSubaddress}
	copy(sub.Spend[:], spend.Bytes())
	copy(sub.View[:], new(edwards25519.Point).ScalarMult(a, spend).Bytes())
	return sub.String()
}

func TestNewDeriverRefusesKeysThatAreNotTheAddresss(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{
		"another's":     "0100000000000000000000000000000000000000000000000000000000000000",
		"short":         walletView[:62],
		"not hex":       "zz" + walletView[2:],
		"not canonical": "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	} {
		_, err := NewDeriver(walletPrimary, key)
		require.ErrorIs(t, err, ErrViewKey, name)
	}
	_, err := NewDeriver(walletSub1, walletView)
	require.ErrorIs(t, err, ErrAddress)
	_, err = NewDeriver("4", walletView)
	require.ErrorIs(t, err, ErrAddress)
}

func BenchmarkSubaddress(b *testing.B) {
	d, err := NewDeriver(walletPrimary, walletView)
	require.NoError(b, err)
	for i := uint32(1); b.Loop(); i++ {
		_ = d.Subaddress(0, i)
	}
}
