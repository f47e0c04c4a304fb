package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/nodes"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// observed is a node that the test moves, and what asks it.
type observed struct {
	*nodes.Observer

	now  time.Time
	tip  nodes.Tip
	err  error
	held nodes.Balance
	// newest is the time that was reported last.
	newest time.Time
}

func observe(t *testing.T, quiet time.Duration) *observed {
	t.Helper()
	o := &observed{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	o.tip = nodes.Tip{Height: 1000}
	o.held = nodes.Balance{Amount: 10 * money.OneXMR, Height: 990}
	store := pgtest.New(t)
	require.NoError(t, store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: "live", ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: "a"}))
	o.Observer = &nodes.Observer{
		Store: store, Clock: func() time.Time { return o.now }, Log: slog.New(slog.DiscardHandler), Newest: func(_ string, at time.Time) { o.newest = at },
		Nodes: []nodes.Node{{
			WalletID: "live", Quiet: quiet,
			Tip:     func(context.Context) (nodes.Tip, error) { return o.tip, o.err },
			Balance: func(context.Context) (nodes.Balance, error) { return o.held, nil },
		}},
	}
	return o
}

// row observes twice, as two workers do, and returns the stored row.
func (o *observed) row(t *testing.T) db.Node {
	t.Helper()
	for range 2 {
		require.NoError(t, o.Observe(t.Context(), true))
	}
	rows, err := o.Store.ListNodes(t.Context())
	require.NoError(t, err)
	require.Len(t, rows, 1)
	return rows[0]
}

func (o *observed) alerts(t *testing.T) (kinds []string) {
	t.Helper()
	rows, err := o.Store.ListAlerts(t.Context(), db.ListAlertsParams{Before: 1 << 62, MaxRows: 10})
	require.NoError(t, err)
	for _, r := range rows {
		kinds = append(kinds, r.Kind+" "+r.Subject)
	}
	return kinds
}

// TestANodeThatStandsStillIsSeen lets time pass until an alert opens, and mines a block. A node that
// catches up does not stand still. Another daemon of the wallet that is behind hides nothing.
func TestANodeThatStandsStillIsSeen(t *testing.T) {
	t.Parallel()
	o := observe(t, time.Hour)
	require.EqualValues(t, 1000, o.row(t).Height)
	require.Empty(t, o.alerts(t))
	seen := o.now
	require.Equal(t, seen, o.newest.UTC())

	o.now = o.now.Add(time.Hour - time.Minute)
	o.row(t)
	require.Empty(t, o.alerts(t))
	o.now = o.now.Add(time.Minute)
	row := o.row(t)
	require.Equal(t, seen, o.newest.UTC())
	require.Equal(t, o.now, row.AnsweredAt.UTC(), "it answers as ever")
	require.Equal(t, []string{alert.NodeStalled + " live"}, o.alerts(t), "one alert, however often it is asked")

	o.tip = nodes.Tip{Height: 1001}
	o.row(t)
	require.Empty(t, o.alerts(t))
	require.Equal(t, o.now, o.newest.UTC())
	o.now = o.now.Add(2 * time.Hour)
	o.tip = nodes.Tip{Height: 500, Target: 1040}
	o.row(t)
	require.Empty(t, o.alerts(t))
	for _, height := range []uint64{999, 1001, 999, 1001} {
		o.tip = nodes.Tip{Height: height}
		o.row(t)
		require.Len(t, o.alerts(t), 1)
	}
}

func TestANodeThatHangsKeepsNoOtherFromBeingAsked(t *testing.T) {
	t.Parallel()
	o := observe(t, time.Hour)
	require.NoError(t, o.Store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: "sandbox", ChainID: "xmr-Stagenet", Mode: "sandbox", PrimaryAddress: "b"}))
	hung := o.Nodes[0]
	hung.WalletID = "sandbox"
	hung.Tip = func(ctx context.Context) (nodes.Tip, error) {
		_, limited := ctx.Deadline()
		require.True(t, limited, "it has some time to answer")
		return nodes.Tip{}, context.DeadlineExceeded
	}
	o.Nodes = append([]nodes.Node{hung}, o.Nodes...)
	pay(t, o.Store, 1, 100)
	require.NoError(t, o.Observe(t.Context(), true))
	rows, err := o.Store.ListNodes(t.Context())
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Nil(t, rows[0].Error)
	require.Equal(t, money.OneXMR, *rows[0].Owed)
	require.NotNil(t, rows[1].Error)
	require.Zero(t, *rows[1].Owed, "the other wallet's payments")
}

func TestAPrivateChainMayStandStill(t *testing.T) {
	t.Parallel()
	o := observe(t, 0)
	o.now = o.now.Add(1000 * time.Hour)
	o.row(t)
	require.Empty(t, o.alerts(t))
}

// TestANodeThatDoesNotAnswerKeepsItsLastAnswer shows the error next to it.
func TestANodeThatDoesNotAnswerKeepsItsLastAnswer(t *testing.T) {
	t.Parallel()
	o := observe(t, time.Hour)
	o.err = errors.New("connection refused")
	row := o.row(t)
	require.Nil(t, row.AnsweredAt)
	require.Equal(t, "connection refused", *row.Error)
	require.Equal(t, o.held.Amount, *row.Balance, "the wallet answers by itself")

	o.err = nil
	answered := o.row(t)
	require.Nil(t, answered.Error)
	require.EqualValues(t, 1000, answered.Height)

	o.err, o.now = errors.New("timeout"), o.now.Add(time.Minute)
	row = o.row(t)
	require.Equal(t, answered.AnsweredAt, row.AnsweredAt)
	require.EqualValues(t, 1000, row.Height)
	require.Equal(t, "timeout", *row.Error)
}

// TestBalancesAreComparedWithTheBooks counts payments that the wallet has read and that are in no
// payout.
func TestBalancesAreComparedWithTheBooks(t *testing.T) {
	t.Parallel()
	o := observe(t, time.Hour)
	for i, p := range []struct {
		height int64
		change string
	}{
		{100, ""}, {989, ""}, {990, ""}, {100, "payout_id = 'po_1'"}, {100, "vanished_at = now(), height = NULL, mature_height = NULL"}, {100, "spent_elsewhere = true"},
		{100, "resolved_at = now(), note = 'paid back by hand'"},
	} {
		pay(t, o.Store, int32(i+1), p.height)
		if p.change != "" {
			_, err := o.Store.Pool().Exec(t.Context(), "UPDATE received_payments SET "+p.change+" WHERE subaddress_index = $1", i+1)
			require.NoError(t, err)
		}
	}
	row := o.row(t)
	require.Equal(t, o.held.Amount, *row.Balance)
	require.Equal(t, 2*money.OneXMR, *row.Owed)
	require.EqualValues(t, 990, *row.BalanceHeight)
}

func pay(t *testing.T, store *postgres.Store, index int32, height int64) {
	t.Helper()
	require.NoError(t, store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
		WalletID: "live", TxHash: "tx", Address: fmt.Sprint(index), SubaddressIndex: index, Amount: money.OneXMR, Outputs: 1, Height: &height, MatureHeight: &height, FirstSeenAt: time.Now(),
	}))
}
