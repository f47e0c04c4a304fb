package scan

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
)

func TestBlocksAreReadOnceAndInPages(t *testing.T) {
	t.Parallel()
	r := servedChain(t)
	scanned, err := r.scanner(t).Blocks(t.Context(), r.First, r.last())
	require.NoError(t, err)
	c := &chain{scanned: scanned}
	require.Equal(t, r.Shown, c.foundOutputs())
	require.NotEmpty(t, r.Shown)
	require.NotEmpty(t, r.Txs)

	again, err := r.scanner(t).Blocks(t.Context(), r.First, r.last())
	require.NoError(t, err)
	require.Equal(t, scanned, again)
	middle := r.First + uint64(len(r.Blocks)/2)
	below, err := r.scanner(t).Blocks(t.Context(), r.First, middle)
	require.NoError(t, err)
	above, err := r.scanner(t).Blocks(t.Context(), middle+1, r.last())
	require.NoError(t, err)
	require.Equal(t, scanned, append(below, above...))
	_, err = r.scanner(t).Blocks(t.Context(), r.First, r.last()+1)
	require.ErrorIs(t, err, monero.ErrNotFound)
	none, err := r.scanner(t).Blocks(t.Context(), r.last()+1, r.last())
	require.NoError(t, err)
	require.Empty(t, none)
}

// TestPaymentsAddUpTheOutputs of a transaction to an address, in a block and in the pool.
func TestPaymentsAddUpTheOutputs(t *testing.T) {
	t.Parallel()
	r := servedChain(t)
	list, err := r.scanner(t).Payments(t.Context(), monero.Range{From: r.First, To: r.last()})
	require.NoError(t, err)
	type place struct {
		tx    string
		index uint32
	}
	sums := map[place]uint64{}
	for _, o := range r.Shown {
		sums[place{o.TxHash, o.Index}] += o.Amount
	}
	require.Len(t, list, len(sums))
	for _, p := range list {
		require.Equal(t, sums[place{p.TxHash, p.SubaddressIndex}], uint64(p.Amount))
		require.Len(t, p.OneTimeKeys, len(p.Amounts))
		require.NotZero(t, p.Height)
		require.False(t, p.Timestamp.IsZero())
	}

	pool := 0
	for hash, tx := range r.Txs {
		tx.InPool, tx.DoubleSpendSeen = true, true
		r.Txs[hash], r.pool = tx, append(r.pool, hash)
	}
	slices.Sort(r.pool)
	r.pool = append(r.pool, strings.Repeat("ab", 32)) // gone meanwhile
	waiting, err := r.scanner(t).Payments(t.Context(), monero.Range{From: 1, To: 0, Pool: true})
	require.NoError(t, err)
	for _, p := range list {
		if _, mined := r.Txs[p.TxHash]; mined {
			pool++
		}
	}
	require.Positive(t, pool)
	require.Len(t, waiting, pool)
	for _, p := range waiting {
		require.Zero(t, p.Height)
		require.True(t, p.DoubleSpendSeen)
		require.Equal(t, sums[place{p.TxHash, p.SubaddressIndex}], uint64(p.Amount))
	}
}

// TestADaemonThatLies changes what a daemon serves. Nothing is found then.
func TestADaemonThatLies(t *testing.T) {
	t.Parallel()
	whole := servedChain(t)
	spends := slices.IndexFunc(whole.Blocks, func(b servedBlock) bool {
		raw, err := hex.DecodeString(b.Blob)
		require.NoError(t, err)
		block, err := ParseBlock(raw)
		require.NoError(t, err)
		return len(block.Txs) > 1
	})
	require.Positive(t, spends)
	raw, err := hex.DecodeString(whole.Blocks[spends].Blob)
	require.NoError(t, err)
	block, err := ParseBlock(raw)
	require.NoError(t, err)
	first, second := block.Txs[0].String(), block.Txs[1].String()
	flipped := func(text string, at int) string {
		b, err := hex.DecodeString(text)
		require.NoError(t, err)
		b[at] ^= 1
		return hex.EncodeToString(b)
	}
	for name, test := range map[string]struct {
		lie  func(*served)
		want error
	}{
		"a block's bytes do not have its hash":    {func(r *served) { r.Blocks[spends].Blob = flipped(r.Blocks[spends].Blob, 3) }, ErrHash},
		"a block without one of its transactions": {func(r *served) { r.Blocks[spends].Blob = withoutLast(t, raw, len(block.Txs)) }, ErrHash},
		"a block of another height":               {func(r *served) { r.Blocks[spends] = r.Blocks[spends-1] }, ErrHash},
		"a transaction's bytes are changed":       {func(r *served) { r.change(first, func(tx *monero.TxBytes) { tx.Pruned = flipped(tx.Pruned, 60) }) }, ErrHash},
		"a transaction's proofs are others": {func(r *served) {
			r.change(first, func(tx *monero.TxBytes) { tx.PrunableHash = flipped(tx.PrunableHash, 0) })
		}, ErrHash},
		"a transaction that is not in the block":    {func(r *served) { r.Txs[first] = r.Txs[second] }, ErrHash},
		"a transaction is missing":                  {func(r *served) { delete(r.Txs, first) }, monero.ErrUnavailable},
		"a transaction is cut":                      {func(r *served) { r.change(first, func(tx *monero.TxBytes) { tx.Pruned = tx.Pruned[:100] }) }, monero.ErrTransaction},
		"a transaction of an unknown version":       {func(r *served) { r.change(first, func(tx *monero.TxBytes) { tx.Pruned = "03" + tx.Pruned[2:] }) }, ErrForm},
		"a transaction without hex":                 {func(r *served) { r.change(first, func(tx *monero.TxBytes) { tx.Pruned = "xy" }) }, monero.ErrResponse},
		"proofs without a hash":                     {func(r *served) { r.change(first, func(tx *monero.TxBytes) { tx.PrunableHash = "xy" }) }, monero.ErrResponse},
		"a transaction without proofs or bytes":     {func(r *served) { r.change(first, func(tx *monero.TxBytes) { tx.PrunableHash = "" }) }, monero.ErrTransaction},
		"a block of an unknown version":             {func(r *served) { r.Blocks[spends].Blob = "11" + r.Blocks[spends].Blob[2:] }, ErrForm},
		"a block without hex":                       {func(r *served) { r.Blocks[spends].Blob = "xy" }, monero.ErrResponse},
		"a block is cut":                            {func(r *served) { r.Blocks[spends].Blob = r.Blocks[spends].Blob[:60] }, monero.ErrTransaction},
		"another chain from the middle of the page": {func(r *served) { r.branch(t, spends, raw) }, monero.ErrUnavailable},
	} {
		r := servedChain(t)
		test.lie(r)
		found, err := r.scanner(t).Blocks(t.Context(), r.First, r.last())
		require.ErrorIs(t, err, test.want, name)
		require.Empty(t, found, name)
	}
}

func (r *served) change(hash string, by func(*monero.TxBytes)) {
	tx := r.Txs[hash]
	by(&tx)
	r.Txs[hash] = tx
}

// branch puts a block with another nonce in the place of one.
func (r *served) branch(t *testing.T, at int, raw []byte) {
	t.Helper()
	raw = slices.Clone(raw)
	block, err := ParseBlock(raw)
	require.NoError(t, err)
	previous := slices.Index(raw, block.Prev[0])
	raw[previous+len(block.Prev)]++
	changed, err := ParseBlock(raw)
	require.NoError(t, err)
	require.NotEqual(t, block.Hash, changed.Hash)
	r.Blocks[at] = servedBlock{changed.Hash.String(), hex.EncodeToString(raw)}
}

// withoutLast takes the last hash out of a block with fewer than 128 transactions.
func withoutLast(t *testing.T, raw []byte, txs int) string {
	t.Helper()
	count := len(raw) - txs*len(Hash{}) - 1
	require.EqualValues(t, txs, raw[count])
	raw = slices.Clone(raw[:len(raw)-len(Hash{})])
	raw[count]--
	return hex.EncodeToString(raw)
}
