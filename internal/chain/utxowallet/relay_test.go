package utxowallet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/utxo"
)

// TestSourceThatASecondReorganizationBringsBack: a payment spends a deposit, a
// reorganization drops the deposit, and a block has another transaction ("e") in its
// place. Then a second reorganization drops that block. The wallet still remembers that
// the deposit was in conflict with a block, but only the chain shows whether the
// payment can be mined. Otherwise the payment could be abandoned and paid again, and
// then be mined.
func TestSourceThatASecondReorganizationBringsBack(t *testing.T) {
	t.Parallel()
	const funds, between, deposit = "a", "b", "d"
	l := &ledger{txs: map[string]*record{
		hash(funds):   {at: block, outputs: []utxo.Amount{50}},
		hash(between): {at: nowhere, kept: true, inputs: []utxo.Coin{coin(funds, 0)}, outputs: []utxo.Amount{50}},
		hash(deposit): {at: nowhere, kept: true, inputs: []utxo.Coin{coin(between, 0)}, outputs: []utxo.Amount{40}},
		hash("e"):     {at: block, inputs: []utxo.Coin{coin(funds, 0)}},
	}}
	w := l.wallet(t)
	remembers := func() { l.txs[hash(between)].conflicted, l.txs[hash(deposit)].conflicted = true, true }
	payment := chain.Built{TxHash: hash("f"), Inputs: []string{coin(deposit, 0).String()}}
	for _, c := range []struct {
		when   string
		change func()
		want   chain.InputState
	}{
		{"a block has spent what it comes from", func() {}, chain.InputsSpent},
		{"and the wallet remembers", remembers, chain.InputsSpent},
		{"that block is gone", func() { l.txs[hash("e")].at = pool }, chain.InputsMissing},
		{"and nobody keeps what was in it", func() { l.txs[hash("e")].at = nowhere }, chain.InputsMissing},
		{"the deposit is back", func() { l.txs[hash(between)].at, l.txs[hash(deposit)].at = block, block }, chain.InputsFree},
	} {
		l.set(c.change)
		found, err := w.Find(t.Context(), payment)
		require.NoError(t, err)
		require.Equal(t, chain.Found{Inputs: c.want}, found, c.when)
	}
}
