package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/trade"
)

// TestBalanceIsAskedForWhenItCanHaveChanged counts the questions: each costs as much as
// there are outputs, and anyone can create outputs.
func TestBalanceIsAskedForWhenItCanHaveChanged(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	scan, err := b.watcher.Scanner("ltc")
	require.NoError(t, err)
	asked := func(what string) int {
		t.Helper()
		before := b.ltc.weighed
		b.now = b.now.Add(time.Second)
		_, err := scan(t.Context())
		require.NoError(t, err, what)
		wallet, err := b.store.GetWallet(t.Context(), "ltc")
		require.NoError(t, err)
		require.Equal(t, b.now, wallet.BalanceCurrentAt.UTC(), "it is known to be current")
		return b.ltc.weighed - before
	}
	require.Equal(t, 1, asked("a start"))
	for range 10 {
		require.Zero(t, asked("at rest"))
	}
	b.ltc.tip++
	require.Equal(t, 1, asked("a block"))
	require.Zero(t, asked("at rest"))
	row, task := b.ready(t)
	asked("what came meanwhile")
	b.now = b.now.Add(time.Second)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Equal(t, 1, asked("an own payment"))
	require.Zero(t, asked("at rest"))
	b.now = b.now.Add(time.Minute)
	require.Equal(t, 1, asked("it is old"))
	require.NotEmpty(t, row.ID)
}

// TestInventoryThatIsNotKnownIsNotRead fails the balance after a block: until
// it is known again the wallet counts as not looked at, and deposits are seen.
func TestInventoryThatIsNotKnownIsNotRead(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	before, err := b.store.GetWallet(t.Context(), "xmr")
	require.NoError(t, err)
	b.now = b.now.Add(time.Second)
	b.xmr.weighErr = chain.ErrUnavailable
	b.deposit(row, "deposit", "1", 0)
	require.ErrorIs(t, b.scan(t, "xmr"), chain.ErrUnavailable)
	after, err := b.store.GetWallet(t.Context(), "xmr")
	require.NoError(t, err)
	require.Equal(t, before.BalanceCurrentAt, after.BalanceCurrentAt)
	scanned, err := b.store.GetChain(t.Context(), "xmr")
	require.NoError(t, err)
	require.Equal(t, b.now, scanned.ScannedAt.UTC())
	b.xmr.weighErr = nil
	require.NoError(t, b.scan(t, "xmr"))
	require.Equal(t, []string{row.ID}, b.signals)
}

// TestDepositThatWentBackToThePoolSettlesNothing is a double spend in a longer
// chain, whose pool still holds the deposit.
func TestDepositThatWentBackToThePoolSettlesNothing(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.deposit(row, "deposit", "1", 1)
	require.Equal(t, trade.Confirming, b.advance(t, row.ID).Status)
	for range 5 {
		b.deposit(row, "deposit", "1", 0) // the chain grows
		require.Equal(t, trade.DepositDetected, b.advance(t, row.ID).Status)
	}
	b.deposit(row, "deposit", "1", 1)
	require.Equal(t, trade.Confirming, b.advance(t, row.ID).Status)
	b.deposit(row, "deposit", "1", 2)
	require.Equal(t, trade.Processing, b.advance(t, row.ID).Status)
}

// TestDepositFromBeforeItsTradeDoesNotCount pays to an address before the trade
// that gets it, in the pool, and deep in the chain.
func TestDepositFromBeforeItsTradeDoesNotCount(t *testing.T) {
	t.Parallel()
	for name, depth := range map[string]uint64{"known before": 0, "deep": 30} {
		b := bureauOf(t)
		var address string
		require.NoError(t, b.store.Pool().QueryRow(t.Context(),
			"SELECT address FROM addresses WHERE wallet_id = 'xmr' AND address NOT IN (SELECT deposit_address FROM trades) ORDER BY subaddress_index LIMIT 1").Scan(&address))
		early := chain.Deposit{TxHash: "early", Address: address, Amount: 1_000_000_000_000, Confirmations: depth}
		if depth == 0 {
			b.xmr.show(early)
			b.look(t)
			require.Equal(t, []string{alert.DepositOrphaned}, b.alerts(t), name)
		}
		row := b.create(t, b.request("1"))
		require.Equal(t, address, row.DepositAddress)
		early.Confirmations = max(depth, 2)
		b.xmr.show(early)
		_, err := b.store.Pool().Exec(t.Context(), "UPDATE chains SET settled_height = 0, settled_hash = ''")
		require.NoError(t, err)
		for range 2 {
			require.Equal(t, trade.AwaitingDeposit, b.advance(t, row.ID).Status, name)
		}
		require.Equal(t, []string{alert.DepositOrphaned}, b.alerts(t), name)
		b.deposit(row, "own", "1", 2)
		require.Equal(t, trade.Processing, b.advance(t, row.ID).Status, name)
	}
}

// TestOutputOfNothingDoesNotStopTheWatcher has an output with amount 0, which any miner
// of a block can make, and then a real one.
func TestOutputOfNothingDoesNotStopTheWatcher(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.xmr.show(chain.Deposit{TxHash: "nothing", Address: row.DepositAddress, Confirmations: 1})
	b.deposit(row, "something", "1", 2)
	require.Equal(t, trade.Processing, b.advance(t, row.ID).Status)
	deposits, err := b.store.TradeDeposits(t.Context(), row.ID)
	require.NoError(t, err)
	require.Len(t, deposits, 1)
}
