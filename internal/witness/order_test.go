package witness_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/internal/witness"
)

// deposit is the provider's address that a payout pays.
const deposit = "84depositdepositdeposit"

func order() *witness.Order {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	return &witness.Order{
		Provider: "other", ID: "order", TickerFrom: "xmr", NetworkFrom: "Mainnet", TickerTo: "ltc", NetworkTo: "Mainnet",
		AmountFrom: money.MustDecimal("0.9"), Expected: money.MustDecimal("1.8"), DepositAddress: deposit, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
	}
}

// TestRecoverFollowsTheOrderOfAPayout: the lost copy of the database had ordered a swap
// and paid it with a payout. The swap is inserted again and its provider is polled,
// whatever this copy knows about the payout. Its merchant is notified of the payout with
// its swap.
func TestRecoverFollowsTheOrderOfAPayout(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*testing.T, *bench){
		"nothing is known": func(t *testing.T, b *bench) { b.exec(t, "DELETE FROM payouts") },
		"it failed before it ordered": func(*testing.T, *bench) {
		},
		"it was not built": func(t *testing.T, b *bench) {
			b.exec(t, "UPDATE payouts SET status = 'building', error = NULL, swap_address_sealed = '\\x02'")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := failedSweep(t, false)
			prepare(t, b)
			b.webhook(t)
			b.swept(t, order())
			for n := range 2 {
				done, err := r.Apply(t.Context(), wallet)
				require.NoError(t, err)
				require.Equal(t, n == 0, done.Ended)
				if n == 0 {
					require.Equal(t, map[string]string{"tx 1": witness.TakenOver}, outcomes(done), done.Sends[0].Why)
				}
			}
			p, err := b.store.GetPayout(t.Context(), payoutID)
			require.NoError(t, err)
			require.Equal(t, "broadcast ltc Mainnet", p.Status+" "+*p.SwapTicker+" "+*p.SwapNetwork)
			require.Equal(t, "sealed "+deposit, string(p.AddressSealed))
			require.Equal(t, payout.MaskAddress(deposit), p.AddressMasked)
			require.Nil(t, p.SwapAddressSealed)
			row, err := b.store.GetSwap(t.Context(), *p.SwapID)
			require.NoError(t, err)
			require.Equal(t, order(), witness.OrderOf(row))
			require.Equal(t, "2", row.Rate.String())
			require.Equal(t, "waiting", row.Status)
			require.Nil(t, row.ClosedAt, "its provider is asked")
			funded, err := b.store.SwapIsFunded(t.Context(), row.ID)
			require.NoError(t, err)
			require.True(t, funded)
			messages := b.messages(t)
			require.Len(t, messages, 1)
			require.Equal(t, row.ID, messages[0].Data.SwapID)
		})
	}
}

// TestRecoverNamesAnOrderThatIsNotFollowed: an alert names the provider and its order if
// the payout's swap has another order here, or another swap has this order, or the
// merchant is not known.
func TestRecoverNamesAnOrderThatIsNotFollowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		placed  bool
		prepare string
		why     string
	}{
		"the swap has another order":  {true, "UPDATE swaps SET id_provider = 'mine'", "its swap has the order mine of other here"},
		"another swap has this order": {true, "UPDATE swaps SET id = 'swp_ffffffffffffffffffffffff', payout_id = NULL", "another swap has this order here"},
		"the merchant is not known":   {false, "DELETE FROM payouts; DELETE FROM merchants", "its merchant is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := failedSweep(t, c.placed)
			if c.placed {
				b.exec(t, "UPDATE payouts SET swap_id = NULL")
			}
			b.exec(t, c.prepare)
			b.swept(t, order())
			done, err := r.Apply(t.Context(), wallet)
			require.NoError(t, err)
			require.True(t, done.Ended)
			require.Equal(t, map[string]string{"tx 1": witness.Recorded}, outcomes(done))
			require.Contains(t, done.Sends[0].Why, "the order order of other")
			require.Contains(t, done.Sends[0].Why, c.why)
			alerted, err := b.store.HasAlert(t.Context(), db.HasAlertParams{Kind: "send_unmatched", Subject: "tx 1"})
			require.NoError(t, err)
			require.True(t, alerted)
			rows := 0
			require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM payouts WHERE swap_id = $1", swap.OfPayout(payoutID)).Scan(&rows))
			require.Zero(t, rows)
		})
	}
}
