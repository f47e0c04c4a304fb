package scan

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// TestOfOutputsWithOneKeyTheGreatestCounts names the block and amounts of payments whose
// first outputs have one key, and what counts of each. Any order of the list gives the same.
func TestOfOutputsWithOneKeyTheGreatestCounts(t *testing.T) {
	t.Parallel()
	type given struct {
		tx      string
		height  uint64
		amounts []money.Piconero
		counts  money.Piconero
	}
	for name, list := range map[string][]given{
		"alone":                          {{"a", 100, []money.Piconero{5}, 5}},
		"the later is smaller":           {{"a", 100, []money.Piconero{5}, 5}, {"b", 101, []money.Piconero{4}, 0}},
		"the later is greater":           {{"a", 100, []money.Piconero{1}, 0}, {"b", 109, []money.Piconero{5}, 5}},
		"the first may be spent by then": {{"a", 100, []money.Piconero{1}, 1}, {"b", 110, []money.Piconero{5}, 0}},
		"equal ones":                     {{"a", 100, []money.Piconero{5}, 5}, {"b", 101, []money.Piconero{5}, 0}},
		"equal ones in one block":        {{"a", 100, []money.Piconero{5}, 5}, {"b", 100, []money.Piconero{5}, 0}},
		"three":                          {{"a", 100, []money.Piconero{1}, 0}, {"b", 105, []money.Piconero{7}, 7}, {"c", 107, []money.Piconero{6}, 0}},
		"other outputs go on counting":   {{"a", 100, []money.Piconero{5, 2}, 7}, {"b", 101, []money.Piconero{4, 3}, 3}},
		"one waits in the pool":          {{"a", 100, []money.Piconero{5}, 5}, {"b", 0, []money.Piconero{6}, 6}},
	} {
		for _, turned := range []bool{false, true} {
			if turned {
				slices.Reverse(list)
			}
			payments := make([]Payment, len(list))
			for i, g := range list {
				sum, err := money.Sum(g.amounts...)
				require.NoError(t, err)
				payments[i] = Payment{Transfer: monero.Transfer{TxHash: g.tx, Height: g.height, Amounts: g.amounts, Amount: sum}}
				payments[i].OneTimeKeys = []Key{{1}}
				for range g.amounts[1:] {
					payments[i].OneTimeKeys = append(payments[i].OneTimeKeys, Key(hashOf([]byte(g.tx))))
				}
			}
			for range 2 {
				countOnce(payments)
				for i, g := range list {
					require.Equal(t, g.counts, payments[i].Amount, "%s: %s", name, g.tx)
				}
			}
		}
	}
}

// sameKey makes two blocks with one payment each. Both have the same one-time key, and the
// second pays more.
func sameKey(t *testing.T) (r *served, small, great string) {
	t.Helper()
	r = servedChain(t)
	w := r.recipient(t)
	r.Blocks, r.Shown = nil, nil
	clear(r.Txs)
	var hashes []string
	for _, amount := range []uint64{1000, 3000} {
		m := payment(numbered("one"), amount, w.address(t, 0, 5))
		r.mine(t, m)
		hashes = append(hashes, m.parse(t).Hash.String())
	}
	return r, hashes[0], hashes[1]
}

// TestOneKeyCountsOnceAcrossScans scans the blocks one by one, in either order, twice, and
// asks for each payment alone.
func TestOneKeyCountsOnceAcrossScans(t *testing.T) {
	t.Parallel()
	for _, order := range [][]uint64{{0, 1}, {1, 0}, {0, 1, 0, 1}} {
		r, small, great := sameKey(t)
		scanner := r.scanner(t)
		counts := map[string]money.Piconero{}
		for _, n := range order {
			list, err := scanner.Payments(t.Context(), monero.Range{From: r.First + n, To: r.First + n})
			require.NoError(t, err)
			for _, p := range list {
				counts[p.TxHash] = p.Amount
			}
		}
		require.Equal(t, map[string]money.Piconero{small: 0, great: 3000}, counts)
		for hash, want := range counts {
			list, err := scanner.PaymentOf(t.Context(), hash)
			require.NoError(t, err)
			at := slices.IndexFunc(list, func(p Payment) bool { return p.TxHash == hash })
			require.Equal(t, want, list[at].Amount)
		}
		// A reorganization drops the greater one, and the smaller one can be spent after all.
		delete(r.Txs, great)
		list, err := scanner.PaymentOf(t.Context(), small)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.EqualValues(t, 1000, list[0].Amount)
	}
}

// TestATransactionIsExaminedOnce takes the bytes of everything away that was read in the pool.
func TestATransactionIsExaminedOnce(t *testing.T) {
	t.Parallel()
	r := servedChain(t)
	scanner := r.scanner(t)
	for hash, tx := range r.Txs {
		tx.InPool = true
		r.Txs[hash], r.pool = tx, append(r.pool, hash)
	}
	waiting, err := scanner.Payments(t.Context(), monero.Range{From: 1, To: 0, Pool: true})
	require.NoError(t, err)
	require.NotEmpty(t, waiting)
	clear(r.Txs)
	again, err := scanner.Payments(t.Context(), monero.Range{From: 1, To: 0, Pool: true})
	require.NoError(t, err)
	require.Equal(t, waiting, again)
	scanned, err := scanner.Blocks(t.Context(), r.First, r.last())
	require.NoError(t, err)
	require.Equal(t, r.Shown, (&chain{scanned: scanned}).foundOutputs())
}

// TestCandidatesAreKeptNotVerdicts gives an address out after its payment was read.
func TestCandidatesAreKeptNotVerdicts(t *testing.T) {
	t.Parallel()
	r := servedChain(t)
	scanner := r.scanner(t)
	whole := scanner.lookup
	scanner.lookup = (&recipient{known: map[Key]monero.Subaddress{}}).lookup
	none, err := scanner.Payments(t.Context(), monero.Range{From: r.First, To: r.last()})
	require.NoError(t, err)
	require.Empty(t, none)
	scanner.lookup = whole
	scanned, err := scanner.Blocks(t.Context(), r.First, r.last())
	require.NoError(t, err)
	require.Equal(t, r.Shown, (&chain{scanned: scanned}).foundOutputs())
}
