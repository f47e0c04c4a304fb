package activities_test

import (
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/refusals"
)

func reason(t *testing.T, err error) string {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.True(t, app.NonRetryable())
	return app.Type()
}

// TestAWakeupIsWrittenWithTheCharge, or neither is.
func TestAWakeupIsWrittenWithTheCharge(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	wakeups := func() int { return s.number(t, "SELECT count(*) FROM wakeups") }
	in := s.request()
	for range 2 {
		made, err := s.charges.Create(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, in.ChargeID, made.ID)
	}
	require.Equal(t, 1, wakeups())
	_, err := s.charges.Create(t.Context(), s.request())
	require.Equal(t, refusals.NoAddress, reason(t, err))
	require.Equal(t, 1, wakeups())
	s.exec(t, "DROP TABLE wakeups")
	s.exec(t, "INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES ($1, 99, 'another')", walletID)
	next := s.request()
	_, err = s.charges.Create(t.Context(), next)
	require.Error(t, err)
	_, err = s.store.Charge(t.Context(), next.ChargeID, start)
	require.ErrorIs(t, err, postgres.ErrNotFound)
}

func TestMakingAChargeTwiceIsOneCharge(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	s.webhook(t, "https://shop.example/hook", charge.EventCreated)
	in := s.request()
	first := s.create(t, in)
	require.Equal(t, first, s.create(t, in))
	made := s.advance(t, in.ChargeID, start)
	require.Len(t, made.Deliveries, 1)
	require.Equal(t, money.OneXMR/100, first.AmountXMR)
	require.Equal(t, start.Add(time.Hour), first.ExpiresAt.UTC())

	stored, err := s.store.Charges(t.Context(), s.merchant, config.Live, nil, 100, start)
	require.NoError(t, err)
	require.Len(t, stored, 1)
	d, err := s.store.GetDeliveryForSending(t.Context(), made.Deliveries[0])
	require.NoError(t, err)
	var body struct {
		Event     string      `json:"event"`
		Data      charge.View `json:"data"`
		Timestamp string      `json:"timestamp"`
	}
	require.NoError(t, json.Unmarshal([]byte(d.Payload), &body))
	require.Equal(t, charge.EventCreated, body.Event)
	require.Equal(t, "2026-11-21T09:30:00.000Z", body.Timestamp)
	now, err := json.Marshal(charge.ViewOf(stored[0].Charge, stored[0].Facts, "https://pay.example"))
	require.NoError(t, err)
	then, err := json.Marshal(body.Data)
	require.NoError(t, err)
	require.Equal(t, string(now), string(then), "the event carries the full charge as the API shows it")
	require.Contains(t, d.Payload, `"metadata":{"n":1.10}`)
}

func TestConcurrentCreationsGetDifferentAddresses(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			s.create(t, s.request())
		})
	}
	wg.Wait()
	_, err := s.charges.Create(t.Context(), s.request())
	require.Equal(t, refusals.NoAddress, reason(t, err), "the pool is empty")
	stored, err := s.store.Charges(t.Context(), s.merchant, config.Live, nil, 100, start)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, c := range stored {
		require.False(t, seen[c.Charge.Subaddress])
		seen[c.Charge.Subaddress] = true
	}
	require.Len(t, seen, 20)
}

func TestAtMostFiftyPendingButtonChargesEvenAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, 70)
	var made, refused atomic.Int32
	var wg sync.WaitGroup
	for range 60 {
		wg.Go(func() {
			in := s.request()
			in.Source = charge.FromButton
			if _, err := s.charges.Create(t.Context(), in); err != nil {
				require.Equal(t, refusals.TooMany, reason(t, err))
				refused.Add(1)
				return
			}
			made.Add(1)
			_, err := s.charges.Create(t.Context(), in)
			require.NoError(t, err, "delivered twice, the charge does not count against itself")
		})
	}
	wg.Wait()
	require.EqualValues(t, 50, made.Load())
	require.EqualValues(t, 10, refused.Load())
	_, err := s.charges.Create(t.Context(), s.request())
	require.NoError(t, err, "charges made with a key are not counted")

	_, err = s.store.Pool().Exec(t.Context(), "UPDATE charges SET status = 'expired' WHERE id = (SELECT id FROM charges WHERE source = 'button' LIMIT 1)")
	require.NoError(t, err)
	in := s.request()
	in.Source = charge.FromPaymentRequest
	latest, err := s.charges.Create(t.Context(), in)
	require.NoError(t, err, "one that ended makes room")
	require.Equal(t, start.Add(15*time.Minute), latest.ExpiresAt.UTC())
	for range 70 - 52 {
		s.create(t, s.request())
	}
	_, err = s.charges.Create(t.Context(), s.request())
	require.Equal(t, refusals.NoAddress, reason(t, err), "each refusal left its address to another charge")
}

func TestRefusalsOfACharge(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	unknown := s.request()
	unknown.MerchantID = "nobody"
	_, err := s.charges.Create(t.Context(), unknown)
	require.Equal(t, refusals.Merchant, reason(t, err))

	s.charges.Prices = priced{err: errors.New("all sources are down")}
	_, err = s.charges.Create(t.Context(), s.request())
	require.Equal(t, refusals.NoPrice, reason(t, err))

	inXMR := s.request()
	inXMR.Amount, inXMR.Currency = money.MaxAmount, money.XMR
	made, err := s.charges.Create(t.Context(), inXMR)
	require.NoError(t, err, "a charge in XMR needs no price, and the largest amount fits")
	require.Equal(t, "10000000", made.AmountXMR.String())
}

func TestAdvanceChargeTwiceEmitsOnce(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.webhook(t, "https://shop.example/hook", charge.EventPending, charge.EventConfirmed)
	in := s.request()
	s.create(t, in)

	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	s.mine(t, 105)
	advance := incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(2 * time.Minute)}
	seen, err := s.activity().AdvanceCharge(t.Context(), advance)
	require.NoError(t, err)
	require.Equal(t, charge.Pending, seen.Status)
	require.EqualValues(t, 5, seen.Confirmations)
	require.Len(t, seen.Deliveries, 1)
	require.Equal(t, start.Add(3*time.Hour), seen.ExpiresAt.UTC())

	s.mine(t, 110)
	done, err := s.activity().AdvanceCharge(t.Context(), advance)
	require.NoError(t, err)
	require.Equal(t, charge.Confirmed, done.Status)
	require.Len(t, done.Deliveries, 2, "the first was not attempted yet")
	again, err := s.activity().AdvanceCharge(t.Context(), advance)
	require.NoError(t, err)
	require.Equal(t, done, again)
}

func TestAdvanceAtTheSameTimeEmitsOnce(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.webhook(t, "https://shop.example/hook", charge.EventExpired)
	in := s.request()
	s.create(t, in)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			state, err := s.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(time.Hour)})
			require.NoError(t, err)
			require.Len(t, state.Deliveries, 1)
		})
	}
	wg.Wait()
}

func TestUnbackedChargeRaisesAnAlertUntilTheMoneyIsBack(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	in := s.request()
	s.create(t, in)
	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	s.mine(t, 110)
	advance := incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(time.Minute)}
	_, err := s.activity().AdvanceCharge(t.Context(), advance)
	require.NoError(t, err)

	_, err = s.store.Pool().Exec(t.Context(), "UPDATE received_payments SET height = NULL, mature_height = NULL, mature = false, vanished_at = now()")
	require.NoError(t, err)
	state, err := s.activity().AdvanceCharge(t.Context(), advance)
	require.NoError(t, err)
	require.True(t, state.Unbacked)
	alerts := s.openAlerts(t)
	require.Len(t, alerts, 1)
	require.Equal(t, alert.ChargeUnbacked, alerts[0].Kind)

	_, err = s.store.Pool().Exec(t.Context(), "UPDATE received_payments SET height = 105, mature_height = 115, vanished_at = NULL")
	require.NoError(t, err)
	state, err = s.activity().AdvanceCharge(t.Context(), advance)
	require.NoError(t, err)
	require.False(t, state.Unbacked)
	alerts = s.openAlerts(t)
	require.Empty(t, alerts)
}
