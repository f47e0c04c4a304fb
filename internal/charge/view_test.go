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

// A charge of 1000 and ten confirmations at height 110, paid in block 105.
func TestAPayersLockIsNamed(t *testing.T) {
	t.Parallel()
	f := at(1, 110)
	soon, later := f.Now.Add(time.Hour), f.Now.Add(48*time.Hour)
	locked := func(amount money.Piconero, height int64, until *time.Time) charge.Payment {
		p := paid(amount, 1, 105)
		p.UnlockHeight, p.UnlockAt = height, until
		return p
	}
	pool := func(p charge.Payment) charge.Payment {
		p.Height = nil
		return p
	}
	mature := locked(1000, 5000, nil)
	mature.Mature = true
	block, moment, years := locked(1000, 116, nil), locked(1000, 0, &soon), locked(1000, 1<<62, nil)
	dust := locked(1, 0, &later)
	for name, c := range map[string]struct {
		payments []charge.Payment
		want     *charge.Payment
	}{
		"none":                                  {nil, nil},
		"an ordinary one":                       {[]charge.Payment{locked(1000, 0, nil)}, nil},
		"a lock within the confirmations":       {[]charge.Payment{locked(1000, 115, nil)}, nil},
		"a lock of one block more":              {[]charge.Payment{block}, &block},
		"a lock that has passed":                {[]charge.Payment{locked(1000, 110, &f.Now)}, nil},
		"ordinary in the pool":                  {[]charge.Payment{pool(locked(1000, 0, nil))}, nil},
		"in the pool, within the confirmations": {[]charge.Payment{pool(locked(1000, 120, nil))}, nil},
		"a moment to come":                      {[]charge.Payment{moment}, &moment},
		"a height without end":                  {[]charge.Payment{years}, &years},
		"what counts already":                   {[]charge.Payment{mature}, nil},
		"a stranger's dust":                     {[]charge.Payment{locked(1000, 0, nil), dust}, nil},
		"dust that is needed":                   {[]charge.Payment{locked(999, 0, nil), dust}, &dust},
		"the earlier of two that are enough":    {[]charge.Payment{years, moment}, &moment},
		"the later of two that are needed":      {[]charge.Payment{locked(500, 0, &soon), locked(500, 1<<62, nil)}, new(locked(500, 1<<62, nil))},
		"too little":                            {[]charge.Payment{locked(999, 0, &soon)}, nil},
	} {
		f.Payments = c.payments
		require.Equal(t, c.want, charge.LockedBy(pending(), f), name)
	}
	f.Payments = []charge.Payment{moment}
	invalid, over := pending(), pending()
	invalid.Mark, over.CountsUntil = charge.MarkedInvalid, new(f.Now.Add(-time.Hour))
	require.Nil(t, charge.LockedBy(invalid, f), "it never counts")
	require.Nil(t, charge.LockedBy(over, f), "it never counts")
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
