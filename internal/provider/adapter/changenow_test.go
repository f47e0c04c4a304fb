package adapter_test

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
)

const (
	changeNOWLimits = `{"fromCurrency":"xmr","fromNetwork":"xmr","toCurrency":"ltc","toNetwork":"ltc","flow":"standard","minAmount":0.0731,"maxAmount":null}`

	changeNOWEstimate = `{"fromCurrency":"xmr","toCurrency":"ltc","flow":"standard","type":"direct","rateId":"r1","validUntil":"2026-11-21T09:50:00.000Z",
		"transactionSpeedForecast":"10-60","warningMessage":null,"depositFee":0.0001,"withdrawalFee":0.001,"fromAmount":1.5,"toAmount":2.8123456}`

	changeNOWCreated = `{"id":"b712390255","fromAmount":1.5,"toAmount":2.8123456,"flow":"standard","type":"direct","payinAddress":"` + providertest.Deposit + `",
		"payoutAddress":"` + providertest.Payout + `","payinExtraId":null,"fromCurrency":"xmr","toCurrency":"ltc","refundAddress":"` + providertest.Refund + `"}`

	changeNOWDone = `{"id":"b712390255","status":"refunded","actionsAvailable":false,"fromCurrency":"xmr","toCurrency":"ltc","expectedAmountFrom":1.5,
		"expectedAmountTo":2.8123456,"amountFrom":1.49,"amountTo":null,"payinAddress":"` + providertest.Deposit + `","payoutAddress":"` + providertest.Payout + `",
		"payinExtraId":null,"payinHash":"aa","payoutHash":null,"refundHash":"cc","refundAmount":1.48,"validUntil":"2026-11-21T09:50:00.000Z"}`
)

func changeNOWAdapter(c *adapter.Client) provider.Provider {
	return adapter.ChangeNOW(c, provider.Profile{Name: "changenow", Risk: provider.RiskControlled, Rating: provider.RatingC})
}

func changeNOWShape() shape {
	return shape{
		New: changeNOWAdapter, CreatePath: "/v2/exchange", Created: changeNOWCreated, ID: "id", Deposit: "payinAddress", PaidTo: "payoutAddress",
		AmountFrom: "fromAmount", AmountTo: "toAmount", Status: changeNOWDone, StatusWord: "status", SwapID: "b712390255",
		UnknownSwap: `{"error":"not_found","message":"No exchange"}`,
	}
}

func TestChangeNOWContract(t *testing.T) {
	t.Parallel()
	changeNOWShape().run(t)
	changeNOWShape().states(t, map[string]provider.State{
		"new": provider.Waiting, "waiting": provider.Waiting, "confirming": provider.Confirming, "exchanging": provider.Exchanging,
		"sending": provider.Sending, "finished": provider.Finished, "failed": provider.Failed, "refunded": provider.Refunded,
		"verifying": provider.Verifying, "expired": provider.Expired,
	})
}

func TestChangeNOWSwapFromQuoteToEnd(t *testing.T) {
	t.Parallel()
	client, asked := keyed(t, adapter.ChangeNOWKeyHeader, map[string]http.HandlerFunc{
		"GET /v2/exchange/range":            providertest.Answer(http.StatusOK, changeNOWLimits),
		"GET /v2/exchange/estimated-amount": providertest.Answer(http.StatusOK, changeNOWEstimate),
		"POST /v2/exchange":                 providertest.Answer(http.StatusOK, changeNOWCreated),
		"GET /v2/exchange/by-id":            providertest.Answer(http.StatusOK, changeNOWDone),
	})
	p := changeNOWAdapter(client)

	quote, err := p.Quote(t.Context(), providertest.Request(t))
	require.NoError(t, err)
	require.Equal(t, "flow=standard&fromAmount=1.5&fromCurrency=xmr&fromNetwork=xmr&toCurrency=ltc&toNetwork=ltc&type=direct",
		asked.Queries["/v2/exchange/estimated-amount"])
	require.Equal(t, "2.8123456", quote.AmountTo.String())
	require.Equal(t, "0.0731", quote.Min.String())
	require.Nil(t, quote.Max)
	require.Equal(t, "r1", quote.Reference)
	require.Equal(t, time.Date(2026, 11, 21, 9, 50, 0, 0, time.UTC), quote.ExpiresAt)

	swap, err := p.Create(t.Context(), providertest.Order(t))
	require.NoError(t, err)
	require.Equal(t, `{"fromCurrency":"xmr","fromNetwork":"xmr","toCurrency":"ltc","toNetwork":"ltc","fromAmount":"1.5","address":"`+
		providertest.Payout+`","extraId":"","refundAddress":"`+providertest.Refund+`","refundExtraId":"","flow":"standard","type":"direct"}`, asked.Body)
	require.Equal(t, provider.Waiting, swap.State)
	require.Equal(t, providertest.Deposit, swap.DepositAddress)

	swap, err = p.Status(t.Context(), swap.ID)
	require.NoError(t, err)
	require.Equal(t, "id=b712390255", asked.Queries["/v2/exchange/by-id"])
	require.Equal(t, provider.Refunded, swap.State)
	require.Equal(t, "1.49", swap.AmountFrom.String(), "what came in goes before what was expected")
	require.Equal(t, "2.8123456", swap.AmountTo.String())
	require.Equal(t, [3]string{"aa", "", "cc"}, [3]string{swap.DepositTx, swap.PayoutTx, swap.RefundTx})
}

func TestChangeNOWRefusals(t *testing.T) {
	t.Parallel()
	p := changeNOWAdapter(providertest.Serve(t, providertest.Answer(http.StatusOK, `{"minAmount":"1.50000001","maxAmount":10}`)))
	_, err := p.Quote(t.Context(), providertest.Request(t))
	var limit *provider.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, "1.50000001", limit.Limit.String())
	p = changeNOWAdapter(providertest.Serve(t, providertest.Answer(http.StatusOK, `{"minAmount":0,"maxAmount":1}`)))
	_, err = p.Quote(t.Context(), providertest.Request(t))
	require.ErrorIs(t, err, provider.ErrAboveMax)
	p = changeNOWAdapter(providertest.Serve(t, providertest.Answer(http.StatusBadRequest, `{"error":"pair_is_inactive"}`)))
	_, err = p.Quote(t.Context(), providertest.Request(t))
	require.ErrorIs(t, err, provider.ErrPairUnsupported)

	for body, want := range map[string]error{
		`{"error":"deposit_too_small","message":"Out of min amount"}`: provider.ErrBelowMin, `{"error":"deposit_too_big"}`: provider.ErrAboveMax,
		`{"error":"pair_is_inactive"}`: provider.ErrPairUnsupported, `{"error":"not_valid_address"}`: provider.ErrRefused,
		`{"message":"no such route"}`: provider.ErrUncertain, `{"error":404}`: provider.ErrUncertain,
	} {
		p := changeNOWAdapter(providertest.Serve(t, providertest.Answer(http.StatusBadRequest, body)))
		_, err := p.Create(t.Context(), providertest.Order(t))
		require.ErrorIs(t, err, want, body)
	}
}

func TestChangeNOWTokensDifferByNetworkOnly(t *testing.T) {
	t.Parallel()
	var query string
	p := changeNOWAdapter(providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		providertest.Answer(http.StatusBadRequest, `{"error":"pair_is_inactive"}`)(w, r)
	}))
	from, ok := coin.Lookup("usdt", "ERC20")
	require.True(t, ok)
	to, ok := coin.Lookup("usdt", "TRC20")
	require.True(t, ok)
	request := provider.Request{From: from, To: to, Amount: money.MustDecimal(providertest.Amount)}
	request.Amount = money.DecimalFromInt(1)
	_, err := p.Quote(t.Context(), request)
	require.ErrorIs(t, err, provider.ErrPairUnsupported)
	require.Equal(t, "flow=standard&fromCurrency=usdt&fromNetwork=eth&toCurrency=usdt&toNetwork=trx", query)
}

func FuzzChangeNOW(f *testing.F) { fuzzAnswers(f, changeNOWShape()) }
