package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/secret"
)

// TestRefundToOneselfPaysTheFee: a merchant may be the buyer of their own charge.
// Refunded money pays the operator's share as swept money does, the refund shows the
// share when it is made, and the payments chosen for it cover the share.
func TestRefundToOneselfPaysTheFee(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	charge := s.earn(t, 100)
	s.pay(t, charge, 10*money.OneXMR, 101)
	s.mine(t, 140)
	rate := money.MustDecimal("0.01")
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE merchants SET fee_rate = 0.01")
	require.NoError(t, err)
	id, err := s.refund(t, charge, "10")
	require.NoError(t, err)
	made, err := chargestore.LoadRefund(t.Context(), s.store.Queries, id)
	require.NoError(t, err)
	view, err := made.View(start)
	require.NoError(t, err)
	require.Equal(t, money.OneXMR/10, view.FeeXMR)
	require.Equal(t, "0.01", view.FeeRate.String())

	claim := s.claim(t, id, 0)
	s.waitsFor(t, claim, refund.ForMoney) // 10.01 cover 10, the chain's fee and a share of 0.01, and no share of 10.01
	require.Empty(t, s.payableAt(t, start))
	require.Len(t, s.payableAt(t, start.Add(time.Hour)), 1, "the rate may have been lowered")
	s.pay(t, charge, money.OneXMR, 141)
	s.mine(t, 160)
	in := payouts.ReserveClaim{PayoutID: secret.NewID("po_"), ClaimID: claim, Dust: 14_000_000, Now: start}
	for range 2 {
		reserved, err := s.payouts().ReserveClaim(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, 11*money.OneXMR, reserved.Gross)
	}
	const network = money.Piconero(45_000_000)
	rest, err := payout.RefundRest(11*money.OneXMR, 10*money.OneXMR, network, rate)
	require.NoError(t, err)
	share, err := payout.Fee(11*money.OneXMR, rate)
	require.NoError(t, err)
	require.Equal(t, money.OneXMR-share-network-network/100, rest)
}

// TestRefundedMoneyIsNoVolume: money that goes back to buyers, or round in a circle,
// earns no cheaper tier, from the moment at which it was sent until it is as old as the
// volume.
func TestRefundedMoneyIsNoVolume(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	s.payTo(t)
	charge := s.earn(t, 100)
	s.earn(t, 100)
	require.NoError(t, s.store.InsertFeeTier(t.Context(), db.InsertFeeTierParams{VolumeFrom: money.OneXMR / 50, FeeRate: money.MustDecimal("0.004")}))
	now := start.Add(time.Hour)
	require.Equal(t, "0.004", s.rate(t, now))
	id, err := s.refund(t, charge, "0.005")
	require.NoError(t, err)
	po, err := s.reserveClaim(t, s.claim(t, id, 0))
	require.NoError(t, err)
	s.builtClaim(t, po)
	volume := func() money.Piconero {
		t.Helper()
		v, err := s.store.ConfirmedVolume(t.Context(), db.ConfirmedVolumeParams{MerchantID: s.merchant, Since: now.Add(-payout.VolumePeriod), Until: now})
		require.NoError(t, err)
		list, err := s.store.ListMerchants(t.Context(), db.ListMerchantsParams{VolumeSince: now.Add(-payout.VolumePeriod), MaxRows: 1})
		require.NoError(t, err)
		require.Equal(t, v, list[0].Volume, "operators see the same")
		return v
	}
	require.Equal(t, money.OneXMR/50, volume(), "nothing was sent yet")
	for range 2 {
		require.NoError(t, step(t, a, a.RelayPayout, po, nil))
	}
	require.Equal(t, money.OneXMR/50-money.OneXMR/200, volume())
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE payouts SET refund_amount = gross, amount = 0, fee = 0, network_fee = 0 WHERE claim_id IS NOT NULL")
	require.NoError(t, err)
	_, err = s.store.Pool().Exec(t.Context(), "DELETE FROM ledger")
	require.NoError(t, err)
	require.Zero(t, volume(), "it is never less than nothing")
}
