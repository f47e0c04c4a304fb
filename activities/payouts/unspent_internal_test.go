package payouts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
)

// TestUnspentPaymentsOfAPayout: the wallet pays the merchant from some of the reserved
// outputs. The other outputs are the operator's, as far as they are paid out at all.
func TestUnspentPaymentsOfAPayout(t *testing.T) {
	t.Parallel()
	in := inputs{outputs: map[string]input{"a": {10, 1}, "b": {10, 2}, "c": {1, 2}, "d": {1, 3}, "e": {0, 4}}}
	b := built{tx: monero.BuiltTx{KeyImages: []string{"a", "b"}}, swept: []string{"a", "b", "c", "d"}}
	require.Equal(t, []int64{1, 2}, in.spends(b))
	require.Equal(t, []int64{3}, in.unspent(b), "2 is spent in part, and 4 is not paid out")
	b.tx.KeyImages = b.swept
	require.Empty(t, in.unspent(b))
}
