package refund_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
)

var end = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

func TestWhereARefundStands(t *testing.T) {
	t.Parallel()
	claim := func(s refund.Status, amount money.Piconero) refund.Claim {
		return refund.Claim{Status: s, Amount: amount}
	}
	before := end.Add(-time.Millisecond)
	for name, c := range map[string]struct {
		claims    []refund.Claim
		cancelled bool
		at        time.Time
		want      refund.Status
		remaining money.Piconero
		held      money.Piconero
	}{
		"nobody claimed it":         {nil, false, before, refund.Open, 10, 10},
		"expired":                   {nil, false, end, refund.Expired, 0, 0},
		"cancelled":                 {nil, true, before, refund.Cancelled, 0, 0},
		"claimed":                   {[]refund.Claim{claim(refund.AwaitingApproval, 4)}, false, before, refund.AwaitingApproval, 6, 10},
		"claimed in time":           {[]refund.Claim{claim(refund.AwaitingPayment, 4)}, false, end, refund.AwaitingPayment, 0, 4},
		"being paid, and cancelled": {[]refund.Claim{claim(refund.InProgress, 4)}, true, before, refund.InProgress, 0, 4},
		"a part is paid":            {[]refund.Claim{claim(refund.Completed, 4)}, false, before, refund.Open, 6, 10},
		"a part was paid":           {[]refund.Claim{claim(refund.Completed, 4)}, false, end, refund.Expired, 0, 4},
		"all is paid":               {[]refund.Claim{claim(refund.Completed, 4), claim(refund.Completed, 6)}, false, before, refund.Completed, 0, 10},
		"a claim was taken back":    {[]refund.Claim{claim(refund.Cancelled, 10)}, false, before, refund.Open, 10, 10},
	} {
		r := refund.Refund{Amount: 10, ExpiresAt: end, Cancelled: c.cancelled, Claims: c.claims}
		status, err := r.StatusAt(c.at)
		require.NoError(t, err)
		require.Equal(t, c.want, status, name)
		remaining, err := r.Remaining(c.at)
		require.NoError(t, err)
		require.Equal(t, c.remaining, remaining, name)
		held, err := r.Held(c.at)
		require.NoError(t, err)
		require.Equal(t, c.held, held, name)
	}
}

// TestClaimsNeverTakeMore draws claims in any order: their sum never exceeds the
// refund, and no claim is accepted after its end.
func TestClaimsNeverTakeMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := refund.Refund{Amount: money.Piconero(rapid.Uint64Range(1, 20*uint64(refund.MinClaim)).Draw(t, "amount")), ExpiresAt: end}
		for range rapid.IntRange(1, 60).Draw(t, "claims") {
			asks := money.Piconero(rapid.Uint64Range(0, 8*uint64(refund.MinClaim)).Draw(t, "asks"))
			takes, again, err := r.NewClaim(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "address"), asks, end.Add(-time.Second))
			if err != nil || again != nil {
				continue
			}
			require.Positive(t, takes)
			r.Claims = append(r.Claims, refund.Claim{Amount: takes, Status: refund.AwaitingPayment, Address: "a"})
			claimed, err := r.Claimed()
			require.NoError(t, err)
			require.LessOrEqual(t, claimed, r.Amount)
			require.LessOrEqual(t, len(r.Claims), refund.MaxClaims)
		}
		_, _, err := r.NewClaim("d", 0, end)
		require.Error(t, err)
	})
}

func TestTheSameClaimTwiceIsOne(t *testing.T) {
	t.Parallel()
	now := end.Add(-time.Second)
	r := refund.Refund{Amount: 10 * refund.MinClaim, ExpiresAt: end, Claims: []refund.Claim{
		{ID: "1", Status: refund.AwaitingApproval, Amount: 4 * refund.MinClaim, Address: "a"},
	}}
	_, again, err := r.NewClaim("a", 4*refund.MinClaim, now)
	require.NoError(t, err)
	require.Equal(t, "1", again.ID)
	takes, again, err := r.NewClaim("a", 0, now)
	require.NoError(t, err)
	require.Nil(t, again)
	require.Equal(t, 6*refund.MinClaim, takes, "all that is left")
	r.Claims[0].Status = refund.Completed
	_, again, err = r.NewClaim("a", 4*refund.MinClaim, now)
	require.NoError(t, err)
	require.Nil(t, again, "the first is paid: it is another one")

	r.Claims = []refund.Claim{{ID: "all", Status: refund.Completed, Amount: r.Amount, Address: "a"}}
	_, again, err = r.NewClaim("a", 0, now)
	require.NoError(t, err)
	require.Equal(t, "all", again.ID, "a form that is sent again after the payment")
	_, _, err = r.NewClaim("b", 0, now)
	require.ErrorIs(t, err, refund.ErrNothing)
	r.Claims = nil
	for amount, want := range map[money.Piconero]error{
		refund.MinClaim - 1: refund.ErrTooSmall, refund.MinClaim: nil, r.Amount: nil, r.Amount + 1: refund.ErrTooMuch,
	} {
		_, _, err = r.NewClaim("b", amount, now)
		require.ErrorIs(t, err, want)
	}
	r.Cancelled = true
	_, _, err = r.NewClaim("b", 0, now)
	require.ErrorIs(t, err, refund.ErrCancelled)
}
