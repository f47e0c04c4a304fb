package activities_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// rate is the fee rate of a payout that is reserved now, and given up again.
func (s *shop) rate(t *testing.T, at time.Time) string {
	t.Helper()
	a, in := s.payouts(), s.sweep()
	a.FeeRate, in.Now = money.MustDecimal("0.01"), at
	_, err := a.ReservePayout(t.Context(), in)
	require.NoError(t, err)
	p, err := s.store.GetPayout(t.Context(), in.PayoutID)
	require.NoError(t, err)
	_, err = a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: in.PayoutID})
	require.NoError(t, err)
	return p.FeeRate.String()
}

func TestFeeRateIsFixedWithTheReservation(t *testing.T) {
	t.Parallel()
	s := open(t, 10)
	s.payTo(t)
	s.earn(t, 100)
	require.Equal(t, "0.01", s.rate(t, start.Add(time.Hour)), "the configured one")
	require.NoError(t, s.store.InsertFeeTier(t.Context(), db.InsertFeeTierParams{VolumeFrom: money.OneXMR / 50, FeeRate: money.MustDecimal("0.004")}))
	require.Equal(t, "0.01", s.rate(t, start.Add(time.Hour)), "0.01 XMR does not reach the tier")
	s.earn(t, 100)
	require.Equal(t, "0.004", s.rate(t, start.Add(time.Hour)))
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE ledger SET mode = 'sandbox' WHERE charge_id = (SELECT min(charge_id) FROM ledger)")
	require.NoError(t, err)
	require.Equal(t, "0.01", s.rate(t, start.Add(time.Hour)), "money of the sandbox is no volume")
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE ledger SET mode = 'live'")
	require.NoError(t, err)
	confirmed := start.Add(time.Minute)
	require.Equal(t, "0.004", s.rate(t, confirmed.AddDate(0, 0, 30).Add(-time.Second)))
	require.Equal(t, "0.01", s.rate(t, confirmed.AddDate(0, 0, 30)), "older than 30 days")
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE merchants SET fee_rate = 0")
	require.NoError(t, err)
	require.Equal(t, "0", s.rate(t, start.Add(time.Hour)), "the merchant's own, though it is nothing")

	a, in := s.payouts(), s.sweep()
	_, err = a.ReservePayout(t.Context(), in)
	require.NoError(t, err)
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE merchants SET fee_rate = 0.5")
	require.NoError(t, err)
	_, err = a.ReservePayout(t.Context(), in)
	require.NoError(t, err)
	p, err := s.store.GetPayout(t.Context(), in.PayoutID)
	require.NoError(t, err)
	require.Equal(t, "0", p.FeeRate.String(), "a change does not reach a payout that is reserved")
}

// TestOutputsAreLockedForTenBlocks holds for charges that needed fewer
// confirmations: the chain would refuse to spend their outputs.
func TestOutputsAreLockedForTenBlocks(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	s.payTo(t)
	s.charges.ConfirmationsRequired = 1
	in := s.request()
	s.create(t, in)
	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	for height := int64(101); height < 110; height++ {
		s.mine(t, height)
		s.advance(t, in.ChargeID, start.Add(time.Minute))
		sum, err := s.store.UnpaidSummary(t.Context(), db.UnpaidSummaryParams{MerchantID: s.merchant, WalletID: walletID})
		require.NoError(t, err)
		require.Equal(t, money.OneXMR/100, sum.Total)
		require.Equal(t, sum.Total, sum.Locked)
		_, err = s.payouts().ReservePayout(t.Context(), s.sweep())
		require.Equal(t, refusals.TooSmall, reason(t, err), "height %d", height)
	}
	s.mine(t, 110)
	reserved, err := s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	require.Equal(t, money.OneXMR/100, reserved.Gross)
}

// TestTheDatabaseHoldsOnePayoutAtATime tries to write a second one past every
// check of the code.
func TestTheDatabaseHoldsOnePayoutAtATime(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	insert := func(ctx context.Context) (string, error) {
		id := s.sweep().PayoutID
		return id, s.store.InsertPayout(ctx, db.InsertPayoutParams{
			ID: id, MerchantID: s.merchant, WalletID: walletID, AddressSealed: []byte{1}, AddressMasked: "masked",
			Gross: 1, ChargesPaid: 1, Outputs: 1, CreatedAt: start,
		})
	}
	first, err := insert(t.Context())
	require.NoError(t, err)
	_, err = insert(t.Context())
	require.True(t, postgres.IsDuplicate(err), "%v", err)
	reason := "refused"
	_, err = s.store.MarkPayoutFailed(t.Context(), db.MarkPayoutFailedParams{ID: first, Error: &reason})
	require.NoError(t, err)
	_, err = insert(t.Context())
	require.NoError(t, err, "the first is over")
}
