package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// TestExchangeOverTor calls the exchange's onion surface, and has it call a
// partner's.
func TestExchangeOverTor(t *testing.T) {
	t.Parallel()
	b := fullStacks.take(t).bourse
	n := onTor(t)
	require.NoError(t, b.Stack.JoinTor(within(t), n.Torrc()))
	t.Run("both surfaces are the same", func(t *testing.T) { sameExchangeOverTor(t, n, b) })
	t.Run("a partner is told over Tor", func(t *testing.T) { partnerIsNotified(t, n, b) })
}

// oneXMR asks what one monero is in litecoins.
const oneXMR = "ticker_from=xmr&network_from=Mainnet&ticker_to=ltc&network_to=Mainnet&amount_from=1"

func sameExchangeOverTor(t *testing.T, n *fixture.Network, b *bourse) {
	onion := b.Stack.Env()["SWAP_ONION_URL"]
	ann := visitor(t, n, "ann of the exchange")
	for _, path := range []string{
		"/api/v1/coin", "/api/v1/pairs", "/api/v1/limits", "/api/v1/trade?id=00000000000000000000000000000000", "/api/v1/nothing?x=%20",
		"/api/v1/new_rate?ticker_from=xmr", "/api/v1/exchanges",
		"/api/v1/new_rate?" + oneXMR, "/api/new_rate?" + oneXMR, "/api/coins", "/api/exchanges",
	} {
		got := sameOnBoth(t, ann, b.url, onion, path)
		require.Equal(t, onion+path, got.header.Get("Onion-Location"), path)
	}
}

// partnerIsNotified lets a trade run to its end; its events reach the partner's
// onion service, signed.
func partnerIsNotified(t *testing.T, n *fixture.Network, b *bourse) {
	hooks, err := fixture.StartReceiver()
	require.NoError(t, err)
	t.Cleanup(func() { _ = hooks.Close() })
	host, err := n.Publish(within(t), strings.TrimPrefix(hooks.URL(""), "http://"))
	require.NoError(t, err)
	client, err := b.Partner(within(t))
	require.NoError(t, err)
	payee, err := b.Customer.Address(within(t))
	require.NoError(t, err)
	made := trades(t, client, clients.Order{
		Pair: clients.Pair{From: "ltc", To: "xmr"}, Amount: money.MustDecimal("1"), Address: payee, Refund: b.ltcAddress(t),
		Webhook: "http://" + host + "/swap",
	})
	b.payLTC(t, made.Deposit, "1")
	b.until(t, made.ID, "completed")
	_, err = hooks.Await(within(t), fixture.SwapIs(made.ID, "completed"))
	require.NoError(t, err)
	events, err := hooks.SwapEvents(made.ID, client.Key.Secret)
	require.NoError(t, err, "each is signed")
	require.NotEmpty(t, events)
}
