package workflows_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// TestDeliveryFollowsItsTable has a run go along every row of the table, and
// looks in which phase it is afterwards.
func TestDeliveryFollowsItsTable(t *testing.T) {
	t.Parallel()
	rows := workflows.DeliveryRows()
	for _, target := range rows {
		t.Run(target.From+"/"+target.On, func(t *testing.T) {
			t.Parallel()
			path := pathTo(t, rows, []string{"waiting", "delivering"}, target)
			if target.From == "finished" { // a request waits while the run ends
				path = slices.Concat(pathTo(t, rows, []string{"waiting"}, rows[slices.IndexFunc(rows, func(r workflows.PhaseRow) bool {
					return r.From == "opening" && r.On == "refused"
				})]), []workflows.PhaseRow{target})
			}
			w := walkDelivery(t, path)
			require.Empty(t, w.reopenings, "every redelivery was asked for")
			require.Len(t, w.told, w.updates, "every update was answered")
			if target.To == "opening" || target.To == "taking up" {
				require.Equal(t, target.To, w.passed)
				return
			}
			require.Equal(t, target.To, w.phase)
			require.Equal(t, target.To == "finished", w.ended, "the run has ended")
			under := strings.HasPrefix(target.To, "delivering") || target.To == "reopened"
			require.Equal(t, under, w.begun > len(w.attempts), "an attempt is under way")
		})
	}
}

// deliveryWalk is a run of Delivery whose events come one after the other.
type deliveryWalk struct {
	env   *testsuite.TestWorkflowEnvironment
	phase string
	// passed is the phase in which the run made a request of its own that was not planned.
	passed string
	ended  bool
	// reopenings are the steps that answer ReopenDelivery, attempts those that end attempts;
	// begun counts the attempts that began.
	reopenings, attempts []step
	begun                int
	// queued is set while an update has to come before an answer to ReopenDelivery.
	queued  chan struct{}
	updates int
	told    []error
}

func walkDelivery(t *testing.T, path []workflows.PhaseRow) *deliveryWalk {
	t.Helper()
	w := &deliveryWalk{env: environment()}
	w.env.RegisterActivity(&deliveries.Handler{})
	at := time.Duration(0)
	for i, row := range path {
		switch {
		case row.On == "no update in time":
			at = workflows.Unasked
		case row.From != "opening" && row.From != "taking up" && row.From != "finished":
			at += 5 * time.Second
		}
		w.add(t, path, i, step{row, at})
	}
	w.mock(t)
	in := workflows.DeliveryToMerchant("whd_1")
	in.Again = path[0].From == "waiting"
	w.phase = phaseAt(t, w.env, at+25*time.Second, workflows.Delivery, in)
	w.ended = w.env.GetWorkflowError() == nil
	return w
}

// add plans one step: the cause of its event.
func (w *deliveryWalk) add(t *testing.T, path []workflows.PhaseRow, i int, s step) {
	t.Helper()
	redeliver := func() { w.env.UpdateWorkflow(workflows.RedeliverUpdate, "", answered(t, &w.told)) }
	switch {
	case strings.HasPrefix(s.On, "attempt: "):
		w.attempts = append(w.attempts, s)
		return
	case s.On == "fault":
		w.updates++
		w.env.OnActivity("CreatePing", mock.Anything, mock.Anything).Return(fault())
		w.env.RegisterDelayedCallback(func() {
			w.env.UpdateWorkflow(workflows.PingUpdate, "", answered(t, &w.told), workflows.Ping{WebhookID: "wh_1", MerchantID: "m"})
		}, s.at)
		return
	case s.On == "no update in time":
		return
	}
	w.reopenings = append(w.reopenings, s)
	switch s.From {
	case "opening", "taking up": // the run asks by itself
	case "finished":
		w.updates++
		w.queued = make(chan struct{})
		before := path[i-1]
		w.env.SetOnLocalActivityStartedListener(func(*activity.Info, context.Context, []any) {
			if len(w.reopenings) == 2 && before.From == "opening" {
				callback := answered(t, &w.told)
				callback.OnAccept = func() { close(w.queued) }
				w.env.UpdateWorkflow(workflows.RedeliverUpdate, "", callback)
			}
		})
	default:
		w.updates++
		w.env.RegisterDelayedCallback(redeliver, s.at)
	}
}

func (w *deliveryWalk) mock(t *testing.T) {
	t.Helper()
	begun := w.env.Now()
	w.env.OnActivity("ReopenDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.ReopenDelivery) (int, error) {
			if w.queued != nil {
				<-w.queued
			}
			if len(w.reopenings) == 0 {
				w.passed = phaseOf(t, w.env)
				return 0, refusedAs(refusals.Delivery)
			}
			s := w.reopenings[0]
			w.reopenings = w.reopenings[1:]
			require.Equal(t, slices.Contains([]string{"waiting", "opening", "finished"}, s.From), in.Idle, s.From)
			require.Equal(t, s.From == "taking up", in.Left, s.From)
			if s.On == "refused" {
				return 0, refusedAs(refusals.Delivery)
			}
			return 1, nil
		})
	w.env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(context.Context, deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			if w.begun > len(w.attempts) || w.attempts[w.begun-1].On == "attempt: pending" {
				return deliveries.Attempt{Status: webhook.Pending, Next: w.env.Now()}, nil
			}
			return deliveries.Attempt{Status: webhook.Delivered}, nil
		}).AfterFn(func() time.Duration {
		if w.begun++; w.begun > len(w.attempts) {
			return 2 * time.Minute
		}
		return w.attempts[w.begun-1].at - w.env.Now().Sub(begun)
	})
}
