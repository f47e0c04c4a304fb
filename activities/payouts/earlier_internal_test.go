package payouts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// TestTransactionThatCouldBeMinedNextToAnEarlierOneIsNotStored: the wallet chooses inputs
// from the reserved payments, and may leave the shared one out.
func TestTransactionThatCouldBeMinedNextToAnEarlierOneIsNotStored(t *testing.T) {
	t.Parallel()
	s := source{earlier: []db.MinableOfClaimRow{{Inputs: []string{"a", "b"}}, {Inputs: []string{"b", "c"}}}}
	for _, c := range []struct {
		images  []string
		refused bool
	}{
		{[]string{"b", "d"}, false}, {[]string{"a", "c"}, false}, {[]string{"a", "d"}, true}, {[]string{"d"}, true},
	} {
		err := s.checkEarlier(built{tx: monero.BuiltTx{KeyImages: c.images}})
		require.Equal(t, c.refused, refusals.Is(err, refusals.Broadcast), c.images)
	}
	require.NoError(t, source{}.checkEarlier(built{}))
}
