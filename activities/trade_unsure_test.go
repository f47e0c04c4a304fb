package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/trade"
)

// TestNothingIsSettledFromADatabaseThatMayBeBehind: while one of the wallets is in
// safe mode, or this copy of the database was not compared with the witness, a deep
// deposit is seen and neither swapped nor sent back.
func TestNothingIsSettledFromADatabaseThatMayBeBehind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ behind, known string }{
		"the wallet that pays out": {
			"UPDATE witnesses SET safe_since = now(), safe_reason = 'behind' WHERE wallet_id = 'ltc'",
			"UPDATE witnesses SET safe_since = NULL, safe_reason = NULL",
		},
		"the wallet of deposits": {
			"UPDATE witnesses SET safe_since = now(), safe_reason = 'behind' WHERE wallet_id = 'xmr'",
			"UPDATE witnesses SET safe_since = NULL, safe_reason = NULL",
		},
		"a copy that was not compared": {
			"UPDATE witnesses SET lease_instance = 'of another server'",
			"UPDATE witnesses SET lease_instance = database_instance()",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			row := b.create(t, b.request("1"))
			b.deposit(row, "deposit", "1", 2)
			b.look(t) // it compares, too
			_, err := b.store.Pool().Exec(t.Context(), c.behind)
			require.NoError(t, err)
			for range 2 {
				state, err := b.trades.AdvanceTrade(t.Context(), trades.AdvanceTrade{TradeID: row.ID, Now: b.now})
				require.NoError(t, err)
				require.Equal(t, trade.Confirming, state.Status)
				require.Empty(t, state.Payments)
				require.True(t, state.Postponed, "the run goes on")
				require.Equal(t, b.now.Add(time.Minute), state.RecheckAt)
			}
			require.Nil(t, b.row(t, row.ID).CountedDeposit)
			_, err = b.store.Pool().Exec(t.Context(), c.known)
			require.NoError(t, err)
			state := b.advance(t, row.ID)
			require.Equal(t, trade.Processing, state.Status)
			require.Len(t, state.Payments, 1)
			require.False(t, state.Postponed)
		})
	}
}
