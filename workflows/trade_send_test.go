package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
)

// flood is a trade that was paid out and then received many deposits, as the database
// returns it: a page of open payments, and 30 refunds an hour, which go together.
type flood struct {
	states  []trade.PaymentState
	sentAt  []time.Time
	sending int
	// most is how many sends ran at once, calls how many there were.
	most, calls int
}

const (
	floodPage    = 16
	floodPerHour = 30
)

func (f *flood) advance(_ context.Context, in trades.AdvanceTrade) (trades.TradeState, error) {
	s := trades.TradeState{Status: trade.Completed, Pair: "xmr-ltc", ExpiresAt: in.Now}
	room := floodPerHour
	for i, at := range f.sentAt {
		if f.states[i] != trade.Planned && in.Now.Sub(at) < time.Hour {
			room--
		}
	}
	for i, state := range f.states {
		switch {
		case state == trade.PaymentConfirmed:
		case state == trade.Planned && room <= 0:
			s.Waiting++
		case len(s.Payments) < floodPage:
			s.Payments = append(s.Payments, trades.TradePayment{ID: int64(i), WalletID: "xmr", State: state, Kind: trade.Refund})
		}
	}
	return s, nil
}

// send makes one transaction of all that may go now.
func (f *flood) send(now time.Time) {
	made := 0
	for i, at := range f.sentAt {
		if f.states[i] != trade.Planned && now.Sub(at) < time.Hour {
			made++
		}
	}
	for i := range f.states {
		if f.states[i] == trade.Planned && made < floodPerHour {
			f.states[i], f.sentAt[i] = trade.Sent, now
			made++
		}
	}
}

func (f *flood) remaining() (n int) {
	for _, s := range f.states {
		if s != trade.PaymentConfirmed {
			n++
		}
	}
	return n
}

// run executes one run of the workflow and returns the size of its history: the answers
// of activities, and the events that Temporal writes around them.
func (f *flood) run(t *testing.T, start time.Time) (size int, end time.Time, more bool) {
	t.Helper()
	env := environment()
	env.SetStartTime(start)
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&trades.Payments{})
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(f.advance)
	env.OnActivity("SendTradePayment", mock.Anything, mock.Anything).Return(func(context.Context, trades.TradePaymentTask) error {
		f.calls++
		f.send(env.Now())
		return nil
	})
	env.OnActivity("CheckTradePayments", mock.Anything, mock.Anything).Return(func(context.Context, trades.TradeTask) error {
		for i, s := range f.states {
			if s == trade.Sent && env.Now().Sub(f.sentAt[i]) >= 20*time.Minute {
				f.states[i] = trade.PaymentConfirmed
			}
		}
		return nil
	})
	grow := func(n int) {
		size += n
		env.SetCurrentHistorySize(size)
	}
	env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		if info.ActivityType.Name == "SendTradePayment" {
			f.sending++
			f.most = max(f.most, f.sending)
		}
	})
	env.SetOnActivityCompletedListener(func(info *activity.Info, _ converter.EncodedValue, _ error) {
		if info.ActivityType.Name == "SendTradePayment" {
			f.sending--
		}
		grow(1500)
	})
	env.SetOnLocalActivityCompletedListener(func(_ *activity.Info, result converter.EncodedValue, _ error) {
		var s trades.TradeState
		require.NoError(t, result.Get(&s))
		payload, err := converter.GetDefaultDataConverter().ToPayload(s)
		require.NoError(t, err)
		grow(1200 + len(payload.GetData()))
	})
	env.SetOnTimerScheduledListener(func(string, time.Duration) { grow(600) })
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	require.True(t, env.IsWorkflowCompleted())
	err := env.GetWorkflowError()
	if next, cut := errors.AsType[*workflow.ContinueAsNewError](err); cut {
		var in workflows.TradeInput
		require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &in))
		require.Equal(t, workflows.TradeInput{TradeID: tradeID, Resume: true}, in)
		return size, env.Now(), true
	}
	require.NoError(t, err)
	return size, env.Now(), false
}

// TestManyRefundsKeepTheHistorySmall sees 300 refunds of one trade to their end,
// with few sends at a time and no history over 200 KB.
func TestManyRefundsKeepTheHistorySmall(t *testing.T) {
	t.Parallel()
	f := &flood{states: make([]trade.PaymentState, 300), sentAt: make([]time.Time, 300)}
	for i := range f.states {
		f.states[i] = trade.Planned
	}
	now, more, runs := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), true, 0
	for more {
		var size int
		size, now, more = f.run(t, now)
		require.Less(t, size, 200<<10)
		runs++
	}
	require.Zero(t, f.remaining(), "all were sent back")
	require.LessOrEqual(t, f.most, 2)
	require.LessOrEqual(t, f.calls, 40, "those that go together are sent once")
	require.Greater(t, runs, 1, "the history was cut")
}

// TestConsolidationContinuesAsNew looks after each pause, whatever came of it.
func TestConsolidationContinuesAsNew(t *testing.T) {
	t.Parallel()
	for _, outcome := range []error{nil, fault()} {
		env := environment()
		env.RegisterActivity(&trades.Handler{})
		env.RegisterActivity(&trades.Payments{})
		began := env.Now()
		env.OnActivity("Consolidate", mock.Anything, trades.WalletTask{WalletID: "xmr"}).Return(outcome)
		env.ExecuteWorkflow(workflows.Consolidate, workflows.WalletInput{WalletID: "xmr"})
		_, cut := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
		require.True(t, cut)
		require.GreaterOrEqual(t, env.Now().Sub(began), 30*time.Minute)
		env.AssertExpectations(t)
	}
}
