package payouts

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// TestBuildThatDoesNotFitItsSwapIsNotStored compares transactions with an order
// of 2 XMR whose time to deposit is an hour.
func TestBuildThatDoesNotFitItsSwapIsNotStored(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	const merchant, id = "0123456789abcdef0123456789abcdef", "swp_0123456789abcdef01234567"
	made := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	ctx := t.Context()
	require.NoError(t, store.UpsertWallet(ctx, db.UpsertWalletParams{ID: "w", ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: "p"}))
	_, err := store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: merchant, EmailSealed: []byte{1}, EmailIndex: []byte{1}, PasswordHash: "x", LiveWalletID: "w", SandboxWalletID: "w",
	})
	require.NoError(t, err)
	require.NoError(t, store.InsertSwap(ctx, db.InsertSwapParams{
		ID: id, MerchantID: merchant, Provider: "ex", IDProvider: "1", TickerFrom: "xmr", NetworkFrom: "Mainnet", TickerTo: "ltc",
		NetworkTo: "Mainnet", AmountFrom: money.DecimalFromInt(2), AmountExpected: money.DecimalFromInt(4), Rate: money.DecimalFromInt(2),
		DepositAddress: "d", CreatedAt: made, ExpiresAt: made.Add(time.Hour),
	}))
	ticker, swapID := "ltc", id
	ordered := db.Payout{SwapTicker: &ticker, SwapID: &swapID}
	for _, c := range []struct {
		payout db.Payout
		amount money.Piconero
		after  time.Duration
		reason string
		fault  bool
	}{
		{db.Payout{}, 1, 0, "", false},
		{db.Payout{SwapTicker: &ticker}, 2 * money.OneXMR, 0, "", true},
		{ordered, 2 * money.OneXMR, 30 * time.Minute, "", false},
		{ordered, 2 * money.OneXMR, 30*time.Minute + time.Millisecond, refusals.Swap, false},
		{ordered, 2 * money.OneXMR * 99 / 100, 0, "", false},
		{ordered, 2*money.OneXMR*99/100 - 1, 0, refusals.Swap, false},
		{ordered, 2 * money.OneXMR * 101 / 100, 0, "", false},
		{ordered, 2*money.OneXMR*101/100 + 1, 0, refusals.Swap, false},
	} {
		a := &Handler{Store: store, Clock: func() time.Time { return made.Add(c.after) }}
		err := a.checkSwap(ctx, c.payout, built{amount: c.amount})
		code, _ := refusals.Of(err)
		require.Equal(t, c.reason, code, "%+v", c)
		require.Equal(t, c.reason != "" || c.fault, err != nil, "%+v", c)
	}
}
