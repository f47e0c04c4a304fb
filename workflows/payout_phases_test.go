package workflows_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/workflows"
)

// TestPayoutFollowsItsTable has a run go along every row of the table, and looks
// in which phase it is afterwards.
func TestPayoutFollowsItsTable(t *testing.T) {
	t.Parallel()
	rows := workflows.PhaseRows("Payout")
	ends := []string{"confirmed", "failed", "none"}
	for _, target := range rows {
		t.Run(target.From+"/"+target.On, func(t *testing.T) {
			t.Parallel()
			path := pathTo(t, rows, []string{"waiting", "resuming"}, target)
			if slices.Contains(ends, target.From) { // a request waits while the run ends
				path = []workflows.PhaseRow{rows[slices.IndexFunc(rows, func(r workflows.PhaseRow) bool {
					return r.From == "resuming" && r.To == target.From
				})], target}
			}
			w := walkPayout(t, path)
			require.Equal(t, target.To, w.phase)
			require.Equal(t, slices.Contains(ends, target.To), w.ended, "the run has ended")
			require.Equal(t, strings.HasPrefix(target.To, "sending"), w.relaying, "a relay is under way")
			require.Empty(t, w.looks, "every look was made")
			require.Zero(t, w.releases, "every release was made")
		})
	}
}

// payoutWalk is a run of Payout whose events come one after the other.
type payoutWalk struct {
	env      *testsuite.TestWorkflowEnvironment
	phase    string
	ended    bool
	relaying bool
	// sent is the step that ends the sending, looks are those that are answers to
	// CheckPayout, releases counts those to come.
	sent     step
	looks    []step
	releases int
	// queued is set while a release has to come before the answer to FindPayout.
	queued  chan struct{}
	answers []error
}

func walkPayout(t *testing.T, path []workflows.PhaseRow) *payoutWalk {
	t.Helper()
	w := &payoutWalk{env: environment()}
	w.env.RegisterActivity(&payouts.Handler{})
	w.env.RegisterActivity(&deliveries.Handler{})
	at := time.Duration(0)
	for _, row := range path {
		at += 5 * time.Second
		w.add(t, path, step{row, at})
	}
	w.mock(t, path)
	in := payoutInput
	in.Resume, in.Stuck = path[0].From == "resuming", path[0].On == "found: broadcast, known to be stuck"
	check := at + 3*time.Second
	if path[0].On == "no sweep in time" {
		check = 2 * workflows.Unasked
	}
	w.phase = phaseAt(t, w.env, check, workflows.Payout, in)
	w.ended = w.env.GetWorkflowError() == nil
	return w
}

// add plans one step: the cause of its event.
func (w *payoutWalk) add(t *testing.T, path []workflows.PhaseRow, s step) {
	t.Helper()
	release := func() {
		w.env.UpdateWorkflow(workflows.ReleaseUpdate, "", answered(t, &w.answers), workflows.ReleasePayout{Actor: "cli:alice"})
	}
	switch {
	case s.On == "sweep":
		w.env.RegisterDelayedCallback(func() { w.env.UpdateWorkflow(workflows.SweepUpdate, "", answered(t, &w.answers)) }, s.at)
	case strings.HasPrefix(s.On, "send: "):
		w.sent = s
	case strings.HasPrefix(s.On, "look: "):
		w.looks = append(w.looks, s)
		w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(workflows.BlockSignal, nil) }, s.at)
	case s.On == "release: done":
		w.releases++
		switch {
		case slices.Contains([]string{"confirmed", "failed", "none"}, s.From):
			w.queued = make(chan struct{})
			w.env.SetOnLocalActivityStartedListener(func(*activity.Info, context.Context, []any) {
				callback := answered(t, &w.answers)
				callback.OnAccept = func() { close(w.queued) }
				w.env.UpdateWorkflow(workflows.ReleaseUpdate, "", callback, workflows.ReleasePayout{Actor: "cli:alice"})
			})
		case path[len(path)-1].On == "send: refused": // before the sweep, which finds it failed
			w.env.RegisterDelayedCallback(release, time.Second)
		default:
			w.env.RegisterDelayedCallback(release, s.at)
		}
	}
}

func (w *payoutWalk) mock(t *testing.T, path []workflows.PhaseRow) {
	t.Helper()
	begun, refused := w.env.Now(), refusedAs(refusals.Broadcast)
	found := payouts.FoundPayout{Reserved: payouts.Reserved{WalletID: "live", Built: true}, Status: map[string]payout.Status{
		"found: building": payout.Building, "found: broadcast": payout.Broadcast, "found: broadcast, known to be stuck": payout.Broadcast,
		"found: confirmed": payout.Confirmed, "found: failed": payout.Failed,
	}[path[0].On]}
	w.env.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(func(context.Context, payouts.PayoutTask) (payouts.FoundPayout, error) {
		if w.queued != nil {
			<-w.queued
		}
		if path[0].On == "no sweep in time" {
			return found, errors.New("the database is away")
		}
		return found, nil
	}).Maybe()
	w.env.OnActivity("CheckSweep", mock.Anything, mock.Anything).Return(func(context.Context, payouts.CheckSweep) error {
		if w.sent.On == "send: refused" {
			return refused
		}
		return nil
	}).Maybe()
	w.env.OnActivity("EstimateDust", mock.Anything).Return(money.Piconero(1), nil).Maybe()
	w.env.OnActivity("ReservePayout", mock.Anything, mock.Anything).Return(payouts.Reserved{WalletID: "live", Built: true}, nil).Maybe()
	w.env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(func(context.Context, payouts.PayoutTask) error {
		if w.relaying = false; w.sent.On == "send: failed" {
			return refused
		}
		return nil
	}).AfterFn(func() time.Duration {
		if w.relaying = true; w.sent.at == 0 {
			return time.Minute
		}
		return w.sent.at - w.env.Now().Sub(begun)
	}).Maybe()
	w.env.OnActivity("FailPayout", mock.Anything, mock.Anything).Return(payouts.FailOutcome{}, nil).Maybe()
	w.env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(func(context.Context, payouts.PayoutTask) (payouts.Depth, error) {
		on := w.looks[0].On
		w.looks = w.looks[1:]
		return payouts.Depth{Confirmed: on == "look: deep enough", Stuck: on == "look: stuck", Gone: on == "look: failed"}, nil
	}).Maybe()
	w.env.OnActivity("ReleasePayout", mock.Anything, mock.Anything).Return(func(context.Context, payouts.ReleasePayout) error {
		w.releases--
		return nil
	}).AfterFn(func() time.Duration {
		if path[len(path)-1].On == "send: refused" {
			return 8 * time.Second // the sweep comes meanwhile
		}
		return 0
	}).Maybe()
}
