package swap_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/secret"
)

// TestExchangeIsAProvider calls the exchange through its own API, as another Durapay does.
func TestExchangeIsAProvider(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE addresses a SET address = $1 FROM witnesses w
		WHERE a.wallet_id = 'xmr' AND w.wallet_id = 'xmr' AND a.subaddress_index = w.handed_out + 1`, providertest.Deposit)
	require.NoError(t, err)
	key := http.Header{adapter.APIKeyHeader: {b.key(t, "partner")}}
	p := adapter.Durapay(&adapter.Client{HTTP: http.DefaultClient, Base: b.url, Header: key}, provider.Profile{Name: "house", Rating: provider.RatingB})
	request := provider.Request{From: b.quoter.Pairs[0].From.Coin, To: b.quoter.Pairs[0].To.Coin, Amount: money.MustDecimal("1.25")}
	quote, err := p.Quote(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, []string{"durapay", "0.05", "20"}, []string{quote.Route, quote.Min.String(), quote.Max.String()})
	require.Equal(t, provider.RatingA, quote.Rating)
	require.Positive(t, quote.ETA)

	swap, err := p.Create(t.Context(), provider.Order{
		Request: request, Address: litecoin, Refund: monero, Route: quote.Route, Reference: quote.Reference, LeastAmountTo: quote.AmountTo,
	})
	require.NoError(t, err)
	require.Equal(t, provider.Waiting, swap.State)
	require.Equal(t, []string{providertest.Deposit, "1.25", quote.AmountTo.String()},
		[]string{swap.DepositAddress, swap.AmountFrom.String(), swap.AmountTo.String()})
	require.WithinDuration(t, time.Now().Add(time.Hour), swap.ExpiresAt, 10*time.Minute)

	again, err := p.Status(t.Context(), swap.ID)
	require.NoError(t, err)
	require.Equal(t, provider.Waiting, again.State)
	require.Equal(t, []string{"", "", ""}, []string{again.DepositTx, again.PayoutTx, again.RefundTx})
	b.pay(t, swap.ID)
	_, err = b.store.Pool().Exec(t.Context(), `UPDATE trades SET status = 'completed', reserved = 0, received = amount_from WHERE id = $1`, swap.ID)
	require.NoError(t, err)
	again, err = p.Status(t.Context(), swap.ID)
	require.NoError(t, err)
	require.Equal(t, provider.Finished, again.State)
	require.Equal(t, []string{"deposit of " + swap.ID, "paid", ""}, []string{again.DepositTx, again.PayoutTx, again.RefundTx})
	_, err = b.store.Pool().Exec(t.Context(), `UPDATE trade_payments SET kind = 'refund' WHERE trade_id = $1`, swap.ID)
	require.NoError(t, err)
	again, err = p.Status(t.Context(), swap.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"deposit of " + swap.ID, "", "paid"}, []string{again.DepositTx, again.PayoutTx, again.RefundTx})

	requireExchangeRefuses(t, p, request)
}

// requireExchangeRefuses requests things that the exchange does not support.
func requireExchangeRefuses(t *testing.T, p provider.Provider, request provider.Request) {
	t.Helper()
	_, err := p.Create(t.Context(), provider.Order{Request: request, Address: listed, Refund: monero})
	require.ErrorIs(t, err, provider.ErrRefused)
	requireLimitsAndPairs(t, p, request)
}

// requireLimitsAndPairs asks an adapter for amounts outside the exchange's limits, for a pair
// that it does not have and for a trade that does not exist.
func requireLimitsAndPairs(t *testing.T, p provider.Provider, request provider.Request) {
	t.Helper()
	for amount, want := range map[string]struct {
		kind  error
		limit string
	}{"0.01": {provider.ErrBelowMin, "0.05"}, "21": {provider.ErrAboveMax, "20"}} {
		request.Amount = money.MustDecimal(amount)
		_, err := p.Quote(t.Context(), request)
		require.ErrorIs(t, err, want.kind)
		var limit *provider.LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, want.limit, limit.Limit.String())
		_, err = p.Create(t.Context(), provider.Order{Request: request, Address: litecoin, Refund: monero})
		require.ErrorIs(t, err, want.kind)
	}
	request.Amount = money.MustDecimal("1")
	request.To, _ = coin.Lookup("btc", "Mainnet")
	_, err := p.Quote(t.Context(), request)
	require.ErrorIs(t, err, provider.ErrPairUnsupported)
	_, err = p.Status(t.Context(), secret.NewTradeID())
	require.ErrorIs(t, err, provider.ErrUnknownSwap)
}
