package activities_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// shortWallet is a wallet that was restored from its seed. It shows deposits to the
// addresses up to reach. After more keys were made, it shows deposits to those only once
// it has read the chain again.
type shortWallet struct {
	*fakeWallet

	reach, read uint64
	// calls are the calls that it got; dies is its answer to one rescan.
	calls []string
	dies  error
	// meanwhile runs during one rescan.
	meanwhile func()
}

func (p *shortWallet) number(address string) uint64 {
	for i := range uint64(p.addresses) {
		if fmt.Sprintf("address %d of %p", i+1, p.fakeWallet) == address {
			return i + 1
		}
	}
	return 0
}

func (p *shortWallet) Watches(_ context.Context, address string) (bool, error) {
	return p.number(address) <= p.reach, nil
}

var _ chain.Extendable = (*shortWallet)(nil)

func (p *shortWallet) Extend(_ context.Context, _ string, number, ahead uint64) error {
	p.calls = append(p.calls, "extend to "+strconv.FormatUint(number+ahead, 10))
	p.reach = number + ahead + 100 // keys are made some way ahead
	return nil
}

func (p *shortWallet) Rescan(context.Context) error {
	p.calls = append(p.calls, "rescan")
	if during := p.meanwhile; during != nil {
		p.meanwhile = nil
		during()
	}
	if err := p.dies; err != nil {
		p.dies = nil
		return err
	}
	p.read = p.reach
	return nil
}

func (p *shortWallet) Scan(ctx context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	list, upTo, err := p.fakeWallet.Scan(ctx, from, to)
	return slices.DeleteFunc(list, func(r chain.Received) bool { return p.number(r.Address) > p.read }), upTo, err
}

// TestWalletOfAnOlderCopyIsExtendedAndRescanned: a deposit came to an address
// beyond the keys of a wallet that was put back. The watcher dies between the keys
// and the chain, and does it again.
func TestWalletOfAnOlderCopyIsExtendedAndRescanned(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.deposit(row, "deposit", "1", 3)
	made := uint64(b.xmr.addresses)
	short := &shortWallet{fakeWallet: b.xmr, reach: 0, dies: chain.ErrUnavailable}
	b.use("xmr", short, 5)
	require.ErrorIs(t, b.scan(t, "xmr"), chain.ErrUnavailable)
	for range 2 {
		require.NoError(t, b.scan(t, "xmr"))
	}
	extend := "extend to " + strconv.FormatUint(made, 10)
	require.Equal(t, []string{extend, "rescan", extend, "rescan"}, short.calls, "and not again once it was done")
	deposits, err := b.store.TradeDeposits(t.Context(), row.ID)
	require.NoError(t, err)
	require.Len(t, deposits, 1)
	open, err := b.store.HasAlert(t.Context(), db.HasAlertParams{Kind: alert.WalletOlder, Subject: "xmr"})
	require.NoError(t, err)
	require.True(t, open)
}

// TestWalletIsExtendedToTheAddressesOfALostCopy: an operator has said how many addresses
// a lost copy of the database handed out. No row has them, and the wallet makes their
// keys and reads the chain again, although it knows all addresses that have a row.
func TestWalletIsExtendedToTheAddressesOfALostCopy(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	made := uint64(b.xmr.addresses)
	short := &shortWallet{fakeWallet: b.xmr, reach: made, read: made}
	b.use("xmr", short, 5)
	require.NoError(t, b.scan(t, "xmr"))
	require.Empty(t, short.calls)
	lost, err := b.store.LoseAddresses(t.Context(), db.LoseAddressesParams{WalletID: "xmr", UpTo: int64(made) + 500})
	require.NoError(t, err)
	require.EqualValues(t, 1, lost)
	require.NoError(t, b.store.SetRescan(t.Context(), "xmr"))
	for range 2 {
		require.NoError(t, b.scan(t, "xmr"))
	}
	require.Equal(t, []string{"extend to " + strconv.FormatUint(made+500, 10), "rescan"}, short.calls)
}

// TestAnswerDuringARescanIsNotForgotten: after a restore the wallet reads the chain for
// hours, and meanwhile an operator says how many addresses were handed out.
func TestAnswerDuringARescanIsNotForgotten(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	made := uint64(b.xmr.addresses)
	short := &shortWallet{fakeWallet: b.xmr, reach: 0}
	short.meanwhile = func() {
		_, err := b.store.LoseAddresses(t.Context(), db.LoseAddressesParams{WalletID: "xmr", UpTo: int64(made) + 500})
		require.NoError(t, err)
		require.NoError(t, b.store.SetRescan(t.Context(), "xmr"))
	}
	b.use("xmr", short, 5)
	require.ErrorIs(t, b.scan(t, "xmr"), watch.ErrSuperseded)
	for range 2 {
		require.NoError(t, b.scan(t, "xmr"))
	}
	extend := func(to uint64) string { return "extend to " + strconv.FormatUint(to, 10) }
	require.Equal(t, []string{extend(made), "rescan", extend(made + 500), "rescan"}, short.calls)
}
