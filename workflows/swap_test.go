package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/workflows"
)

const (
	swapID = "swp_0123456789abcdef01234567"
	day    = 24 * time.Hour
)

// swapFixture stands for the database and the provider: one swap under the domain's own
// rules, and a provider whose answers the test sets.
type swapFixture struct {
	env  *testsuite.TestWorkflowEnvironment
	swap swap.Swap
	// refuses is why there is no swap; lost is set if the order ends in a fault after the
	// swap was written.
	refuses error
	lost    bool
	placed  int
	// ordered is the clock of the last order, sought is the last search for an order.
	ordered time.Time
	sought  sending.SwapOrder
	// removed is set if retention has removed the swap.
	removed bool
	// says returns the provider's answer at a time after the beginning; the empty state is
	// silence.
	says   func(after time.Duration) provider.State
	began  time.Time
	checks []time.Duration
	alarms []string
	// meanwhile runs during the search for the swap.
	meanwhile func()
	// walked notes the steps of the run.
	walked
}

func newSwapFixture(t *testing.T, says func(after time.Duration) provider.State) *swapFixture {
	t.Helper()
	d := &swapFixture{says: says, walked: walked{}}
	d.env = environment(d)
	d.env.RegisterActivity(&payouts.Swaps{})
	d.env.OnActivity("PlaceSwap", mock.Anything, mock.Anything).Return(d.place).Maybe()
	d.env.OnActivity("PollSwap", mock.Anything, mock.Anything).Return(d.poll).Maybe()
	d.env.OnActivity("FindSwap", mock.Anything, mock.Anything).Return(d.find).Maybe()
	return d
}

func (d *swapFixture) place(_ context.Context, in sending.PlaceSwap) (payouts.SwapState, error) {
	d.placed++
	d.ordered = in.Now
	if d.refuses != nil {
		return payouts.SwapState{}, d.refuses
	}
	d.open(in.Now)
	if d.lost {
		return payouts.SwapState{}, errors.New("the answer is lost")
	}
	return d.state(), nil
}

func (d *swapFixture) open(now time.Time) {
	d.began = now
	d.swap = swap.Swap{Status: swap.Waiting, ExpiresAt: now.Add(time.Hour), QuietSince: now, AnsweredAt: now, Expected: money.MustDecimal("2")}
}

func (d *swapFixture) poll(context.Context, payouts.SwapTask) (payouts.SwapState, error) {
	if d.removed {
		return payouts.SwapState{}, refusedAs(refusals.Missing)
	}
	now := d.env.Now()
	after := now.Sub(d.began)
	d.checks = append(d.checks, after)
	state := d.says(after)
	if state == "" {
		d.alarms = append(d.alarms, swap.Silent(d.swap, now))
		return d.state(), nil
	}
	o := swap.Advance(d.swap, swap.Report{Swap: provider.Swap{State: state, Word: string(state)}, Now: now})
	d.swap = o.Swap
	d.alarms = append(d.alarms, o.Alarm)
	return d.state(), nil
}

func (d *swapFixture) find(_ context.Context, in sending.SwapOrder) (payouts.SwapState, error) {
	d.sought = in
	if d.meanwhile != nil {
		d.meanwhile()
	}
	if d.began.IsZero() {
		return payouts.SwapState{}, refusedAs(refusals.Missing)
	}
	return d.state(), nil
}

func (d *swapFixture) state() payouts.SwapState {
	return payouts.SwapState{
		Status: d.swap.Status, Detail: d.swap.Detail, ExpiresAt: d.swap.ExpiresAt, QuietSince: d.swap.QuietSince,
		HeardAt: d.swap.AnsweredAt, Closed: d.swap.Closed,
		Alarm: len(d.alarms) > 0 && d.alarms[len(d.alarms)-1] != "",
	}
}

// update sends an update at a time. The result holds its outcome once it has ended.
func (d *swapFixture) update(after time.Duration, name, id string, args ...any) *error {
	outcome := errors.New("no answer")
	d.env.RegisterDelayedCallback(func() { d.env.UpdateWorkflow(name, id, answerInto(&outcome), args...) }, after)
	return &outcome
}

func answerInto(outcome *error) *testsuite.TestUpdateCallback {
	return &testsuite.TestUpdateCallback{
		OnAccept: func() {}, OnReject: func(err error) { *outcome = err }, OnComplete: func(_ any, err error) { *outcome = err },
	}
}

func (d *swapFixture) create() *error {
	return d.update(0, workflows.CreateSwapUpdate, "1", swapRequest())
}

func swapRequest() workflows.CreateSwap {
	xmr, _ := coin.Lookup("xmr", "Mainnet")
	ltc, _ := coin.Lookup("ltc", "Mainnet")
	return workflows.CreateSwap{From: xmr, To: ltc, Amount: money.MustDecimal("1")}
}

func (d *swapFixture) run() {
	d.env.ExecuteWorkflow(workflows.Swap, workflows.SwapInput{SwapID: swapID, MerchantID: "m"})
}

func TestSwapIsFollowedToEachOfItsEnds(t *testing.T) {
	t.Parallel()
	for end, want := range map[provider.State]swap.Status{
		provider.Finished: swap.Finished, provider.Refunded: swap.Refunded, provider.Failed: swap.Failed,
	} {
		d := newSwapFixture(t, func(after time.Duration) provider.State {
			switch {
			case after < 5*time.Minute:
				return provider.Waiting
			case after < 25*time.Minute:
				return provider.Confirming
			case after < 30*time.Minute:
				return provider.Sending
			}
			return end
		})
		outcome := d.create()
		d.run()
		requireEnded(t, d.env)
		require.NoError(t, *outcome)
		require.Equal(t, want, d.swap.Status)
		require.Less(t, len(d.checks), 100, "the provider is not asked without end")
		require.Less(t, d.checks[len(d.checks)-1], 45*time.Minute, "an end is noticed soon")
	}
}

// A swap that ended with its payout is over once retention has removed it: no update
// waits for a row that is gone.
func TestSwapThatRetentionHasRemovedIsOver(t *testing.T) {
	t.Parallel()
	d := newSwapFixture(t, func(time.Duration) provider.State { return provider.Exchanging })
	d.create()
	d.env.RegisterDelayedCallback(func() { d.removed = true }, time.Hour)
	outcome := d.update(2*time.Hour, workflows.PollSwapUpdate, "2")
	d.run()
	requireEnded(t, d.env)
	require.Equal(t, time.Hour, d.checks[len(d.checks)-1].Round(time.Hour))
	require.Error(t, *outcome, "nobody is there any more")
}

func TestSwapOutlivesAnOutageOfItsProvider(t *testing.T) {
	t.Parallel()
	d := newSwapFixture(t, func(after time.Duration) provider.State {
		switch {
		case after < 10*time.Minute:
			return provider.Confirming
		case after < 4*day:
			return ""
		}
		return provider.Finished
	})
	d.create()
	d.run()
	requireEnded(t, d.env)
	require.Equal(t, swap.Finished, d.swap.Status)
	require.Contains(t, d.alarms, "the provider does not answer")
	require.Less(t, len(d.checks), 4*6*24+100, "every ten minutes at most")
	require.LessOrEqual(t, d.checks[len(d.checks)-1], 4*day+10*time.Minute, "it is noticed when the provider is back")
}

func TestUnpaidSwapIsGivenUpAfterAWhile(t *testing.T) {
	t.Parallel()
	for _, state := range []provider.State{provider.Waiting, provider.Expired} {
		d := newSwapFixture(t, func(time.Duration) provider.State { return state })
		d.create()
		d.run()
		requireEnded(t, d.env)
		require.Equal(t, swap.Failed, d.swap.Status)
		require.Equal(t, "no deposit came in time", d.swap.Detail)
		require.Greater(t, d.checks[len(d.checks)-1], 7*day)
	}
}

func TestProviderThatNeverEndsASwapIsGivenUpWithAnAlarm(t *testing.T) {
	t.Parallel()
	d := newSwapFixture(t, func(time.Duration) provider.State { return provider.Exchanging })
	d.create()
	d.run()
	requireEnded(t, d.env)
	require.Equal(t, swap.Failed, d.swap.Status)
	require.True(t, d.state().Alarm)
	require.Greater(t, d.checks[len(d.checks)-1], 30*day)
}

func TestSwapIsOrderedOnceHoweverOftenItIsAskedFor(t *testing.T) {
	t.Parallel()
	for name, refuses := range map[string]error{"taken": nil, "refused": refusedAs(refusals.Rate)} {
		d := newSwapFixture(t, func(time.Duration) provider.State { return provider.Finished })
		d.refuses = refuses
		first, second := d.create(), d.update(0, workflows.CreateSwapUpdate, "2", swapRequest())
		d.run()
		requireEnded(t, d.env)
		require.Equal(t, 1, d.placed, name)
		for _, outcome := range []error{*first, *second} {
			if refuses == nil {
				require.NoError(t, outcome)
				continue
			}
			var app *temporal.ApplicationError
			require.ErrorAs(t, outcome, &app)
			require.Equal(t, refusals.Rate, app.Type())
		}
	}
}

// The last line of the order ran, and then the worker's answer was lost for
// good: the swap is found and followed.
func TestSwapIsFollowedAfterItsOrderEndedInAFault(t *testing.T) {
	t.Parallel()
	d := newSwapFixture(t, func(time.Duration) provider.State { return provider.Finished })
	d.lost = true
	outcome := d.create()
	d.run()
	requireEnded(t, d.env)
	require.Error(t, *outcome)
	require.Equal(t, swap.Finished, d.swap.Status)

	none := newSwapFixture(t, nil)
	none.refuses = errors.New("the database is away")
	outcome = none.update(time.Minute, workflows.CreateSwapUpdate, "1", swapRequest())
	none.run()
	requireEnded(t, none.env)
	require.Error(t, *outcome)
	require.Empty(t, none.checks)
	require.Equal(t, sending.SwapOrder{SwapID: swapID, MerchantID: "m", SentUntil: none.ordered}, none.sought,
		"an attempt at the order that was presumed dead sends nothing any more")
}

func TestMerchantHasTheProviderAskedAtOnce(t *testing.T) {
	t.Parallel()
	d := newSwapFixture(t, func(after time.Duration) provider.State {
		if after < 2*time.Hour {
			return provider.Exchanging
		}
		return provider.Finished
	})
	d.create()
	at := 2*time.Hour + time.Second
	first := d.update(at, workflows.PollSwapUpdate, "p1")
	second := d.update(at, workflows.PollSwapUpdate, "p2")
	d.run()
	requireEnded(t, d.env)
	require.NoError(t, *first)
	require.NoError(t, *second)
	last := len(d.checks) - 1
	require.GreaterOrEqual(t, d.checks[last], at)
	require.Less(t, d.checks[last-1], at, "two who ask at the same time get one answer")
	require.Less(t, d.checks[last]-d.checks[last-1], 10*time.Minute, "it was not due yet")
}

// A provider gets a question every two seconds at most, no matter how often merchants
// ask.
func TestPollsThatFollowOneAnotherAskTheProviderOnce(t *testing.T) {
	t.Parallel()
	d := newSwapFixture(t, func(after time.Duration) provider.State {
		if after < 3*time.Hour {
			return provider.Exchanging
		}
		return provider.Finished
	})
	d.create()
	for i := range 10 {
		d.update(2*time.Hour+time.Duration(i)*100*time.Millisecond, workflows.PollSwapUpdate, string(rune('a'+i)))
	}
	d.run()
	requireEnded(t, d.env)
	for i := range d.checks[1:] {
		require.GreaterOrEqual(t, d.checks[i+1]-d.checks[i], 2*time.Second)
	}
}

// A swap that a payout made, or whose history was cut, continues from its row.
func TestSwapThatExistsIsTakenUp(t *testing.T) {
	t.Parallel()
	d := newSwapFixture(t, func(time.Duration) provider.State { return provider.Finished })
	d.open(d.env.Now())
	d.env.ExecuteWorkflow(workflows.Swap, workflows.SwapInput{SwapID: swapID, MerchantID: "m", Resume: true})
	requireEnded(t, d.env)
	require.Equal(t, swap.Finished, d.swap.Status)
	require.Zero(t, d.placed)

	none := newSwapFixture(t, nil)
	none.env.ExecuteWorkflow(workflows.Swap, workflows.SwapInput{SwapID: swapID, Resume: true})
	requireEnded(t, none.env)
	require.Empty(t, none.checks)
}

func TestLongHistoryOfASwapIsCut(t *testing.T) {
	t.Parallel()
	d := newSwapFixture(t, func(time.Duration) provider.State { return provider.Exchanging })
	d.create()
	d.env.RegisterDelayedCallback(func() { d.env.SetContinueAsNewSuggested(true) }, day)
	d.run()
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, d.env.GetWorkflowError(), &next)
	require.Equal(t, swap.Exchanging, d.swap.Status)
}
