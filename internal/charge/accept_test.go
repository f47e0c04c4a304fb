package charge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

func TestAcceptUnderpaid(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	deep := int64(100)
	mature := []charge.Payment{{TxHash: "a", Amount: 400, Height: &deep, Mature: true, FirstSeenAt: begin}}
	young := []charge.Payment{{TxHash: "b", Amount: 400, Height: &deep, FirstSeenAt: begin}}
	full := []charge.Payment{{TxHash: "c", Amount: 1000, Height: &deep, Mature: true, FirstSeenAt: begin}}
	rules := charge.Rules{ConfirmationWindow: time.Hour}
	for name, c := range map[string]struct {
		status   charge.Status
		payments []charge.Payment
		refused  error
		from     money.Piconero
		events   []string
		late     bool
	}{
		"pending":               {charge.Pending, mature, nil, 400, []string{charge.EventPending, charge.EventConfirmed}, false},
		"expired":               {charge.Expired, mature, nil, 400, []string{charge.EventLateConfirmed}, true},
		"young money is left":   {charge.Expired, append(young, mature...), nil, 400, []string{charge.EventLateConfirmed}, true},
		"all of it is there":    {charge.Expired, full, nil, 1000, []string{charge.EventLateConfirmed}, true},
		"nothing deep enough":   {charge.Expired, young, charge.ErrNoPayment, 0, nil, false},
		"nothing at all":        {charge.Pending, nil, charge.ErrNoPayment, 0, nil, false},
		"confirmed without it":  {charge.Confirmed, full, charge.ErrConfirmed, 0, nil, false},
		"confirmed, money gone": {charge.Confirmed, nil, charge.ErrConfirmed, 0, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := charge.Charge{
				Status: c.status, AmountXMR: 1000, ConfirmFrom: 1000, ExpiresAt: begin.Add(time.Hour), ConfirmationsRequired: 10,
			}
			facts := charge.Facts{Payments: c.payments, ChainHeight: 150, Now: begin.Add(time.Minute)}
			after, err := charge.AcceptUnderpaid(before, facts)
			require.ErrorIs(t, err, c.refused)
			if err != nil {
				require.Equal(t, before, after)
				return
			}
			require.Equal(t, c.from, after.ConfirmFrom)
			confirmed, events := charge.Advance(after, facts, rules)
			require.Equal(t, charge.Confirmed, confirmed.Status)
			require.Equal(t, c.events, events)
			require.Equal(t, c.late, confirmed.Late)
			require.Equal(t, before.ExpiresAt, confirmed.ExpiresAt)

			again, err := charge.AcceptUnderpaid(confirmed, facts)
			if c.from == 1000 {
				require.ErrorIs(t, err, charge.ErrConfirmed)
				return
			}
			require.NoError(t, err)
			require.Equal(t, confirmed, again)
			same, events := charge.Advance(again, facts, rules)
			require.Equal(t, confirmed, same)
			require.Empty(t, events)
		})
	}
}
