package charge_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

func TestConfirmationsCountThePaymentsNeeded(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		facts charge.Facts
		want  int32
	}{
		"none":                              {at(1, 100), 0},
		"pool":                              {at(1, 100, paid(1000, 1, 0)), 0},
		"top block":                         {at(1, 101, paid(1000, 1, 100)), 1},
		"short: lowest of all":              {at(1, 110, paid(300, 1, 100), paid(300, 1, 105)), 5},
		"short with one in the pool":        {at(1, 110, paid(300, 1, 100), paid(300, 1, 0)), 0},
		"enough: a later extra is not used": {at(1, 110, paid(1000, 1, 100), paid(300, 1, 0)), 10},
		"enough from two":                   {at(1, 110, paid(500, 1, 100), paid(500, 1, 103), paid(9, 1, 0)), 7},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, charge.Confirmations(pending(), c.facts))
		})
	}
}

func TestPaymentStateAndDue(t *testing.T) {
	t.Parallel()
	tolerant := pending()
	tolerant.ConfirmFrom = 990
	for amount, want := range map[money.Piconero]charge.PaymentState{
		989: charge.Partial, 990: charge.Paid, 1000: charge.Paid, 1001: charge.Overpaid,
	} {
		view := charge.PublicViewOf(tolerant, at(1, 100, paid(amount, 1, 0)), "")
		require.Equal(t, want, view.PaymentState, "%d", amount)
		require.Equal(t, money.Piconero(1000).SubFloor(amount), view.AmountDueXMR)
	}
}

func TestLinkIsGoneUnlessPaid(t *testing.T) {
	t.Parallel()
	c := pending()
	require.False(t, charge.Unpayable(c, at(1, 1)))
	end := start.Add(time.Minute)
	c.LinkExpiresAt = &end
	require.False(t, charge.Unpayable(c, at(0, 1)))
	require.True(t, charge.Unpayable(c, at(1, 1)))
	require.False(t, charge.Unpayable(c, at(1, 1, paid(1, 0, 0))))
	c.LinkExpiresAt, c.LinkActive = nil, false
	require.True(t, charge.Unpayable(c, at(0, 1)))
	c.SeenAt = &start
	require.False(t, charge.Unpayable(c, at(0, 1)), "a payment was seen, and has left the chain since")
}

func TestViewKeepsNumbersDigitForDigit(t *testing.T) {
	t.Parallel()
	c := pending()
	c.Amount, c.Currency, c.AmountXMR = money.MustDecimal("8.123456789012"), money.XMR, 8_123_456_789_012
	c.Metadata = json.RawMessage(`{"n":1.10,"e":1e2}`)
	text, err := json.Marshal(charge.ViewOf(c, at(0, 1), "https://pay.example"))
	require.NoError(t, err)
	require.Contains(t, string(text), `"amount":8.123456789012,`)
	require.Contains(t, string(text), `"amount_xmr":8.123456789012,`)
	require.Contains(t, string(text), `"metadata":{"n":1.10,"e":1e2}`)
	require.Contains(t, string(text), `"created_at":"2026-11-21T09:30:00.000Z"`)
	require.Contains(t, string(text), `"confirmed_at":null`)
	require.Contains(t, string(text), `"payments":[]`)
	require.Contains(t, string(text), `"fields":[]`)
}
