package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/utxo"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/workflows"
)

func witnessEntry(seq int64) witness.Entry {
	return witness.Entry{
		Seq: seq, TxHash: fmt.Sprintf("%064x", seq), Purpose: "trade_payout", Amount: "1.5", Fee: "0.01",
		Pays: []witness.Reference{{TradeID: "t", Kind: "payout", DepositTx: "d", DepositAddress: "a", Amount: "1.5", Paid: "1.5", Fee: "0.01"}},
	}
}

// witnessed is a place on a real process, with a function that kills and restarts the
// process.
type witnessed struct {
	witness.Place

	again func(t *testing.T)
}

// requireWitness requires that a place keeps its marks and entries when its process dies,
// and lowers nothing.
func requireWitness(t *testing.T, p witnessed, known bool) {
	t.Helper()
	ctx := t.Context()
	eventually := func(do func(context.Context) error) {
		t.Helper()
		require.Eventually(t, func() bool { return do(ctx) == nil }, maxWait, 100*time.Millisecond)
	}
	read := func() (m witness.Mark) {
		t.Helper()
		eventually(func(ctx context.Context) (err error) { m, err = p.Read(ctx); return err })
		return m
	}
	require.Equal(t, witness.Mark{}, read(), "it knows nothing at first")
	first := witnessEntry(1)
	for range 2 {
		eventually(func(ctx context.Context) error { return p.Raise(ctx, witness.Mark{Sends: 1}, &first) })
		eventually(func(ctx context.Context) error { return p.Raise(ctx, witness.Mark{Addresses: 70}, nil) })
	}
	eventually(func(ctx context.Context) error { return p.Raise(ctx, witness.Mark{Addresses: 64}, nil) })
	require.Equal(t, witness.Mark{Sends: 1, Addresses: 70}, read())
	p.again(t)
	require.Equal(t, witness.Mark{Sends: 1, Addresses: 70}, read(), "after its process was killed")
	var journal map[string]witness.Entry
	eventually(func(ctx context.Context) (err error) {
		journal, err = p.Journal(ctx, []string{first.TxHash, fmt.Sprintf("%064x", 99)})
		return err
	})
	if known {
		require.Equal(t, map[string]witness.Entry{first.TxHash: first}, journal)
	}
}

// TestPlacesOnRealProcesses raises marks in the wallets' files and in litecoind's,
// each of which is killed in between.
func TestPlacesOnRealProcesses(t *testing.T) {
	t.Parallel()
	s := stack.ForTest(t, stack.Options{Parts: []string{"wallet-exchange-spend", "litecoind"}})
	again := func(part string) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			require.NoError(t, s.Kill(part))
			require.NoError(t, s.StartPart(t.Context(), part))
		}
	}
	entries, err := config.LoadExchangeWallets(s.ExchangeWalletsFile())
	require.NoError(t, err)
	for _, e := range entries {
		if e.Monero != nil {
			login, err := config.ReadSecret(e.Monero.LoginFile)
			require.NoError(t, err)
			w := monero.NewWallet(monero.Endpoint{URL: e.Monero.SpendURL, Login: login}, monero.Options{CallTimeout: maxWait})
			requireWitness(t, witnessed{witness.MoneroFile{Wallet: w}, again("wallet-exchange-spend")}, true)
			continue
		}
		login, err := config.ReadSecret(e.Daemon.LoginFile)
		require.NoError(t, err)
		c, err := utxo.New(utxo.Endpoint{URL: e.Daemon.URL, Login: login, Wallet: e.Daemon.Wallet}, utxo.Options{CallTimeout: maxWait})
		require.NoError(t, err)
		requireWitness(t, witnessed{witness.Labels{Client: c}, again("litecoind")}, false)
		_, _, err = witness.UTXOChain{Client: c}.SentSince(t.Context(), 0, witness.Now)
		require.NoError(t, err)
	}
}

// TestTemporalAsAPlace raises marks in a workflow on a real Temporal, whose worker is
// replaced in between.
func TestTemporalAsAPlace(t *testing.T) {
	t.Parallel()
	c := stack.NewTemporal(t)
	w := startWitness(t, c)
	p := witness.Temporal{Client: c, WalletID: "live-1"}
	requireWitness(t, witnessed{p, func(t *testing.T) {
		t.Helper()
		w.Stop()
		w = startWitness(t, c)
	}}, true)
	for above, want := range [][]witness.Entry{{witnessEntry(1)}, {}} {
		newer, err := p.Since(t.Context(), int64(above))
		require.NoError(t, err)
		require.Equal(t, want, newer)
	}
	other := witnessEntry(1)
	other.TxHash = fmt.Sprintf("%064x", 7)
	require.Eventually(t, func() bool {
		return errors.Is(p.Raise(t.Context(), witness.Mark{Sends: 1}, &other), witness.ErrConflict)
	}, maxWait, 100*time.Millisecond)
	require.NoError(t, c.TerminateWorkflow(t.Context(), witness.WorkflowID("live-1"), "", "lost"))
	w.Stop()
}

func startWitness(t *testing.T, c client.Client) worker.Worker {
	t.Helper()
	w := worker.New(c, witness.Queue, worker.Options{})
	w.RegisterWorkflowWithOptions(workflows.Witness, workflow.RegisterOptions{Name: witness.WorkflowType})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	return w
}

// TestWitnessContinuesAsNew: a run ends after many raises, and the next run has its state,
// with the newest entries.
func TestWitnessContinuesAsNew(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterWorkflow(workflows.Witness)
	for n := range int64(600) {
		env.RegisterDelayedCallback(func() {
			e := witnessEntry(n + 1)
			env.UpdateWorkflowNoRejection(witness.RaiseUpdate, fmt.Sprint(n), t, witness.Raise{To: witness.Mark{Sends: n + 1}, Entry: &e})
		}, time.Duration(n)*time.Second)
	}
	env.ExecuteWorkflow(workflows.Witness, witness.State{Mark: witness.Mark{Addresses: 9}})
	require.True(t, env.IsWorkflowCompleted())
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
	var state witness.State
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &state))
	require.Equal(t, witness.Mark{Sends: 500, Addresses: 9}, state.Mark)
	require.Len(t, state.Journal, witness.JournalSize)
	require.Equal(t, witnessEntry(500), state.Journal[witness.JournalSize-1])
}
