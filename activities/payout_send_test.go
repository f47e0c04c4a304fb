package activities_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/swap"
)

// node answers as a daemon does about one transaction; a real one cannot be made to
// refuse a valid one.
type node struct {
	mu sync.Mutex
	// known is set if the daemon has the transaction, spent if another transaction spends
	// its inputs.
	known, spent, refuses, syncing bool
	relayed                        int
	// height is the height of the chain; 0 means 120.
	height int
	// asked runs once, before the daemon answers whether the inputs are spent.
	asked func()
}

func (n *node) set(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if asked := n.asked; asked != nil && r.URL.Path == "/is_key_image_spent" {
		n.asked = nil
		n.mu.Unlock()
		asked()
		n.mu.Lock()
	}
	answer := map[string]any{"status": "OK"}
	switch r.URL.Path {
	case "/get_transactions":
		answer["missed_tx"] = []string{"aa"}
		if n.known {
			answer = map[string]any{"status": "OK", "txs": []any{map[string]any{"tx_hash": "aa", "in_pool": true}}}
		}
	case "/is_key_image_spent":
		answer["spent_status"] = []int{0}
		switch {
		case n.spent && n.known: // by a transaction that it knows, in its pool
			answer["spent_status"] = []int{2}
		case n.spent:
			answer["spent_status"] = []int{1}
		}
	case "/send_raw_transaction":
		n.relayed++
		if n.known = !n.refuses; n.refuses {
			answer = map[string]any{"status": "Failed", "double_spend": n.spent}
		}
	case "/json_rpc":
		answer = map[string]any{"jsonrpc": "2.0", "id": "0", "result": map[string]any{
			"status": "OK", "height": cmp.Or(n.height, 120), "target_height": 0, "synchronized": !n.syncing,
		}}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// daemon lets payouts be sent to a node.
func (n *node) daemon(t *testing.T, a *payouts.Handler) {
	t.Helper()
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	a.Daemon = monero.NewDaemon(monero.Endpoint{URL: server.URL}, monero.Options{})
	t.Cleanup(a.Daemon.Close)
}

// step runs one activity of a payout as Temporal would.
func step(t *testing.T, a *payouts.Handler, activity any, id string, result any) error {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	value, err := env.ExecuteActivity(activity, payouts.PayoutTask{PayoutID: id})
	if err == nil && result != nil {
		require.NoError(t, value.Get(result))
	}
	return err
}

// isRefusal reports whether Temporal would not retry.
func isRefusal(err error) bool {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && app.NonRetryable()
}

func (s *shop) built(t *testing.T, id string) {
	t.Helper()
	hash, at := "aa", start
	n, err := s.store.StoreBuild(t.Context(), db.StoreBuildParams{
		ID: id, TxHash: &hash, Gross: net, Amount: net, Outputs: 1, ChargesPaid: 1, BuiltAt: &at,
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	tx, err := s.store.ClaimWallet(t.Context(), db.ClaimWalletParams{
		WalletID: walletID, Purpose: "payout", PayoutID: &id, TradeIds: []string{}, CreatedAt: at,
	})
	require.NoError(t, err)
	_, err = s.store.StoreBuilt(t.Context(), db.StoreBuiltParams{
		ID: tx, TxHash: hash, Raw: []byte{1}, Inputs: []string{"a"}, Payments: s.paymentsOf(t, id), Paid: net.Decimal(), BuiltAt: at,
	})
	require.NoError(t, err)
}

func (s *shop) payoutStatus(t *testing.T, id string) payout.Status {
	t.Helper()
	p, err := s.store.GetPayout(t.Context(), id)
	require.NoError(t, err)
	return payout.Status(p.Status)
}

// A worker that comes back long after it built a payout does not pay a swap
// whose time is over, and gives the payout up only when nothing can have sent it.
func TestBuiltPayoutIsNotSentToALateSwap(t *testing.T) {
	t.Parallel()
	const window = time.Hour // of this provider; a quarter of it is the margin
	for name, is := range map[string]struct {
		after          time.Duration
		node           *node
		refused, fault bool
		relayed        int
		status         payout.Status
	}{
		"in time":                   {window * 3 / 4, &node{}, false, false, 1, payout.Broadcast},
		"late, not over":            {window*3/4 + time.Millisecond, &node{}, false, true, 0, payout.Building},
		"just over":                 {window + 2*time.Minute - time.Millisecond, &node{}, false, true, 0, payout.Building},
		"over":                      {window + 2*time.Minute, &node{}, true, false, 0, payout.Building},
		"over, the daemon lags":     {24 * time.Hour, &node{syncing: true}, false, true, 0, payout.Building},
		"over, and it was sent":     {24 * time.Hour, &node{known: true, spent: true}, false, false, 0, payout.Broadcast},
		"over, the inputs are gone": {24 * time.Hour, &node{spent: true}, false, true, 0, payout.Building},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := convert(t, &house{})
			is.node.daemon(t, c.payouts)
			require.NoError(t, c.order(t))
			c.built(t, c.id)
			c.now = start.Add(is.after)
			for range 2 {
				err := step(t, c.payouts, c.payouts.RelayPayout, c.id, nil)
				require.Equal(t, is.refused || is.fault, err != nil, "%v", err)
				require.Equal(t, is.refused, isRefusal(err), "%v", err)
				if is.refused {
					require.Equal(t, refusals.Swap, reason(t, err))
				}
			}
			require.Equal(t, is.relayed, is.node.relayed)
			require.Equal(t, is.status, c.payoutStatus(t, c.id))
			if is.refused {
				c.fails(t)
				require.Equal(t, "failed", c.swapRow(t, swap.OfPayout(c.id)).Status)
			}
		})
	}
}

// A payout that was sent is relayed again whenever a reorg drops it.
func TestSentPayoutIsRelayedAgainHoweverLate(t *testing.T) {
	t.Parallel()
	c, n := convert(t, &house{}), &node{}
	n.daemon(t, c.payouts)
	require.NoError(t, c.order(t))
	c.built(t, c.id)
	require.NoError(t, step(t, c.payouts, c.payouts.RelayPayout, c.id, nil))
	n.set(func() { n.known = false })
	c.now = start.Add(24 * time.Hour)
	require.NoError(t, step(t, c.payouts, c.payouts.CheckPayout, c.id, nil))
	require.Equal(t, 2, n.relayed)
}

// A payout whose inputs another transaction has spent is never released by itself.
// Operators have an alert, before it was sent and after, until the daemon has the payout
// after all.
func TestPayoutWhoseInputsAreSpentElsewhere(t *testing.T) {
	t.Parallel()
	s, n := open(t, 5), &node{spent: true, refuses: true}
	a := s.payouts()
	n.daemon(t, a)
	id := s.reserved(t)
	s.built(t, id)
	requireAlert := func(want bool) {
		t.Helper()
		var about []string
		for _, alert := range s.openAlerts(t) {
			about = append(about, alert.Kind+" "+alert.Subject)
		}
		require.Equal(t, want, len(about) == 1 && about[0] == alert.PayoutStuck+" "+id, "%v", about)
	}
	for range 2 {
		err := step(t, a, a.RelayPayout, id, nil)
		require.Error(t, err)
		require.False(t, isRefusal(err), "it is tried again")
		requireAlert(true)
	}
	released, err := a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: id})
	require.NoError(t, err)
	require.True(t, released.AlreadyBroadcast)
	n.set(func() { n.known, n.refuses = true, false })
	require.NoError(t, step(t, a, a.RelayPayout, id, nil))
	requireAlert(false)
	require.Equal(t, payout.Broadcast, s.payoutStatus(t, id))

	n.set(func() { n.known, n.refuses = false, true })
	var depth payouts.Depth
	require.NoError(t, step(t, a, a.CheckPayout, id, &depth), "the look ends, so that operators are not kept waiting")
	require.True(t, depth.Stuck)
	requireAlert(true)
	n.set(func() { n.known, n.refuses = true, false })
	require.NoError(t, step(t, a, a.CheckPayout, id, &depth))
	requireAlert(false)

	s.exec(t, "UPDATE payouts SET status = 'confirmed'")
	n.set(func() { n.known, n.refuses = false, true })
	require.NoError(t, step(t, a, a.CheckPayout, id, &depth))
	requireAlert(false) // by a look that was given up, and ends after the payout
}

// TestPayoutIsSentOrGivenUp lets one run give a payout up while another sends it,
// each after the other has asked the daemon: it is not both.
func TestPayoutIsSentOrGivenUp(t *testing.T) {
	t.Parallel()
	s, n := open(t, 5), &node{}
	a := s.payouts()
	n.daemon(t, a)
	id := s.reserved(t)
	s.built(t, id)
	n.set(func() {
		n.asked = func() { require.NoError(t, step(t, a, a.RelayPayout, id, nil)) }
	})
	for range 2 {
		released, err := a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: id, Reason: "late"})
		require.NoError(t, err)
		require.True(t, released.AlreadyBroadcast)
	}
	require.Equal(t, payout.Broadcast, s.payoutStatus(t, id))
	require.Equal(t, 1, n.relayed)

	s, n = open(t, 5), &node{}
	a = s.payouts()
	n.daemon(t, a)
	id = s.reserved(t)
	s.built(t, id)
	n.set(func() {
		n.asked = func() {
			released, err := a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: id, Reason: "late"})
			require.NoError(t, err)
			require.False(t, released.AlreadyBroadcast)
		}
	})
	require.Error(t, step(t, a, a.RelayPayout, id, nil))
	require.True(t, isRefusal(step(t, a, a.RelayPayout, id, nil)), "it was given up")
	require.Equal(t, payout.Failed, s.payoutStatus(t, id))
	require.Zero(t, n.relayed)
}

// TestPayoutThatWasSentIsNotFailed: the merchant was notified that a payout was sent, and
// the daemon has lost the transaction since. A run that tries to fail the payout
// continues with it instead, even if it is recorded as sent only after that run has asked
// the daemon. Only an operator gives it up.
func TestPayoutThatWasSentIsNotFailed(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]bool{"before": false, "meanwhile": true} {
		for _, status := range []payout.Status{payout.Broadcast, payout.Confirmed} {
			t.Run(name+", "+string(status), func(t *testing.T) {
				t.Parallel()
				s, n := open(t, 5), &node{}
				a := s.payouts()
				n.daemon(t, a)
				id := s.reserved(t)
				s.built(t, id)
				record := func() {
					s.exec(t, "UPDATE payouts SET status = $1, sent_at = now()", string(status))
					s.exec(t, "UPDATE outgoing_transactions SET state = 'sent', sent_at = now()")
				}
				if meanwhile {
					n.set(func() { n.asked = record })
				} else {
					record()
					n.set(func() { n.asked = func() { t.Error("the daemon was asked") } })
				}
				for range 2 {
					failed, err := a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: id, Reason: "the network refused the transaction"})
					require.NoError(t, err)
					require.True(t, failed.AlreadyBroadcast)
				}
				require.Equal(t, status, s.payoutStatus(t, id))
				tx, err := s.store.OutgoingOfPayout(t.Context(), id)
				require.NoError(t, err)
				require.Equal(t, "sent", tx.State)
			})
		}
	}
}

// TestRunOfAPayoutWhoseRowIsGoneEnds: the database was restored, and Temporal was not. No
// step of its run is retried.
func TestRunOfAPayoutWhoseRowIsGoneEnds(t *testing.T) {
	t.Parallel()
	s, n := open(t, 1), &node{}
	a := s.payouts()
	n.daemon(t, a)
	const gone = "po_ffffffffffffffffffffffff"
	for name, do := range map[string]func(context.Context) error{
		"measure": func(ctx context.Context) error {
			_, err := a.MeasurePayout(ctx, payouts.PayoutTask{PayoutID: gone})
			return err
		},
		"order": func(ctx context.Context) error {
			return a.OrderPayoutSwap(ctx, payouts.OrderPayoutSwap{PayoutID: gone})
		},
		"build": func(ctx context.Context) error { return a.BuildPayout(ctx, payouts.PayoutTask{PayoutID: gone}) },
		"relay": func(ctx context.Context) error { return a.RelayPayout(ctx, payouts.PayoutTask{PayoutID: gone}) },
		"check": func(ctx context.Context) error {
			_, err := a.CheckPayout(ctx, payouts.PayoutTask{PayoutID: gone})
			return err
		},
		"fail": func(ctx context.Context) error {
			_, err := a.FailPayout(ctx, payouts.FailPayout{PayoutID: gone})
			return err
		},
	} {
		err := do(t.Context())
		require.True(t, isRefusal(err), "%s: %v", name, err)
	}
}
