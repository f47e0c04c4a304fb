package e2e

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

// fakeWallet is an address of the customer that nobody but the exchange pays to.
type fakeWallet struct {
	address string
	// receipts are the amounts that came, by transaction.
	receipts func(context.Context) (map[string]money.Decimal, error)
}

func (b *pairSetup) fakeWallet(t *testing.T, ticker string) fakeWallet {
	t.Helper()
	if ticker == "ltc" {
		address, err := b.coins.Address(within(t))
		require.NoError(t, err)
		return fakeWallet{address, func(ctx context.Context) (map[string]money.Decimal, error) {
			list, err := b.coins.Receipts(ctx, address)
			got := map[string]money.Decimal{}
			for _, r := range list {
				got[r.TxHash] = money.FromAtomic(uint64(r.Amount), 8)
			}
			return got, err
		}}
	}
	account, err := b.customer.NewAccount(within(t))
	require.NoError(t, err)
	return fakeWallet{account.Address, func(ctx context.Context) (map[string]money.Decimal, error) {
		list, err := account.Receipts(ctx)
		got := map[string]money.Decimal{}
		for _, r := range list {
			got[r.TxHash] = r.Amount.Decimal()
		}
		return got, err
	}}
}

// deal is a trade with what the customer knows of it.
type deal struct {
	swap
	from, to, amount string
	payee, refund    fakeWallet
	// deposit is the transaction that paid for it.
	deposit string
	// void is a payout that can never be mined, though the daemon keeps it in its
	// pool and the customer's wallet shows it; empty when there is none.
	void string
	// refunded is set for a trade of which the deposit is sent back.
	refunded bool
	// forgotten is set once the database was replaced by one that does not know the
	// trade.
	forgotten bool
}

// deal asks for a trade of an amount of one coin for the other.
func (b *pairSetup) deal(t *testing.T, from, amount string) *deal {
	t.Helper()
	to := map[string]string{"ltc": "xmr", "xmr": "ltc"}[from]
	d := &deal{from: from, to: to, amount: amount, payee: b.fakeWallet(t, to), refund: b.fakeWallet(t, from)}
	d.swap = b.newTrade(t, url.Values{
		"ticker_from": {from}, "ticker_to": {to}, "network_from": {"Mainnet"}, "network_to": {"Mainnet"},
		"amount_from": {amount}, "address": {d.payee.address}, "refund": {d.refund.address}, "provider": {"durapay"},
	})
	b.deals = append(b.deals, d)
	return d
}

// pay makes the deposit; it waits in the pool.
func (b *pairSetup) pay(t *testing.T, d *deal) {
	t.Helper()
	if d.from == "ltc" {
		amount, err := utxo.ParseAmount(d.amount)
		require.NoError(t, err)
		d.deposit, err = b.coins.Pay(within(t), d.Deposit, amount)
		require.NoError(t, err)
		return
	}
	sent, err := b.customer.Pay(within(t), regtest.Output{Address: d.Deposit, Amount: xmr(d.amount)})
	require.NoError(t, err)
	d.deposit = sent.Hash
	b.awaitPassedOn(t, sent.Hash)
}

// await waits for a status without touching the chains.
func (b *pairSetup) await(t *testing.T, d *deal, status ...string) swap {
	t.Helper()
	var now swap
	eventually(t, fmt.Sprintf("the trade is %v", status), func(context.Context) error {
		if now = b.look(t, d.TradeID); !slices.Contains(status, now.Status) {
			return fmt.Errorf("%+v", now)
		}
		return nil
	})
	return now
}

// finish lets both chains grow until every trade is paid out.
func (b *pairSetup) finish(t *testing.T) {
	t.Helper()
	for _, d := range b.deals {
		b.until(t, d.TradeID, "completed")
	}
}
