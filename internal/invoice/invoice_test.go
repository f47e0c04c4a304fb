package invoice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
)

// TestStateOfEveryCharge: every status, mark and amount, and whether it was late
// or accepted.
func TestStateOfEveryCharge(t *testing.T) {
	t.Parallel()
	amounts := []money.Piconero{0, 1, 989, 990, 1000, 1001}
	seen := map[invoice.State]int{}
	for _, status := range []charge.Status{charge.Pending, charge.Confirmed, charge.Expired} {
		for _, mark := range []charge.Mark{charge.Unmarked, charge.MarkedSettled, charge.MarkedInvalid} {
			for _, late := range []bool{false, true} {
				for _, accepted := range []bool{false, true} {
					for _, amount := range amounts {
						c, f := made(status, mark, late, accepted, amount)
						got := invoice.StateOf(c, f)
						require.Equal(t, want(status, mark, late, accepted, amount), got, "%s %q late %t accepted %t %d", status, mark, late, accepted, amount)
						seen[got]++
					}
				}
			}
		}
	}
	require.Len(t, seen, 11, "%v", seen)
}

func made(status charge.Status, mark charge.Mark, late, accepted bool, amount money.Piconero) (charge.Charge, charge.Facts) {
	at := time.Date(2026, 11, 23, 9, 30, 0, 0, time.UTC)
	c := charge.Charge{Status: status, Mark: mark, Late: late, AmountXMR: 1000, ConfirmFrom: 990}
	if accepted {
		c.UnderpaidAcceptedAt = &at
	}
	f := charge.Facts{Now: at, ChainHeight: 200}
	if amount > 0 {
		f.Payments = []charge.Payment{{TxHash: "t", Amount: amount, FirstSeenAt: at}}
	}
	return c, f
}

// want says it in the order of the rules, from the strongest.
func want(status charge.Status, mark charge.Mark, late, accepted bool, amount money.Piconero) invoice.State {
	if mark == charge.MarkedInvalid {
		return invoice.State{Status: invoice.Invalid, Additional: invoice.Marked}
	}
	if status == charge.Confirmed {
		switch {
		case mark == charge.MarkedSettled || accepted:
			return invoice.State{Status: invoice.Settled, Additional: invoice.Marked}
		case late:
			return invoice.State{Status: invoice.Settled, Additional: invoice.PaidLate}
		case amount > 1000:
			return invoice.State{Status: invoice.Settled, Additional: invoice.PaidOver}
		default:
			return invoice.State{Status: invoice.Settled, Additional: invoice.None}
		}
	}
	partly := invoice.None
	if amount > 0 {
		partly = invoice.PaidPartial
	}
	switch {
	case status == charge.Expired:
		return invoice.State{Status: invoice.Expired, Additional: partly}
	case amount > 1000:
		return invoice.State{Status: invoice.Processing, Additional: invoice.PaidOver}
	case amount >= 990:
		return invoice.State{Status: invoice.Processing, Additional: invoice.None}
	default:
		return invoice.State{Status: invoice.New, Additional: partly}
	}
}

func TestMarkableIsWhatMarksTake(t *testing.T) {
	t.Parallel()
	for status, want := range map[charge.Status][]invoice.Status{
		charge.Pending: {invoice.Settled, invoice.Invalid}, charge.Expired: {invoice.Settled, invoice.Invalid}, charge.Confirmed: {},
	} {
		c, f := made(status, charge.Unmarked, false, false, 0)
		require.Equal(t, want, invoice.Markable(invoice.StateOf(c, f).Status), status)
	}
	require.Equal(t, []invoice.Status{invoice.Settled}, invoice.Markable(invoice.Invalid))
}

func TestSpeedPolicies(t *testing.T) {
	t.Parallel()
	for policy, want := range map[invoice.SpeedPolicy]int32{
		invoice.HighSpeed: 1, invoice.MediumSpeed: 1, invoice.LowMediumSpeed: 2, invoice.LowSpeed: 6,
	} {
		blocks, ok := policy.Confirmations()
		require.True(t, ok)
		require.Equal(t, want, blocks)
	}
	_, ok := invoice.SpeedPolicy("high").Confirmations()
	require.False(t, ok)
}
