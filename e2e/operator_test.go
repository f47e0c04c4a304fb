package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
)

// shownPayout is what operators see of a payout.
type shownPayout struct {
	Status       string  `json:"status"`
	Error        *string `json:"error"`
	RefusedSince *string `json:"refused_since"`
}

func (w *testbed) payouts(t *testing.T, command, id string) (shownPayout, error) {
	t.Helper()
	text, err := w.admin(t, "--json", "payouts", command, id)
	if err != nil {
		return shownPayout{}, errors.New(text)
	}
	var shown shownPayout
	require.NoError(t, json.Unmarshal([]byte(text), &shown), text)
	return shown, nil
}

// TestPayoutThatTheNetworkRefusesForGood drops a payout that was in a block, and lets the daemon
// refuse its bytes from then on: an operator frees the charges, but not before
// the network has refused them for long.
func TestPayoutThatTheNetworkRefusesForGood(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	s.payable(t, "0.2")
	p := s.payOut(t)
	require.NoError(t, w.Chain.MineInto(within(t), *p.TxHash))
	_, err := w.payouts(t, "release", p.PayoutID)
	require.ErrorContains(t, err, "the network has not refused it")

	w.daemon.refuse(relayPath, `{"status":"Failed","reason":"","double_spend":false,"fee_too_low":true,"not_relayed":false}`)
	require.NoError(t, w.Stack.Pause("worker"))
	s.reorg(t, 1, *p.TxHash)
	require.NoError(t, w.Stack.Resume("worker"))
	s.grow(t, 1, "operators see that it is refused", func(context.Context) error {
		shown, err := w.payouts(t, "retry", p.PayoutID)
		if err == nil && shown.RefusedSince == nil {
			err = errors.New("not yet")
		}
		return err
	})
	_, err = w.payouts(t, "release", p.PayoutID)
	require.ErrorContains(t, err, "it can be released from")

	w.age(t, p.PayoutID)
	released, err := w.payouts(t, "release", p.PayoutID)
	require.NoError(t, err)
	require.Equal(t, "failed", released.Status)
	require.Nil(t, released.RefusedSince)
	s.released[p.PayoutID] = true
	again, err := w.payouts(t, "release", p.PayoutID)
	require.NoError(t, err)
	require.Equal(t, released, again)
	_, err = w.payouts(t, "retry", p.PayoutID)
	require.ErrorContains(t, err, "nothing to retry")

	w.daemon.accept(relayPath)
	s.unlock(t)
	second := s.payOut(t)
	require.Equal(t, 1, second.ChargesPaid)
	require.NotEqual(t, *p.TxHash, *second.TxHash)
	s.awaitConfirmedPayout(t, second.PayoutID)
	s.requireState(t, p, monero.Missed)
}

// age makes the notice about a payout older than an operator has to wait.
func (w *testbed) age(t *testing.T, payoutID string) {
	t.Helper()
	done, err := w.database(t).Exec(within(t), "UPDATE alerts SET opened_at = opened_at - interval '20 minutes' WHERE subject = $1 AND resolved_at IS NULL", payoutID)
	require.NoError(t, err)
	require.EqualValues(t, 1, done.RowsAffected())
}

// TestTemporalForgetsEverything takes Temporal's database away while a charge waits for
// money, a payout is built and not relayed, and a delivery is being made. An
// operator has all of it taken up again, and none of it happens twice.
func TestTemporalForgetsEverything(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	s.payable(t, "0.2")
	waiting := s.charge(t, "0.3")
	held := w.daemon.holdBefore(relayPath)
	sweep := s.sweepUntil(t, held.reached)
	// The delivery is begun last: a receiver that hangs is given up in a minute.
	hook := s.subscribe(t, "/thinking", fixture.AnswerNothing)
	thinking := s.charge(t, "0.1")
	s.awaitRequest(t, fixture.AllOf(fixture.ArrivedAt("/thinking"), fixture.EventOf("charge.created", thinking.ID)))
	// The API would ask for the payout again.
	for _, part := range []string{"worker", "merchant-api", "temporal"} {
		require.NoError(t, w.Stack.Kill(part))
	}
	close(held.release)
	require.NoError(t, w.Stack.Lose("temporal"))
	s.Hooks.Answer("/thinking", fixture.AnswerStatus(http.StatusOK))
	for _, part := range []string{"temporal", "worker"} {
		require.NoError(t, w.Stack.StartPart(within(t), part))
	}
	s.restart(t, "merchant-api")

	// The charge's run repeats the first attempt of the delivery.
	started, _ := w.reconcile(t)
	require.Equal(t, 1, started["payouts"])
	require.GreaterOrEqual(t, started["charges"], 2)
	started, running := w.reconcile(t)
	require.Zero(t, started["charges"]+started["payouts"], "%v", started)
	require.GreaterOrEqual(t, running["charges"], 2)

	sweep.outcome(t)
	s.requireOnePayout(t)
	d := s.awaitDelivery(t, hook, thinking.ID)
	require.Equal(t, "delivered", d.Status)
	s.pay(t, waiting)
	s.mineUntil(t, "charge.confirmed", waiting.ID)
}

func (w *testbed) reconcile(t *testing.T) (started, running map[string]int) {
	t.Helper()
	text, err := w.admin(t, "--json", "reconcile")
	require.NoError(t, err, text)
	var done struct {
		Started map[string]int `json:"started"`
		Running map[string]int `json:"running"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &done), text)
	return done.Started, done.Running
}
