package worker

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
)

// strangers are external servers that take calls and never answer. They report each call,
// and so do the activities that payments need.
type strangers struct{ called, looked, moved, over chan string }

func (s strangers) hang(what string) error {
	s.called <- what
	<-s.over
	return nil
}

func (s strangers) activities() map[string]any {
	return map[string]any{
		"FindMail": func(context.Context, mails.MailTask) (mails.MailState, error) { return mails.MailWaiting, nil },
		"SendMail": func(_ context.Context, in mails.MailTask) (mails.MailState, error) {
			return mails.MailMissing, s.hang(in.VerificationID)
		},
		"PlaceOrder": func(_ context.Context, in trades.PlaceOrder) error { return s.hang(in.TradeID) },
		"FindPayout": func(context.Context, payouts.PayoutTask) (payouts.FoundPayout, error) {
			return payouts.FoundPayout{Status: payout.Building, Reserved: payouts.Reserved{WalletID: "w", Built: true}}, nil
		},
		"RelayPayout": func(_ context.Context, in payouts.PayoutTask) error {
			s.moved <- in.PayoutID
			return nil
		},
		"AdvanceTrade": func(_ context.Context, in trades.AdvanceTrade) (trades.TradeState, error) {
			if in.TradeID == "own" { // all other runs look, too, when their order is given up
				select {
				case s.looked <- in.TradeID:
				default: // one is enough
				}
			}
			return trades.TradeState{Status: trade.Sending, Payments: []trades.TradePayment{{ID: 1, State: trade.Sent}}}, nil
		},
		"CheckTradePayments": func(_ context.Context, in trades.TradeTask) error {
			if in.TradeID == "own" {
				select {
				case s.moved <- in.TradeID:
				default:
				}
			}
			return nil
		},
	}
}

// await returns the next report of a channel.
func (s strangers) await(t *testing.T, report chan string) string {
	t.Helper()
	within, cancel := context.WithTimeout(t.Context(), maxWait)
	defer cancel()
	select {
	case what := <-report:
		return what
	case <-within.Done():
		require.Fail(t, "something waits for servers that do not answer")
	}
	return ""
}

// openStrangers starts the workers of both kinds of workflows, with the options of
// production.
func openStrangers(t *testing.T) (client.Client, strangers) {
	t.Helper()
	c := stack.NewTemporal(t)
	s := strangers{make(chan string, outsideCalls), make(chan string, 1), make(chan string, 1), make(chan string)}
	d := Deps{Temporal: c, Log: slog.New(slog.DiscardHandler), stopped: make(chan error, 1)}
	activities := func(w worker.ActivityRegistry) {
		for name, do := range s.activities() {
			w.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: name})
		}
	}
	merchants, exchange := worker.New(c, workflows.MerchantQueue, d.options(forWorkflows())), worker.New(c, workflows.ExchangeQueue, d.options(forWorkflows()))
	merchants.RegisterWorkflow(workflows.Mail)
	merchants.RegisterWorkflow(workflows.Payout)
	exchange.RegisterWorkflow(workflows.Trade)
	activities(merchants)
	activities(exchange)
	for _, w := range []worker.Worker{
		merchants, exchange, d.caller(workflows.OutsideQueue, outsideCalls, activities), d.caller(workflows.ExchangeOutsideQueue, outsideCalls, activities),
	} {
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
	}
	t.Cleanup(func() { close(s.over) }) // before the workers stop
	return c, s
}

// More mails than money has places are sent to a mail server that hangs. A payout is
// relayed all the same.
func TestPayoutsDoNotWaitForAMailServer(t *testing.T) {
	t.Parallel()
	c, s := openStrangers(t)
	start := func(id string, workflow, in any) {
		_, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: workflows.MerchantQueue}, workflow, in)
		require.NoError(t, err)
	}
	for n := range shortActivities + 1 {
		id := fmt.Sprint("em_", n)
		start(workflows.MailWorkflowID(id), workflows.Mail, workflows.MailInput{VerificationID: id})
	}
	for range shortActivities + 1 {
		s.await(t, s.called)
	}
	start(workflows.PayoutWorkflowID("po_1"), workflows.Payout, workflows.PayoutInput{PayoutID: "po_1", MerchantID: "m", Resume: true})
	require.Equal(t, "po_1", s.await(t, s.moved))
}

// More trades than money has places are ordered at providers that hang. The payments of
// another trade are checked all the same.
func TestPaymentsOfTradesDoNotWaitForProviders(t *testing.T) {
	t.Parallel()
	c, s := openStrangers(t)
	options := func(id string) client.StartWorkflowOptions {
		return client.StartWorkflowOptions{ID: workflows.TradeWorkflowID(id), TaskQueue: workflows.ExchangeQueue}
	}
	for n := range shortActivities + 1 {
		id := fmt.Sprint("tr_", n)
		_, err := c.ExecuteWorkflow(t.Context(), options(id), workflows.Trade, workflows.TradeInput{TradeID: id})
		require.NoError(t, err)
		_, err = c.UpdateWorkflow(t.Context(), client.UpdateWorkflowOptions{
			WorkflowID: workflows.TradeWorkflowID(id), UpdateName: workflows.PlaceOrderUpdate,
			Args: []any{workflows.PlaceOrder{}}, WaitForStage: client.WorkflowUpdateStageAccepted,
		})
		require.NoError(t, err)
	}
	for range shortActivities + 1 {
		s.await(t, s.called)
	}
	own := workflows.TradeWorkflowID("own")
	_, err := c.ExecuteWorkflow(t.Context(), options("own"), workflows.Trade, workflows.TradeInput{TradeID: "own", Resume: true})
	require.NoError(t, err)
	require.Equal(t, "own", s.await(t, s.looked))
	require.NoError(t, c.SignalWorkflow(t.Context(), own, "", workflows.DepositsSignal, nil))
	require.Equal(t, "own", s.await(t, s.moved))
}
