package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// house is under which name one exchange knows the other.
const house = "house"

// TestAnotherDurapayFills has trades of one Durapay filled by another, each with its own
// database, Temporal, wallets and chains, in both directions: the customer
// speaks to the first alone, and deposit and payout are on the other's chains.
func TestAnotherDurapayFills(t *testing.T) {
	t.Parallel()
	first, behind := fullStacks.take(t), fullStacks.take(t)
	list, err := json.Marshal([]map[string]any{{
		"name": house, "kind": "durapay", "url": behind.url, "risk": "precheck", "rating": "A", "direct": true, "private": true,
	}})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "providers.json")
	require.NoError(t, os.WriteFile(file, list, 0o600))
	first.with(t, map[string]string{"SWAP_PROVIDERS_FILE": file})
	b, customer := newMarket(t, first.bourse), newMarket(t, behind.bourse)
	for _, from := range []string{"xmr", "ltc"} {
		t.Run("from "+from, func(t *testing.T) { b.fillBehind(t, customer, from, "0.6") })
	}
	t.Run("sent back", func(t *testing.T) { b.sendBackBehind(t, customer) })
}

func (b *pairSetup) fillBehind(t *testing.T, behind *pairSetup, from, amount string) {
	to := map[string]string{"ltc": "xmr", "xmr": "ltc"}[from]
	payee, refund := behind.payee(t, to), behind.payee(t, from)
	hooks, client := b.partner(t)
	made := trades(t, client, clients.Order{
		Pair: clients.Pair{From: from, To: to}, Amount: money.MustDecimal(amount), Provider: house,
		Address: payee.Address, Refund: refund.Address, Webhook: hooks.URL("/trades"),
	})
	require.Equal(t, house, made.Provider)
	order, err := clients.Partner{URL: behind.url}.Find(within(t), made.IDProvider)
	require.NoError(t, err)
	require.Equal(t, []string{"durapay", "awaiting_deposit", made.Deposit, made.AmountTo},
		[]string{order.Provider, order.Status, order.Deposit, order.AmountTo}, "the trade behind the trade")

	deposit, err := behind.Pay(within(t), from, made.Deposit, money.MustDecimal(amount))
	require.NoError(t, err)
	filled := behind.until(t, order.ID, "completed")
	now := b.await(t, &deal{swap: swap{TradeID: made.ID}}, "completed")
	require.NotNil(t, now.Paid)
	require.Equal(t, deposit, *now.Paid)
	require.Equal(t, filled.Payout, now.Payout)
	require.Nil(t, now.Refund)
	arrived := behind.arrived(t, payee)
	require.Len(t, arrived, 1)
	require.Equal(t, made.AmountTo, arrived[*now.Payout].String(), "what the first promised is what the other paid")

	_, err = hooks.Await(within(t), fixture.SwapIs(made.ID, "completed"))
	require.NoError(t, err)
	events, err := hooks.SwapEvents(made.ID, client.Key.Secret)
	require.NoError(t, err)
	at := "awaiting_deposit"
	seen := map[string]fixture.SwapEvent{}
	for _, e := range events {
		if before, known := seen[e.Status]; known { // an answer was lost: the same again
			require.Equal(t, before, e)
			continue
		}
		require.Equal(t, at, e.PrevStatus)
		at, seen[e.Status] = e.Status, e
	}
	require.Equal(t, "completed", at)
	require.Len(t, seen, 5, "%v", events)
}

// sendBackBehind deposits less than the exchange behind takes: the first shows what
// came, and what the other sent back.
func (b *pairSetup) sendBackBehind(t *testing.T, behind *pairSetup) {
	payee, refund := behind.payee(t, "xmr"), behind.payee(t, "ltc")
	_, client := b.partner(t)
	made := trades(t, client, clients.Order{
		Pair: clients.Pair{From: "ltc", To: "xmr"}, Amount: money.MustDecimal("1"), Provider: house, Address: payee.Address, Refund: refund.Address,
	})
	deposit := behind.payLTC(t, made.Deposit, "0.04")
	returned := behind.until(t, made.IDProvider, "refunded")
	now := b.await(t, &deal{swap: swap{TradeID: made.ID}}, "refunded")
	require.NotNil(t, now.Paid)
	require.Equal(t, deposit, *now.Paid)
	require.Equal(t, "0.04", now.Received)
	require.NotNil(t, now.Refund)
	require.Equal(t, returned.Refund, now.Refund)
	require.Nil(t, now.Payout)
	came := behind.arrived(t, refund)
	require.Len(t, came, 1)
	require.Positive(t, came[*now.Refund].Sign(), "it is the transaction that the customer received")
}

// trades makes a trade. If other tests have taken every deposit address that is
// ready, it waits until the exchange has more.
func trades(t *testing.T, client clients.Partner, order clients.Order) (made clients.Trade) {
	t.Helper()
	eventually(t, "the trade is made", func(ctx context.Context) (err error) {
		made, err = client.Trade(ctx, order)
		return err
	})
	return made
}

// partner is one with a fresh key, and a receiver that the services trust.
func (b *bourse) partner(t *testing.T) (*fixture.Receiver, clients.Partner) {
	t.Helper()
	env := b.Stack.Env()
	hooks, err := fixture.StartReceiverTLS(env["RECEIVER_CERT_FILE"], env["RECEIVER_KEY_FILE"])
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, hooks.Close()) })
	client, err := b.Partner(within(t))
	require.NoError(t, err)
	return hooks, client
}
