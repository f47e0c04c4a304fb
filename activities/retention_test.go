package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

const day = 24 * time.Hour

func (s *shop) retention() *activities.Retention {
	return &activities.Retention{Store: s.store, BuyerData: 14 * day, Records: 30 * day}
}

func TestRetentionNeverRemovesMoneyThatIsNotPaidOut(t *testing.T) {
	t.Parallel()
	s := open(t, 10)
	s.payTo(t)
	s.webhook(t, "https://shop.example", charge.EventConfirmed)
	owed := s.earn(t, 100)
	short := s.request()
	_, err := s.charges.CreateCharge(t.Context(), short)
	require.NoError(t, err)
	s.pay(t, short.ChargeID, 1, 100)
	unpaid := s.request()
	_, err = s.charges.CreateCharge(t.Context(), unpaid)
	require.NoError(t, err)
	for _, id := range []string{short.ChargeID, unpaid.ChargeID} {
		_, err = s.charges.AdvanceCharge(t.Context(), activities.AdvanceCharge{ChargeID: id, Now: start.Add(10 * time.Hour)})
		require.NoError(t, err)
	}
	open := s.request()
	_, err = s.charges.CreateCharge(t.Context(), open)
	require.NoError(t, err)

	for range 2 {
		_, err = s.retention().PruneBatch(t.Context(), activities.PruneBatch{Now: start.Add(31 * day)})
		require.NoError(t, err)
	}
	left := map[string]bool{}
	all, err := s.store.Charges(t.Context(), s.merchant, "live", nil, 100, start)
	require.NoError(t, err)
	for _, c := range all {
		left[c.Charge.ID] = true
	}
	require.Equal(t, map[string]bool{owed: true, short.ChargeID: true, open.ChargeID: true}, left,
		"confirmed and not paid out, holding money, and still open; the unpaid one is gone")
}

func TestRetentionKeepsWhatIsYoungEnough(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	in := s.request()
	in.Metadata = `{"a":1.10,"buyer_info":{"email":"x"}}`
	_, err := s.charges.CreateCharge(t.Context(), in)
	require.NoError(t, err)
	_, err = s.charges.AdvanceCharge(t.Context(), activities.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(time.Hour)})
	require.NoError(t, err)
	metadata := func() string {
		c, err := s.store.Charge(t.Context(), in.ChargeID, start)
		require.NoError(t, err)
		return string(c.Charge.Metadata)
	}
	_, err = s.retention().PruneBatch(t.Context(), activities.PruneBatch{Now: start.Add(13 * day)})
	require.NoError(t, err)
	require.Contains(t, metadata(), "buyer_info")
	_, err = s.retention().PruneBatch(t.Context(), activities.PruneBatch{Now: start.Add(15 * day)})
	require.NoError(t, err)
	require.Equal(t, `{"a":1.10}`, metadata())
	require.Equal(t, money.OneXMR/100, mustCharge(t, s, in.ChargeID).AmountXMR)
}

func mustCharge(t *testing.T, s *shop, id string) charge.Charge {
	t.Helper()
	c, err := s.store.Charge(t.Context(), id, start)
	require.NoError(t, err)
	return c.Charge
}
