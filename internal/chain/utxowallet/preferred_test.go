package utxowallet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/utxo"
)

// TestRefundListsNoOtherCoins: anyone can send the wallet many small coins, and the
// daemon works for each coin that it lists. A refund uses its deposit's own coins; if
// these are gone, it lists large coins, and all coins only if there is no large one.
func TestRefundListsNoOtherCoins(t *testing.T) {
	t.Parallel()
	const million = 1_000_000
	for name, c := range map[string]struct {
		change func(*ledger)
		inputs []string
		listed []any
	}{
		"its own coins are there": {func(*ledger) {}, []string{coin("d", 0).String(), coin("d", 1).String()}, nil},
		"one of them is spent": {
			func(l *ledger) { l.txs[hash("e")] = &record{at: pool, inputs: []utxo.Coin{coin("d", 0)}} },
			[]string{coin("a", 0).String()}, []any{utxo.Amount(3 * million)},
		},
		"the deposit is not known": {
			func(l *ledger) { delete(l.txs, hash("d")) }, []string{coin("a", 0).String()}, []any{utxo.Amount(3 * million)},
		},
		"no other coin is large enough": {
			func(l *ledger) {
				l.txs[hash("a")].outputs = []utxo.Amount{2 * million, 2 * million}
				delete(l.txs, hash("d"))
			},
			[]string{coin("a", 0).String(), coin("a", 1).String()}, []any{utxo.Amount(3 * million), utxo.Amount(0)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &ledger{txs: map[string]*record{
				hash("a"): {at: block, kept: true, outputs: []utxo.Amount{9 * million}},
				hash("d"): {at: block, kept: true, outputs: []utxo.Amount{million, 2 * million}},
			}}
			c.change(l)
			built, err := l.wallet(t).Build(t.Context(), chain.Payment{
				To: "payer", Amount: 3 * million, SubtractFee: true, Prefer: []string{hash("d"), hash("d")},
			})
			require.NoError(t, err)
			require.ElementsMatch(t, c.inputs, built.Inputs)
			require.Equal(t, c.listed, l.listed)
		})
	}
}
