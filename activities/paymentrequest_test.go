package activities_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

func (s *shop) paymentRequest(t *testing.T, singleUse bool) string {
	t.Helper()
	row, err := s.store.InsertPaymentRequest(t.Context(), db.InsertPaymentRequestParams{
		ID: secret.NewID("pr_"), MerchantID: s.merchant, Mode: "live", Amount: money.MustDecimal("1.5"), Currency: "USD",
		SingleUse: singleUse, Fields: []string{}, CreatedAt: start,
	})
	require.NoError(t, err)
	return row.ID
}

func (s *shop) requested(id string) chargestore.New {
	in := s.request()
	in.Source, in.PaymentRequestID = charge.FromPaymentRequest, &id
	return in
}

func (s *shop) stored(t *testing.T, id string) charge.Request {
	t.Helper()
	found, err := s.store.PaymentRequest(t.Context(), id)
	require.NoError(t, err)
	return found.Request
}

// TestTwoPaymentsOfOneRequestAtOnce pays two charges of a request for one
// payment at the same time, each confirmation delivered several times.
func TestTwoPaymentsOfOneRequestAtOnce(t *testing.T) {
	t.Parallel()
	for _, singleUse := range []bool{true, false} {
		s := open(t, 5)
		s.webhook(t, "https://shop.example/hook", charge.EventConfirmed)
		id := s.paymentRequest(t, singleUse)
		var made []string
		for range 2 {
			in := s.requested(id)
			s.create(t, in)
			s.pay(t, in.ChargeID, money.OneXMR/100, 100)
			made = append(made, in.ChargeID)
		}
		s.mine(t, 110)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				look := incoming.AdvanceCharge{ChargeID: made[i%2], Now: start.Add(time.Duration(i%2+1) * time.Minute)}
				state, err := s.activity().AdvanceCharge(t.Context(), look)
				require.NoError(t, err)
				require.Equal(t, charge.Confirmed, state.Status, "the second payment is confirmed as well")
				require.Len(t, state.Deliveries, 1)
			})
		}
		wg.Wait()
		r := s.stored(t, id)
		require.EqualValues(t, 2, r.CompletedPayments)
		require.Equal(t, singleUse, r.ConsumedAt != nil)
		_, err := s.charges.Create(t.Context(), s.requested(id))
		if singleUse {
			require.Equal(t, refusals.Request, reason(t, err))
			continue
		}
		require.NoError(t, err)
	}
}

func TestLatePaymentConsumesItsRequest(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	id := s.paymentRequest(t, true)
	in := s.requested(id)
	s.create(t, in)
	look := incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(time.Hour)}
	state, err := s.activity().AdvanceCharge(t.Context(), look)
	require.NoError(t, err)
	require.Equal(t, charge.Expired, state.Status)
	require.Equal(t, charge.RequestActive, s.stored(t, id).StatusAt(look.Now))
	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	s.mine(t, 110)
	for range 2 {
		state, err = s.activity().AdvanceCharge(t.Context(), look)
		require.NoError(t, err)
		require.Equal(t, charge.Confirmed, state.Status)
	}
	require.EqualValues(t, 1, s.stored(t, id).CompletedPayments)
	require.Equal(t, charge.RequestConsumed, s.stored(t, id).StatusAt(look.Now))
}

func TestChargesOfARequestThatHasEnded(t *testing.T) {
	t.Parallel()
	s := open(t, 3)
	id := s.paymentRequest(t, true)
	in := s.requested(id)
	first := s.create(t, in)
	for _, end := range []string{
		"UPDATE payment_requests SET active = false", "UPDATE payment_requests SET active = true, expires_at = created_at",
		"DELETE FROM payment_requests",
	} {
		s.exec(t, end)
		_, err := s.charges.Create(t.Context(), s.requested(id))
		require.Equal(t, refusals.Request, reason(t, err), end)
		again, err := s.charges.Create(t.Context(), in)
		require.NoError(t, err, "a charge that was made before is still the same when its creation is delivered again")
		require.Equal(t, first, again)
	}
	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	s.mine(t, 110)
	state, err := s.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start})
	require.NoError(t, err)
	require.Equal(t, charge.Confirmed, state.Status, "money for a request that is gone is money all the same")
}
