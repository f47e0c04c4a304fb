package e2e

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// payee returns an address of the customer to which only the exchange pays.
func (b *bourse) payee(t *testing.T, coin string) fixture.Payee {
	t.Helper()
	p, err := b.NewPayee(within(t), coin)
	require.NoError(t, err)
	return p
}

// arrived is what came to a payee, by transaction.
func (b *bourse) arrived(t *testing.T, p fixture.Payee) map[string]money.Decimal {
	t.Helper()
	all, err := b.Arrivals(within(t))
	require.NoError(t, err)
	return all.To(p)
}

// deal is a trade with what the customer knows of it.
type deal struct {
	swap
	from, to, amount string
	payee, refund    fixture.Payee
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
	d := &deal{from: from, to: to, amount: amount, payee: b.payee(t, to), refund: b.payee(t, from)}
	d.swap = b.newTrade(t, url.Values{
		"ticker_from": {from}, "ticker_to": {to}, "network_from": {"Mainnet"}, "network_to": {"Mainnet"},
		"amount_from": {amount}, "address": {d.payee.Address}, "refund": {d.refund.Address}, "provider": {"durapay"},
	})
	b.deals = append(b.deals, d)
	return d
}

// pay makes the deposit; it waits in the pool.
func (b *pairSetup) pay(t *testing.T, d *deal) {
	t.Helper()
	var err error
	d.deposit, err = b.Pay(within(t), d.from, d.Deposit, money.MustDecimal(d.amount))
	require.NoError(t, err)
	if d.from == fixture.Monero {
		b.awaitPassedOn(t, d.deposit)
	}
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
