package xmrwallet

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
)

func TestPartOfTheChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ change, paid, total, want uint64 }{
		"nothing":                              {0, 0, 0, 0},
		"everything":                           {3_200, 1, 3_200, 1_066},
		"a 32nd":                               {100, 1, 3_200, 0},
		"more than a 32nd":                     {101, 1, 3_200, 33},
		"a part pays as much as this payment":  {300, 100, 3_200, 100},
		"a part pays less than this payment":   {299, 100, 3_200, 0},
		"the payment was nearly all there was": {10, 3_190, 10, 0},
	} {
		require.Equal(t, c.want, partOf(c.change, c.paid, c.total), name)
	}
}

func TestChangeOfATransaction(t *testing.T) {
	t.Parallel()
	free := []monero.Output{{KeyImage: "a", Amount: 5}, {KeyImage: "b", Amount: 7}, {KeyImage: "c", Amount: 100}}
	require.EqualValues(t, 3, changeOf(monero.BuiltTx{KeyImages: []string{"a", "b"}, Amount: 8, Fee: 1}, free))
	require.Zero(t, changeOf(monero.BuiltTx{KeyImages: []string{"a"}, Amount: 4, Fee: 1}, free))
	require.Zero(t, changeOf(monero.BuiltTx{KeyImages: []string{"unknown"}, Amount: 4, Fee: 1}, free))
}
