package activities_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// sharedChain is the chain.Receiver of several wallets. Like the scanner of Monero it records
// the keys of outputs while it scans.
type sharedChain struct {
	store *postgres.Store
	tip   uint64
	list  []chain.Received
	// located runs before the daemon is asked for transactions, which is after the scan and
	// before its result is stored.
	located func() error
}

// pay pays a wallet in the newest block, or in the pool.
func (s *sharedChain) pay(walletID string, number int, height uint64) {
	s.list = append(s.list, chain.Received{
		TxHash: fmt.Sprint("tx ", len(s.list)), Address: fmt.Sprint("address ", number, " of ", walletID), WalletID: walletID, Ref: fmt.Sprint(number),
		Amount: 5, Outputs: 1, Height: height, SpendableAfter: 10, Seen: start,
	})
}

func (s *sharedChain) Tip(context.Context) (chain.Tip, error) {
	return chain.Tip{Height: s.tip, Hash: fmt.Sprint("block ", s.tip)}, nil
}

func (s *sharedChain) BlockHash(_ context.Context, height uint64) (string, error) {
	if height > s.tip {
		return "", chain.ErrNotFound
	}
	return fmt.Sprint("block ", height), nil
}

func (s *sharedChain) Scan(ctx context.Context, from, to uint64) (list []chain.Received, upTo uint64, err error) {
	for _, r := range s.list {
		if r.Height != 0 && (r.Height < from || r.Height > to) {
			continue
		}
		if r.Height != 0 {
			key := []byte((r.TxHash + strings.Repeat(".", 32))[:32])
			rows, err := s.store.RecordOneTimeKeys(ctx, db.RecordOneTimeKeysParams{WalletID: r.WalletID, Keys: [][]byte{key}, TxHashes: []string{r.TxHash}})
			if err != nil {
				return nil, 0, err
			}
			for _, other := range rows {
				if other.TxHash != r.TxHash {
					r.Amount = 0
				}
			}
		}
		list = append(list, r)
	}
	return list, to, nil
}

func (s *sharedChain) Locate(_ context.Context, hashes []string) ([]chain.Location, error) {
	if do := s.located; do != nil {
		s.located = nil
		if err := do(); err != nil {
			return nil, err
		}
	}
	at := make([]chain.Location, len(hashes))
	for i, hash := range hashes {
		for _, r := range s.list {
			if r.TxHash == hash {
				at[i] = chain.Location{State: chain.InPool, Height: r.Height}
				if r.Height != 0 {
					at[i].State = chain.Mined
				}
			}
		}
	}
	return at, nil
}

func (*sharedChain) Origins(context.Context, chain.Received) ([]string, error) { return nil, nil }

// market is a chain with two wallets of merchants and one of the exchange.
type market struct {
	*sharedChain

	watcher *incoming.Watch
	xmr     *fakeWallet
}

func marketOf(t *testing.T) *market {
	t.Helper()
	store := pgtest.New(t)
	for _, id := range []string{"full", "idle"} {
		require.NoError(t, store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: id, ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: "primary of " + id}))
	}
	require.NoError(t, store.UpsertExchangeWallet(t.Context(), db.UpsertExchangeWalletParams{
		ID: "xmr", ChainID: "xmr-Mainnet", Ticker: "xmr", Network: "Mainnet", Decimals: 12,
	}))
	m := &market{sharedChain: &sharedChain{store: store, tip: 100}, xmr: newFakeWallet(1, 7)}
	now := start
	m.watcher = &incoming.Watch{
		Store: store, Nudge: func() {}, Scanned: func(string, int64, time.Time) {}, Clock: func() time.Time { now = now.Add(time.Second); return now },
		Chains: map[string]incoming.Chain{"xmr-Mainnet": {
			Receiver: m.sharedChain, WalletIDs: []string{"full", "idle", "xmr"}, Merchants: []string{"full", "idle"},
			Inventories: map[string]chain.Wallet{"xmr": m.xmr},
		}},
	}
	require.NoError(t, m.started(t)()) // the first scan begins at the tip
	m.tip++
	return m
}

// started returns the scans of a worker that has just started.
func (m *market) started(t *testing.T) func() error {
	t.Helper()
	scan, err := m.watcher.Scanner("xmr-Mainnet")
	require.NoError(t, err)
	return func() error {
		outcome, err := scan(t.Context())
		return errors.Join(err, outcome.Problem)
	}
}

// stored returns the payments of each wallet, without the time at which they were seen.
func (m *market) stored(t *testing.T) []string {
	t.Helper()
	rows, err := m.store.Pool().Query(t.Context(), `SELECT concat_ws(' ', wallet_id, tx_hash, address, amount, height, mature_height, mature, vanished_at)
		FROM received_payments ORDER BY 1`)
	require.NoError(t, err)
	list := []string{}
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		list = append(list, line)
	}
	return list
}

// TestOneWalletOfAChainReceivesAll: one cursor serves all wallets of the chain, and each
// payment is stored for the wallet that received it.
func TestOneWalletOfAChainReceivesAll(t *testing.T) {
	t.Parallel()
	m := marketOf(t)
	scan := m.started(t)
	for n := range 10 {
		m.pay("full", n+1, m.tip)
	}
	m.pay("full", 11, 0)
	require.NoError(t, scan())
	for range 2 {
		counts := map[string]int{}
		for _, line := range m.stored(t) {
			counts[strings.Fields(line)[0]]++
		}
		require.Equal(t, map[string]int{"full": 11}, counts)
		require.NoError(t, scan())
	}
	chainRow, err := m.store.GetChain(t.Context(), "xmr-Mainnet")
	require.NoError(t, err)
	require.EqualValues(t, m.tip+1, chainRow.ChainHeight)
	m.tip++
	m.pay("idle", 1, m.tip)
	require.NoError(t, scan())
	require.Contains(t, strings.Join(m.stored(t), "\n"), "idle tx 11 address 1 of idle 5 102")
}

// TestTwoScannersOfOneChain lets a second worker scan while the first has read the chain and
// not stored it: the first is superseded, and the rows are those of one scan.
func TestTwoScannersOfOneChain(t *testing.T) {
	t.Parallel()
	alone, m := marketOf(t), marketOf(t)
	for _, c := range []*market{alone, m} {
		c.pay("full", 1, c.tip)
		c.pay("idle", 1, c.tip)
		c.pay("idle", 2, 0)
	}
	require.NoError(t, alone.started(t)())
	first, second := m.started(t), m.started(t)
	m.located = second
	require.ErrorIs(t, first(), watch.ErrSuperseded)
	require.Len(t, alone.stored(t), 3)
	require.Equal(t, alone.stored(t), m.stored(t))
	require.NoError(t, first())
	require.NoError(t, second())
	require.Equal(t, alone.stored(t), m.stored(t))
}

// TestAScanIsKilledAfterItRecordedKeys: the next worker counts the payment, whose key is
// already recorded for its own transaction.
func TestAScanIsKilledAfterItRecordedKeys(t *testing.T) {
	t.Parallel()
	m := marketOf(t)
	m.pay("full", 1, m.tip)
	killed := errors.New("killed")
	m.located = func() error { return killed }
	require.ErrorIs(t, m.started(t)(), killed)
	require.Empty(t, m.stored(t))
	require.NoError(t, m.started(t)())
	require.Equal(t, []string{"full tx 0 address 1 of full 5 101 111 f"}, m.stored(t))
	repeated, err := m.store.ListOpenAlerts(t.Context(), alert.KeyRepeated)
	require.NoError(t, err)
	require.Empty(t, repeated)
}

// TestAWalletThatFailsStopsNoOther: the exchange's wallet does not answer, and payments to
// merchants are stored.
func TestAWalletThatFailsStopsNoOther(t *testing.T) {
	t.Parallel()
	m := marketOf(t)
	m.xmr.weighErr = chain.ErrUnavailable
	scan, err := m.watcher.Scanner("xmr-Mainnet")
	require.NoError(t, err)
	for n := range 3 {
		m.pay("full", n+1, m.tip)
		outcome, err := scan(t.Context())
		require.NoError(t, err)
		require.ErrorIs(t, outcome.Problem, chain.ErrUnavailable)
		require.False(t, outcome.Quiet)
		require.Len(t, m.stored(t), n+1)
		m.tip++
	}
	m.xmr.weighErr = nil
	outcome, err := scan(t.Context())
	require.NoError(t, err)
	require.NoError(t, outcome.Problem)
}

// TestAWorkerWithoutAWalletOfTheChainDoesNotScanIt: an upgraded worker has a new wallet, and
// the old one would pass its payments by.
func TestAWorkerWithoutAWalletOfTheChainDoesNotScanIt(t *testing.T) {
	t.Parallel()
	m := marketOf(t)
	scan := m.started(t)
	add := func() error {
		return m.store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: "new", ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: "primary of new"})
	}
	m.pay("full", 1, m.tip)
	m.located = add // while a scan runs
	require.ErrorIs(t, scan(), watch.ErrSuperseded)
	for range 2 {
		require.ErrorContains(t, scan(), "with wallet new, which this one does not have")
	}
	require.Empty(t, m.stored(t))
	require.NoError(t, m.store.ForgetWallets(t.Context(), []string{"full", "idle", "xmr"})) // it was taken out of the configuration again
	require.NoError(t, scan())
	require.Len(t, m.stored(t), 1)
}
