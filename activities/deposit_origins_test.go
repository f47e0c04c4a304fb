package activities_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// several are small trades, each of its own client.
func (b *bureau) several(t *testing.T, n int) (rows []db.Trade) {
	t.Helper()
	for i := range n {
		in := b.request("0.06")
		in.ClientCode = []byte(fmt.Sprint("client ", i))
		rows = append(rows, b.create(t, in))
		b.look(t) // more addresses
	}
	return rows
}

// TestATransactionIsScreenedOnceHoweverManyTradesItPays has one transaction pay ten
// trades, and another transaction pay another customer's trade.
func TestATransactionIsScreenedOnceHoweverManyTradesItPays(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.xmr.origins["all of them"] = []string{"who paid"}
	honest := b.create(t, b.request("1"))
	for _, row := range b.several(t, 10) {
		b.deposit(row, "all of them", "0.06", 0)
	}
	b.deposit(honest, "another", "1", 0)
	require.NoError(t, b.scan(t, "xmr"))
	require.ElementsMatch(t, []string{"all of them", "another"}, b.xmr.screened)
	require.Equal(t, 10, b.number(t, "SELECT count(*) FROM trade_deposits WHERE origins_sealed IS NOT NULL AND origins_due_at IS NULL"))
}

// slowOrigins never returns the origins of some transactions.
type slowOrigins struct {
	*fakeWallet

	slow map[string]bool
	// waits are how many calls were waited for.
	waits atomic.Int32
}

func (s *slowOrigins) Origins(ctx context.Context, r chain.Received) ([]string, error) {
	from, err := s.fakeWallet.Origins(ctx, r)
	if s.slow[r.TxHash] {
		s.waits.Add(1)
		<-ctx.Done()
		err = ctx.Err()
	}
	return from, err
}

// TestLargeDepositsHoldUpNoScan has deposits that cannot be read in time come with one
// that can. All are stored at once. The readable one proceeds, and the other ones once
// they are read.
func TestLargeDepositsHoldUpNoScan(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	wallet := &slowOrigins{fakeWallet: b.xmr, slow: map[string]bool{}}
	b.use("xmr", wallet, 5)
	honest, large := b.create(t, b.request("1")), b.several(t, 8)
	for _, row := range large {
		wallet.slow["large "+row.ID] = true
		b.deposit(row, "large "+row.ID, "0.06", 2)
	}
	b.deposit(honest, "honest", "1", 2)

	require.NoError(t, b.scan(t, "xmr"))
	require.Less(t, int(wallet.waits.Load()), len(large), "the scan waits for some of them a second each, not for all, and not twice for each")
	require.Equal(t, 9, b.number(t, "SELECT count(*) FROM trade_deposits"), "all are stored")
	for range 4 {
		b.look(t)
	}
	require.Equal(t, trade.Processing, b.advance(t, honest.ID).Status)
	for _, row := range large {
		require.Equal(t, trade.Confirming, b.advance(t, row.ID).Status)
	}
	wallet.slow = nil
	b.now = b.now.Add(time.Minute)
	b.look(t)
	for _, row := range large {
		require.Equal(t, trade.Processing, b.advance(t, row.ID).Status)
	}
	require.Empty(t, b.alerts(t))
}

// TestADepositOfTooManySourcesIsKept is neither paid out nor sent back, asked for once,
// and a person's.
func TestADepositOfTooManySourcesIsKept(t *testing.T) {
	t.Parallel()
	for name, amount := range map[string]string{"would be swapped": "1", "would be sent back": "0.01"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			row := b.create(t, b.request("1"))
			b.xmr.unreadable = map[string]error{"of many": chain.ErrTooManySources}
			b.deposit(row, "of many", amount, 2)
			state := b.advance(t, row.ID)
			require.Equal(t, trade.Failed, state.Status)
			require.Empty(t, state.Payments)
			require.Equal(t, []string{alert.DepositBlocked, alert.TradeFailed}, b.alerts(t))
			require.Zero(t, b.row(t, row.ID).Reserved.Sign(), "it keeps no inventory")

			asked := len(b.xmr.screened)
			b.xmr.unreadable = nil
			for range 3 {
				b.now = b.now.Add(2 * time.Hour)
				require.Empty(t, b.advance(t, row.ID).Payments)
			}
			require.Len(t, b.xmr.screened, asked)
		})
	}
}

// TestADepositIsAskedForMoreAndMoreSeldom looks every minute for two hours and a half
// at one that cannot be read, and at one of which the chain drops and takes back.
func TestADepositIsAskedForMoreAndMoreSeldom(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.xmr.unreadable = map[string]error{"never": chain.ErrUnavailable}
	d := b.deposit(row, "never", "1", 0)
	for range 150 {
		require.NoError(t, b.scan(t, "xmr"))
		b.now = b.now.Add(time.Minute)
	}
	// In the scan, and then after 0, 1, 3, 7, 15, 31, 63 and 123 minutes.
	require.Len(t, b.xmr.screened, 9)
	require.Equal(t, []string{alert.DepositUnscreened}, b.alerts(t))

	d.Missing = true
	b.xmr.show(d)
	b.now = b.now.Add(2 * time.Hour)
	for range 2 {
		require.NoError(t, b.scan(t, "xmr"))
	}
	require.Len(t, b.xmr.screened, 9, "nobody waits for what the chain has dropped")
	require.Empty(t, b.alerts(t))

	d.Missing = false
	b.xmr.show(d)
	for range 2 {
		require.NoError(t, b.scan(t, "xmr"))
	}
	require.Len(t, b.xmr.screened, 10, "at once when it is back")
	require.Equal(t, []string{alert.DepositUnscreened}, b.alerts(t))
}

// TestUnreadableDepositsDelayNoOtherDeposit has more deposits due that were asked for in vain
// than are asked for at once, and a new one.
func TestUnreadableDepositsDelayNoOtherDeposit(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.xmr.unreadable = map[string]error{"new": chain.ErrUnavailable}
	rows := b.several(t, 13)
	for i, row := range rows[:12] {
		tx := fmt.Sprint("old ", i)
		b.xmr.unreadable[tx] = chain.ErrUnavailable
		b.deposit(row, tx, "0.06", 0)
	}
	for range 2 {
		require.NoError(t, b.scan(t, "xmr"))
	}
	b.now = b.now.Add(time.Hour)
	b.deposit(rows[12], "new", "0.06", 0)
	b.xmr.screened = nil
	require.NoError(t, b.scan(t, "xmr"))
	require.Equal(t, []string{"new", "new"}, b.xmr.screened[:2], "in the scan, and first of those that are asked for again")
	require.Len(t, b.xmr.screened, 11)
}
