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

// A charge of two confirmations at height 110, whose payment is in block 100.
func TestAPayersLockIsNamed(t *testing.T) {
	t.Parallel()
	locked := func(height int64, until time.Time) charge.Payment {
		p := paid(1000, 1, 100)
		p.Mature, p.UnlockHeight = false, height
		if !until.IsZero() {
			p.UnlockAt = &until
		}
		return p
	}
	f := at(1, 110)
	soon, later := f.Now.Add(time.Hour), f.Now.Add(48*time.Hour)
	inPool := locked(0, time.Time{})
	inPool.Height = nil
	mature := locked(5000, time.Time{})
	mature.Mature = true
	for name, c := range map[string]struct {
		payments []charge.Payment
		want     *charge.Payment
	}{
		"none":                            {nil, nil},
		"an ordinary one":                 {[]charge.Payment{locked(0, time.Time{})}, nil},
		"a lock within the confirmations": {[]charge.Payment{locked(102, time.Time{})}, nil},
		"a lock of one block more":        {[]charge.Payment{locked(103, time.Time{})}, new(locked(103, time.Time{}))},
		"ordinary in the pool":            {[]charge.Payment{inPool}, nil},
		"a moment that has passed":        {[]charge.Payment{locked(0, f.Now)}, nil},
		"a moment to come":                {[]charge.Payment{locked(0, soon)}, new(locked(0, soon))},
		"the later moment":                {[]charge.Payment{locked(0, later), locked(0, soon)}, new(locked(0, later))},
		"the higher block":                {[]charge.Payment{locked(300, time.Time{}), locked(200, time.Time{})}, new(locked(300, time.Time{}))},
		"a moment before a block":         {[]charge.Payment{locked(300, time.Time{}), locked(0, soon)}, new(locked(0, soon))},
		"what counts already":             {[]charge.Payment{mature}, nil},
	} {
		f.Payments = c.payments
		got := pending()
		got.ConfirmationsRequired = 2
		require.Equal(t, c.want, charge.LockedBy(got, f), name)
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
