package swap_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/swap"
	_ "github.com/durapay/durapay/tools/testseed"
)

const day = 24 * time.Hour

func began() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) }

func fresh() swap.Swap {
	return swap.Swap{
		Status: swap.Waiting, Word: "waiting", AmountFrom: money.MustDecimal("1.5"), Expected: money.MustDecimal("2.9"),
		DepositAddress: "deposit", ExpiresAt: began().Add(time.Hour), QuietSince: began(), AnsweredAt: began(),
	}
}

// said returns a provider's report on the swap some time after the start.
func said(state provider.State, after time.Duration) swap.Report {
	return swap.Report{
		Swap: provider.Swap{State: state, Word: string(state), DepositAddress: "deposit", AmountFrom: money.MustDecimal("1.5")},
		Now:  began().Add(after),
	}
}

// applyReports applies the reports of a provider that answers all the time with one
// state.
func applyReports(o swap.Outcome, state provider.State, from, until time.Duration) swap.Outcome {
	for at := from; at <= until && !o.Closed; at += 30 * time.Minute {
		o = swap.Advance(o.Swap, said(state, at))
	}
	return o
}

func TestSwapFollowsItsProvider(t *testing.T) {
	t.Parallel()
	s := fresh()
	for i, step := range []struct {
		state  provider.State
		want   swap.Status
		detail string
	}{
		{provider.Waiting, swap.Waiting, ""},
		{provider.Confirming, swap.Confirming, ""},
		{provider.Waiting, swap.Waiting, ""}, // a reorg dropped the block
		{provider.Confirming, swap.Confirming, ""},
		{provider.Verifying, swap.Exchanging, "the provider checks the deposit"},
		{provider.Confirming, swap.Exchanging, "the provider checks the deposit"}, // an old answer
		{provider.Exchanging, swap.Exchanging, ""},
		{provider.Unknown, swap.Exchanging, ""},
		{provider.Sending, swap.Sending, ""},
		{provider.Exchanging, swap.Sending, ""},
		{provider.Waiting, swap.Sending, ""},
		{provider.Finished, swap.Finished, ""},
		{provider.Refunded, swap.Finished, ""},
		{provider.Failed, swap.Finished, ""},
		{provider.Exchanging, swap.Finished, ""},
	} {
		o := swap.Advance(s, said(step.state, time.Duration(i)*time.Minute))
		require.Equal(t, step.want, o.Status, "step %d: %s", i, step.state)
		require.Equal(t, step.detail, o.Detail, "step %d: %s", i, step.state)
		require.Equal(t, step.want == swap.Finished, o.Closed)
		require.Equal(t, step.state == provider.Unknown, o.Alarm != "", "%s: %s", step.state, o.Alarm)
		s = o.Swap
	}
}

func TestLastWordsOfAProvider(t *testing.T) {
	t.Parallel()
	for state, want := range map[provider.State]struct {
		status swap.Status
		closed bool
		alarm  bool
	}{
		provider.Finished: {swap.Finished, true, false},
		provider.Refunded: {swap.Refunded, true, false},
		provider.Failed:   {swap.Failed, true, false},
		provider.Expired:  {swap.Failed, false, false},
		provider.Halted:   {swap.Failed, false, true},
	} {
		o := swap.Advance(fresh(), said(state, time.Hour))
		require.Equal(t, want.status, o.Status, state)
		require.Equal(t, want.closed, o.Closed, state)
		require.Equal(t, want.alarm, o.Alarm != "", state)
		require.Equal(t, want.status == swap.Failed, o.Detail != "", state)
	}
}

func TestUnpaidSwap(t *testing.T) {
	t.Parallel()
	for _, state := range []provider.State{provider.Waiting, provider.Expired} {
		o := applyReports(swap.Outcome{Swap: fresh()}, state, 0, time.Hour+7*day)
		require.False(t, o.Closed, "what comes late may still come: %s", state)
		o = applyReports(o, state, time.Hour+7*day, 3*time.Hour+7*day)
		require.True(t, o.Closed, state)
		require.Equal(t, swap.Failed, o.Status)
		require.Equal(t, "no deposit came in time", o.Detail)
		require.Empty(t, o.Alarm)
	}
}

func TestDepositThatComesLateHasAnEndOfItsOwn(t *testing.T) {
	t.Parallel()
	for end, want := range map[provider.State]swap.Status{provider.Refunded: swap.Refunded, provider.Finished: swap.Finished} {
		o := swap.Advance(fresh(), said(provider.Expired, 2*time.Hour))
		o = swap.Advance(o.Swap, said(provider.Exchanging, 3*time.Hour))
		require.Equal(t, swap.Failed, o.Status, "it does not come back to life")
		require.Equal(t, "no deposit came in time; one that came late is with the provider", o.Detail)
		late := said(end, 4*time.Hour)
		late.RefundTx = "hash"
		o = swap.Advance(o.Swap, late)
		require.Equal(t, want, o.Status)
		require.Equal(t, "hash", o.RefundTx)
		require.True(t, o.Closed)
	}
}

func TestProviderThatNeverEndsASwap(t *testing.T) {
	t.Parallel()
	for _, state := range []provider.State{provider.Exchanging, provider.Halted, provider.Unknown} {
		o := swap.Advance(fresh(), said(provider.Confirming, time.Minute))
		o = applyReports(o, state, 30*time.Minute, 30*day)
		require.False(t, o.Closed, state)
		o = applyReports(o, state, 30*day, 31*day)
		require.True(t, o.Closed, state)
		require.Equal(t, swap.Failed, o.Status)
		require.Equal(t, "the provider did not bring the swap to an end", o.Detail)
		require.NotEmpty(t, o.Alarm)
	}
}

// TestOutageIsNotCountedAgainstASwap checks that the time of a long outage does
// not make a provider look quiet.
func TestOutageIsNotCountedAgainstASwap(t *testing.T) {
	t.Parallel()
	for _, state := range []provider.State{provider.Waiting, provider.Exchanging} {
		s := swap.Advance(fresh(), said(state, time.Minute)).Swap
		require.Empty(t, swap.Silent(s, began().Add(time.Hour)))
		require.NotEmpty(t, swap.Silent(s, began().Add(61*time.Minute)))
		o := swap.Advance(s, said(state, 90*day))
		require.False(t, o.Closed)
		require.Equal(t, swap.Status(state), o.Status)
		o = swap.Advance(o.Swap, said(provider.Finished, 90*day+time.Minute))
		require.Equal(t, swap.Finished, o.Status)
		require.Empty(t, swap.Silent(o.Swap, began().Add(200*day)), "nobody waits for it any more")
	}
}

func TestAmountsThatAreNotTheAgreedOnes(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		from, to, detail string
		alarm            bool
	}{
		"as agreed":       {"1.5", "2.9", "", false},
		"more":            {"1.5", "3", "the provider pays 3 instead of 2.9", false},
		"less":            {"1.5", "2.8", "the provider pays 2.8 instead of 2.9", true},
		"another deposit": {"1.2", "2.32", "the provider counts a deposit of 1.2 instead of 1.5; the provider pays 2.32 instead of 2.9", false},
		"nothing told":    {"0", "0", "", false},
	} {
		r := said(provider.Finished, time.Hour)
		r.AmountFrom, r.AmountTo = money.MustDecimal(of.from), money.MustDecimal(of.to)
		o := swap.Advance(fresh(), r)
		require.Equal(t, of.detail, o.Detail, name)
		require.Equal(t, of.alarm, o.Alarm != "", name)
		require.Equal(t, of.to, o.AmountTo.String(), name)
		require.Equal(t, "1.5 2.9", o.AmountFrom.String()+" "+o.Expected.String(), "what was agreed never changes")
	}
	for paid, alarm := range map[string]bool{"2.842": false, "2.841": true} { // of a deposit of ours that differs a little from the ordered amount
		r := said(provider.Finished, time.Hour)
		r.Funded, r.AmountFrom, r.AmountTo = true, money.MustDecimal("1.499999999999"), money.MustDecimal(paid)
		require.Equal(t, alarm, swap.Advance(fresh(), r).Alarm != "", paid)
	}
	r := said(provider.Exchanging, time.Hour)
	r.AmountTo = money.MustDecimal("2.9")
	require.Zero(t, swap.Advance(fresh(), r).AmountTo.Sign(), "an expectation is not a payment")
}

func TestAlertsOfOperators(t *testing.T) {
	t.Parallel()
	moved := said(provider.Waiting, time.Minute)
	moved.DepositAddress = "another"
	require.Contains(t, swap.Advance(fresh(), moved).Alarm, "another deposit address")

	lost := swap.Advance(swap.Advance(fresh(), said(provider.Exchanging, time.Minute)).Swap, said(provider.Expired, time.Hour))
	require.Equal(t, swap.Failed, lost.Status)
	require.NotEmpty(t, lost.Alarm)
	require.NotEmpty(t, swap.Advance(lost.Swap, said(provider.Expired, 2*time.Hour)).Alarm, "as long as it is so")

	funded := said(provider.Expired, time.Hour)
	funded.Funded = true
	require.NotEmpty(t, swap.Advance(fresh(), funded).Alarm)
	funded.State = provider.Refunded
	require.Empty(t, swap.Advance(fresh(), funded).Alarm)
}

func TestFactsAreNotForgotten(t *testing.T) {
	t.Parallel()
	r := said(provider.Confirming, time.Minute)
	r.DepositTx = "deposit"
	o := swap.Advance(fresh(), r)
	o = swap.Advance(o.Swap, said(provider.Exchanging, 2*time.Minute))
	require.Equal(t, "deposit", o.DepositTx)
	r = said(provider.Sending, 3*time.Minute)
	r.PayoutTx = "first"
	o = swap.Advance(o.Swap, r)
	r = said(provider.Finished, 4*time.Minute)
	r.PayoutTx = "second"
	o = swap.Advance(o.Swap, r)
	require.Equal(t, "second", o.PayoutTx, "the fee was raised")
}

// TestEndsAreNeverTakenBack draws any reports in any order. A closed swap never
// changes, an end that was shown is never replaced by a running state, and a
// repeated answer changes nothing.
func TestEndsAreNeverTakenBack(t *testing.T) {
	t.Parallel()
	states := []provider.State{
		provider.Waiting, provider.Confirming, provider.Exchanging, provider.Sending, provider.Finished, provider.Verifying,
		provider.Halted, provider.Refunding, provider.Refunded, provider.Failed, provider.Expired, provider.Unknown,
	}
	rapid.Check(t, func(t *rapid.T) {
		s, at := fresh(), time.Duration(0)
		for range rapid.IntRange(1, 30).Draw(t, "reports") {
			at += time.Duration(rapid.Int64Range(0, int64(10*day)).Draw(t, "pause"))
			r := said(rapid.SampledFrom(states).Draw(t, "state"), at)
			r.Funded = rapid.Bool().Draw(t, "funded")
			r.AmountTo = money.DecimalFromInt(rapid.Int64Range(0, 3).Draw(t, "paid"))
			once := swap.Advance(s, r)
			twice := swap.Advance(once.Swap, r)
			require.Equal(t, once.Swap, twice.Swap)
			if s.Closed {
				require.Equal(t, s, once.Swap)
				require.Empty(t, once.Alarm)
			}
			if s.Status.Ended() {
				require.True(t, once.Status.Ended())
			}
			if once.Status == swap.Finished || once.Status == swap.Refunded {
				require.True(t, once.Closed)
			}
			if once.Closed {
				require.True(t, once.Status.Ended())
			} else {
				require.Equal(t, once.Alarm, twice.Alarm)
			}
			s = once.Swap
		}
	})
}

func TestPauses(t *testing.T) {
	t.Parallel()
	s := fresh()
	for after, want := range map[time.Duration]time.Duration{
		-time.Minute: 10 * time.Second, 0: 10 * time.Second, 100 * time.Second: 10 * time.Second, 10 * time.Minute: time.Minute,
		100 * time.Minute: 10 * time.Minute, 30 * day: 10 * time.Minute,
	} {
		require.Equal(t, want, swap.Pause(s, began().Add(after)), after)
	}
	s.Status = swap.Failed
	require.Equal(t, time.Hour, swap.Pause(s, began().Add(30*day)))
}
