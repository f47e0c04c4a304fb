package scan

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
)

// TestEveryByteOfABlockIsHashed, or read.
func TestEveryByteOfABlockIsHashed(t *testing.T) {
	t.Parallel()
	r := servedChain(t)
	previous := ""
	for i, b := range r.Blocks {
		raw, err := hex.DecodeString(b.Blob)
		require.NoError(t, err)
		block, err := ParseBlock(raw)
		require.NoError(t, err)
		require.Equal(t, b.Hash, block.Hash.String())
		require.Equal(t, r.First+uint64(i), block.Height)
		if i > 0 {
			require.Equal(t, previous, block.Prev.String())
		}
		previous = b.Hash
		for at := range raw {
			changed := slices.Clone(raw)
			changed[at] ^= 1
			if other, err := ParseBlock(changed); err == nil {
				require.NotEqual(t, block.Hash, other.Hash, at)
			}
			_, err := ParseBlock(raw[:at])
			require.ErrorIs(t, err, monero.ErrTransaction, at)
		}
		_, err = ParseBlock(append(raw, 0))
		require.ErrorIs(t, err, monero.ErrTransaction)
	}
}

// TestTheFirstBlockOfTheMainChain has a reward of version 1 (GENESIS_TX in
// cryptonote_config.h).
func TestTheFirstBlockOfTheMainChain(t *testing.T) {
	t.Parallel()
	raw, err := hex.DecodeString("010000" + strings.Repeat("00", 32) + "10270000" +
		"013c01ff0001ffffffffffff03029b2e4c0281c0b02e7c53291a94d1d0cbff8883f8024f5142ee494ffbbd0880712101" +
		"7767aafcde9be00dcfd098715ebcf7f410daebc582fda69d24a28e9d0bc890d1" + "00")
	require.NoError(t, err)
	block, err := ParseBlock(raw)
	require.NoError(t, err)
	require.Equal(t, "418015bb9ae982a1975da7d79277c2705727a56894ba0fb246adaabb1f4632e3", block.Hash.String())
	require.EqualValues(t, 17_592_186_044_415, block.Reward.Outputs[0].Amount)
	require.Zero(t, block.Height)
}

// TestTreeHash compares with the definition: pairs are joined until a power of two is left.
func TestTreeHash(t *testing.T) {
	t.Parallel()
	var hashes []Hash
	for n := range 70 {
		hashes = append(hashes, hashOf([]byte{byte(n)}))
		require.Equal(t, treeByDefinition(hashes), treeHash(hashes), n)
	}
}

func treeByDefinition(hashes []Hash) Hash {
	join := func(a, b Hash) Hash { return hashOf(a[:], b[:]) }
	switch n := len(hashes); {
	case n == 1:
		return hashes[0]
	case n == 2:
		return join(hashes[0], hashes[1])
	case n&(n-1) == 0:
		return join(treeByDefinition(hashes[:n/2]), treeByDefinition(hashes[n/2:]))
	default:
		list := slices.Clone(hashes)
		power := 1
		for power*2 < n {
			power *= 2
		}
		// The last ones are joined, from the back, until there are as many as the power.
		for at := len(list) - 2; len(list) > power; at -= 2 {
			list = slices.Replace(list, at, at+2, join(list[at], list[at+1]))
		}
		return treeByDefinition(list)
	}
}

func FuzzBlock(f *testing.F) {
	for _, b := range servedChain(f).Blocks[:8] {
		raw, err := hex.DecodeString(b.Blob)
		require.NoError(f, err)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, blob []byte) {
		block, err := ParseBlock(blob)
		if err != nil {
			requireNamed(t, err)
			return
		}
		require.True(t, block.Reward.Reward)
		require.LessOrEqual(t, len(block.Txs)*len(Hash{}), len(blob))
	})
}
