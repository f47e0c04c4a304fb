package adapter_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
)

const (
	aggregatorRate = `{"trade_id":"5Kw6tJ","date":"2026-11-21T09:30:00.748Z","ticker_from":"xmr","ticker_to":"ltc","coin_from":"Monero","coin_to":"Litecoin",
		"network_from":"Mainnet","network_to":"Mainnet","amount_from":1.5,"amount_to":2.86,"provider":"Durapay","fixed":false,"payment":false,"status":"new",
		"quotes":{"markup":false,"best_only":true,"kyc_list":[],"logpolicy_list":[],"min_deposit":0.05,"max_deposit":20.0,"quotes":[
		{"provider":"Durapay","kycrating":"A","logpolicy":"A","insurance":100,"fixed":"False","amount_to":"2.86","waste":"0","eta":12},
		{"provider":"Other","kycrating":"C","insurance":100,"fixed":"False","amount_to":"2.80","waste":"0.1","eta":20}]}}`

	aggregatorCreated = `{"trade_id":"5Kw6tJ","date":"2026-11-21T09:30:00.748Z","type":"api","ticker_from":"xmr","ticker_to":"ltc","network_from":"Mainnet",
		"network_to":"Mainnet","amount_from":1.5,"amount_to":2.86,"provider":"Durapay","fixed":false,"payment":false,"status":"waiting",
		"address_provider":"` + providertest.Deposit + `","address_provider_memo":"","address_user":"` + providertest.Payout + `","address_user_memo":"",
		"refund_address":"` + providertest.Refund + `","refund_address_memo":"","password":"00","id_provider":"i","affiliate_partner":"",
		"quotes":{"markup":false,"kyc_list":[],"logpolicy_list":[]},"details":{"original_eta":12,"hashout":null}}`

	aggregatorDone = `{"trade_id":"5Kw6tJ","status":"finished","amount_from":1.5,"amount_to":2.86,"address_provider":"` + providertest.Deposit + `",
		"address_provider_memo":"None","address_user":"` + providertest.Payout + `","hashout":"bb","details":{"hashout":"bb","support":{},
		"expiresAt":"2026-11-21 10:30:00+00:00"},"quotes":{"support":{},"expiresAt":"2026-11-21 10:30:00+00:00"}}`
)

func aggregatorAdapter(c *adapter.Client) provider.Provider {
	return adapter.Aggregator(c, provider.Profile{Name: "durapay", Risk: provider.RiskPrecheck, Rating: provider.RatingB})
}

func aggregatorShape() shape {
	return shape{
		New: aggregatorAdapter, CreatePath: "/new_trade", Created: aggregatorCreated, ID: "trade_id", Deposit: "address_provider", PaidTo: "address_user",
		AmountFrom: "amount_from", AmountTo: "amount_to", Status: aggregatorDone, StatusWord: "status", StatusList: true, SwapID: "5Kw6tJ",
		UnknownSwap: `{"error":"trade not found"}`,
	}
}

func TestAggregatorContract(t *testing.T) {
	t.Parallel()
	aggregatorShape().run(t)
	aggregatorShape().states(t, map[string]provider.State{
		"new": provider.Waiting, "waiting": provider.Waiting, "confirming": provider.Confirming, "exchanging": provider.Exchanging,
		"sending": provider.Sending, "finished": provider.Finished, "failed": provider.Failed, "expired": provider.Expired,
		"halted": provider.Halted, "refunded": provider.Refunded, "paid partially": provider.Halted,
	})
}

func TestAggregatorSwapFromQuoteToEnd(t *testing.T) {
	t.Parallel()
	queries := map[string]string{}
	client := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("Api-Key") != "k3y" || !strings.HasPrefix(r.Header.Get("User-Agent"), "Mozilla/5.0") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		queries[r.URL.Path] = r.URL.RawQuery
		body := map[string]string{"/api/new_rate": aggregatorRate, "/api/new_trade": aggregatorCreated, "/api/trade": "[" + aggregatorDone + "]"}[r.URL.Path]
		providertest.Answer(http.StatusOK, body)(w, r)
	})
	client.Base += "/api/"
	client.Header = http.Header{"Api-Key": {"k3y"}}
	p := aggregatorAdapter(client)

	quote, err := p.Quote(t.Context(), providertest.Request(t))
	require.NoError(t, err)
	require.Equal(t, "amount_from=1.5&best_only=True&network_from=Mainnet&network_to=Mainnet&payment=False&ticker_from=xmr&ticker_to=ltc",
		queries["/api/new_rate"])
	require.Equal(t, "2.86", quote.AmountTo.String())
	require.Equal(t, "1.906666666666666666", quote.Rate.String())
	require.Equal(t, "0.05", quote.Min.String())
	require.Equal(t, "20", quote.Max.String())
	require.Equal(t, 12*time.Minute, quote.ETA)
	require.Equal(t, provider.RatingA, quote.Rating)

	order := providertest.Order(t)
	order.Route, order.Reference, order.LeastAmountTo = quote.Route, quote.Reference, money.MustDecimal("2.86")
	swap, err := p.Create(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, "address="+providertest.Payout+"&amount_from=1.5&id=5Kw6tJ&network_from=Mainnet&network_to=Mainnet&payment=False&provider=Durapay&refund="+
		providertest.Refund+"&ticker_from=xmr&ticker_to=ltc", queries["/api/new_trade"])
	require.Equal(t, provider.Waiting, swap.State)
	require.Equal(t, providertest.Deposit, swap.DepositAddress)

	swap, err = p.Status(t.Context(), swap.ID)
	require.NoError(t, err)
	require.Equal(t, provider.Finished, swap.State)
	require.Equal(t, "bb", swap.PayoutTx)
	require.Empty(t, swap.DepositMemo)
	require.Equal(t, time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC), swap.ExpiresAt)
}

func TestAggregatorSentencesBecomeErrors(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]error{
		`{"error":"Amount is below the minimum of 3.25 XMR"}`: provider.ErrBelowMin,
		`{"error":"the amount must be at most 1.25"}`:         provider.ErrAboveMax,
		`{"error":"pair is not supported"}`:                   provider.ErrPairUnsupported,
		`{"error":"coin not found"}`:                          provider.ErrPairUnsupported,
	} {
		p := aggregatorAdapter(providertest.Serve(t, providertest.Answer(http.StatusBadRequest, body)))
		_, err := p.Quote(t.Context(), providertest.Request(t))
		require.ErrorIs(t, err, want, body)
		_, err = p.Create(t.Context(), providertest.Order(t))
		require.ErrorIs(t, err, want, body)
		var limit *provider.LimitError
		if strings.Contains(body, ".25") {
			require.ErrorAs(t, err, &limit)
			require.Contains(t, body, limit.Limit.String())
		}
	}
	for body, order := range map[string]error{
		`{"error":"invalid address"}`: provider.ErrRefused, `{"error":7}`: provider.ErrUncertain, `{"error":""}`: provider.ErrUncertain,
		`{"message":"no such route"}`: provider.ErrUncertain,
	} {
		p := aggregatorAdapter(providertest.Serve(t, providertest.Answer(http.StatusBadRequest, body)))
		_, err := p.Quote(t.Context(), providertest.Request(t))
		require.ErrorIs(t, err, provider.ErrUnavailable, body)
		_, err = p.Create(t.Context(), providertest.Order(t))
		require.ErrorIs(t, err, order, body)
	}
}

// A 503 in the aggregator's own format is a refusal. After a 503 in another
// format it is unknown whether the order was made.
func TestAggregatorItsOwnUnavailabilityIsCertain(t *testing.T) {
	t.Parallel()
	p := aggregatorAdapter(providertest.Serve(t, providertest.Answer(http.StatusServiceUnavailable, `{"error":"no route is available"}`)))
	_, err := p.Create(t.Context(), providertest.Order(t))
	require.ErrorIs(t, err, provider.ErrUnavailable)
	require.NotErrorIs(t, err, provider.ErrUncertain)
}

// The adapter drops an invalid rating and an unreasonably long time.
func TestAggregatorRouteIsNotBelievedBlindly(t *testing.T) {
	t.Parallel()
	odd := strings.NewReplacer(`"kycrating":"A"`, `"kycrating":"AAA"`, `"eta":12`, `"eta":99999999999999`).Replace(aggregatorRate)
	quote, err := aggregatorAdapter(providertest.Serve(t, providertest.Answer(http.StatusOK, odd))).Quote(t.Context(), providertest.Request(t))
	require.NoError(t, err)
	require.Equal(t, provider.RatingB, quote.Rating, "the one that the operator gave")
	require.Zero(t, quote.ETA)
}

// The limits of a quote are exact to the last digit.
func TestAggregatorQuoteOutsideOfItsOwnLimits(t *testing.T) {
	t.Parallel()
	p := aggregatorAdapter(providertest.Serve(t, providertest.Answer(http.StatusOK, strings.Replace(aggregatorRate, `"min_deposit":0.05`, `"min_deposit":1.500000000001`, 1))))
	_, err := p.Quote(t.Context(), providertest.Request(t))
	require.ErrorIs(t, err, provider.ErrBelowMin)
}

func FuzzAggregator(f *testing.F) { fuzzAnswers(f, aggregatorShape()) }
