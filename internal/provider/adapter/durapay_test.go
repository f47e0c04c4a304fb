package adapter_test

import (
	"net/http"
	"net/url"
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
	durapayTradeID = "6f1c9d0a4be24d7f8a35c0e1b2d3f405"

	durapayRate = `{"amount_from":"1.5","amount_to":"2.93999","trade_id":"0a1c9d0a4be24d7f8a35c0e1b2d3f405","ticker_from":"xmr","ticker_to":"ltc",
		"network_from":"Mainnet","network_to":"Mainnet","rate":"1.959993333333333333","expires_at":"2026-11-21T09:31:00.000Z","policy":"best",
		"as_of":"2026-11-21T09:30:00.000Z","best_provider":"durapay","fees_breakdown":{"network_fee_usd":"0.0008","provider_fee_usd":"4.5",
		"partner_markup_usd":"0"},"included_fees_usd":"4.5008","price_impact_pct":0,"eta_seconds":450,"min_amount_from":"0.05","max_amount_from":"20",
		"quotes":{"quotes":[{"provider":"durapay","risk":"precheck","rate":"1.959993333333333333","amount_to":"2.93999","eta_seconds":450,
		"included_fees_usd":"4.5008","kycrating":"A"}]}}`

	durapayHead = `"trade_id":"` + durapayTradeID + `","ticker_from":"xmr","ticker_to":"ltc","network_from":"Mainnet","network_to":"Mainnet",
		"amount_from":"1.5","amount_to":"2.93999","rate":"1.959993333333333333","provider":"durapay","id_provider":"sw_0123456789abcdef01234567",
		"address_provider":"` + providertest.Deposit + `","address_provider_memo":null,"refund_address":"` + providertest.Refund + `",
		"address_user":"` + providertest.Payout + `","password":"0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f","date":"2026-11-21T09:30:00.000Z",
		"expires_at":"2026-11-21T10:30:00.000Z","note":null`

	durapayCreated = `{` + durapayHead + `,"status":"pending","risk":"precheck","deposit_window_seconds":3600,"explorer_url_deposit":null,"explorer_url_payout":null}`

	durapayDone = `{` + durapayHead + `,"status":"completed","status_detail":"","amount_received":"1.5","deposit_tx_hash":"aa","payout_tx_hash":"bb",
		"refund_tx_hash":null,"updated_at":"2026-11-21T09:50:00.000Z"}`
)

func durapayAdapter(c *adapter.Client) provider.Provider {
	return adapter.Durapay(c, provider.Profile{Name: "house", Risk: provider.RiskPrecheck, Rating: provider.RatingB})
}

func durapayShape() shape {
	return shape{
		New: durapayAdapter, CreatePath: "/api/v1/new_trade", Created: durapayCreated, ID: "trade_id", Deposit: "address_provider", PaidTo: "address_user",
		AmountFrom: "amount_from", AmountTo: "amount_to", Status: durapayDone, StatusWord: "status", StatusList: true, SwapID: durapayTradeID,
		UnknownSwap: durapayProblem("trade_not_found", ""),
	}
}

func TestDurapayContract(t *testing.T) {
	t.Parallel()
	durapayShape().run(t)
	durapayShape().states(t, map[string]provider.State{
		"pending": provider.Waiting, "awaiting_deposit": provider.Waiting, "deposit_detected": provider.Confirming,
		"confirming": provider.Confirming, "processing": provider.Exchanging, "sending": provider.Sending, "completed": provider.Finished,
		"refunded": provider.Refunded, "expired": provider.Expired, "failed": provider.Halted, "hold": provider.Halted,
	})
}

func TestDurapaySwapFromQuoteToEnd(t *testing.T) {
	t.Parallel()
	queries, keys, strays := map[string]string{}, map[string]bool{}, 0
	client := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("Api-Key") != "k3y" || !strings.HasPrefix(r.Header.Get("User-Agent"), "Mozilla/5.0") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		queries[r.URL.Path] = r.URL.RawQuery
		if r.URL.Path == "/api/v1/new_trade" {
			keys[r.Header.Get("Idempotency-Key")] = true
			providertest.Answer(http.StatusCreated, durapayCreated)(w, r)
			return
		}
		strays += len(r.Header["Idempotency-Key"])
		providertest.Answer(http.StatusOK, map[string]string{"/api/v1/new_rate": durapayRate, "/api/v1/trade": "[" + durapayDone + "]"}[r.URL.Path])(w, r)
	})
	client.Header = http.Header{"Api-Key": {"k3y"}}
	p := durapayAdapter(client)

	quote, err := p.Quote(t.Context(), providertest.Request(t))
	require.NoError(t, err)
	require.Equal(t, "amount_from=1.5&best_only=true&network_from=Mainnet&network_to=Mainnet&payment=False&ticker_from=xmr&ticker_to=ltc",
		queries["/api/v1/new_rate"])
	require.Equal(t, []string{"2.93999", "1.95999333333333333", "0.05", "20", "durapay"},
		[]string{quote.AmountTo.String(), quote.Rate.Floor(17).String(), quote.Min.String(), quote.Max.String(), quote.Route})
	require.Equal(t, 450*time.Second, quote.ETA)
	require.Equal(t, provider.RatingA, quote.Rating)
	require.Zero(t, quote.ExpiresAt, "a floating rate has no end")

	order := providertest.Order(t)
	order.Route, order.Reference, order.LeastAmountTo = quote.Route, quote.Reference, money.MustDecimal("2.93999")
	order.Memo, order.RefundMemo = "7", "8"
	swap, err := p.Create(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, "address="+providertest.Payout+"&amount_from=1.5&extra_id=7&network_from=Mainnet&network_to=Mainnet&payment=False&provider=durapay&refund="+
		providertest.Refund+"&refund_memo=8&ticker_from=xmr&ticker_to=ltc", queries["/api/v1/new_trade"])
	require.Equal(t, provider.Waiting, swap.State)
	require.Equal(t, providertest.Deposit, swap.DepositAddress)
	require.Empty(t, swap.DepositMemo)
	require.Equal(t, time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC), swap.ExpiresAt)

	_, err = p.Create(t.Context(), order)
	require.NoError(t, err)
	require.Len(t, keys, 2, "each order is one of its own")
	require.NotContains(t, keys, "")
	require.Zero(t, strays, "questions have none")

	swap, err = p.Status(t.Context(), swap.ID)
	require.NoError(t, err)
	require.Equal(t, url.Values{"id": {durapayTradeID}}.Encode(), queries["/api/v1/trade"])
	require.Equal(t, provider.Finished, swap.State)
	require.Equal(t, []string{"aa", "bb", ""}, []string{swap.DepositTx, swap.PayoutTx, swap.RefundTx})
	require.Equal(t, []string{"1.5", "2.93999"}, []string{swap.AmountFrom.String(), swap.AmountTo.String()})
}

// look returns the swap that the adapter makes of an answer with some of its text
// replaced.
func durapayLook(t *testing.T, change ...string) provider.Swap {
	t.Helper()
	body := strings.NewReplacer(change...).Replace(durapayDone)
	swap, err := durapayAdapter(providertest.Serve(t, providertest.Answer(http.StatusOK, "["+body+"]"))).Status(t.Context(), durapayTradeID)
	require.NoError(t, err)
	return swap
}

// A deposit pays the received amount × the locked rate, rounded down to the coin's
// smallest unit. The adapter does not invent values that the exchange does not
// report.
func TestDurapayOtherDepositPaysByTheRate(t *testing.T) {
	t.Parallel()
	for received, want := range map[string][]string{
		"1.499999999999": {"1.499999999999", "2.93998999"},
		"1.515":          {"1.515", "2.96938989"},
		"1.515000000001": {"1.515000000001", "0"},
		"0":              {"1.5", "2.93999"},
	} {
		swap := durapayLook(t, `"amount_received":"1.5"`, `"amount_received":"`+received+`"`)
		require.Equal(t, want, []string{swap.AmountFrom.String(), swap.AmountTo.String()}, received)
	}
	swap := durapayLook(t, `"amount_received":"1.5"`, `"amount_received":"1.4"`, `"ticker_to":"ltc"`, `"ticker_to":"new"`)
	require.Equal(t, []string{"1.4", "0"}, []string{swap.AmountFrom.String(), swap.AmountTo.String()}, "nobody knows its smallest unit")
}

func TestDurapayRefundIsReported(t *testing.T) {
	t.Parallel()
	swap := durapayLook(t, `"completed"`, `"refunded"`, `"payout_tx_hash":"bb"`, `"payout_tx_hash":null`, `"refund_tx_hash":null`, `"refund_tx_hash":"cc"`)
	require.Equal(t, provider.Refunded, swap.State)
	require.Equal(t, []string{"aa", "", "cc"}, []string{swap.DepositTx, swap.PayoutTx, swap.RefundTx})
}

func durapayProblem(code, details string) string {
	return `{"error":{"code":"` + code + `","message":"what people read","details":{` + details + `}}}`
}

func TestDurapayCodesBecomeErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status        int
		body          string
		quote, create error
		limit         string
	}{
		{422, durapayProblem("amount_below_min", `"min_amount_from":"3.25","your_amount_from":"1.5"`), provider.ErrBelowMin, provider.ErrBelowMin, "3.25"},
		{422, durapayProblem("amount_below_min", `"min_amount_from":"1"`), provider.ErrBelowMin, provider.ErrBelowMin, ""},
		{422, durapayProblem("amount_above_max", `"max_amount_from":"1.25"`), provider.ErrAboveMax, provider.ErrAboveMax, "1.25"},
		{422, durapayProblem("amount_above_max", ``), provider.ErrAboveMax, provider.ErrAboveMax, ""},
		{404, durapayProblem("pair_not_supported", ``), provider.ErrPairUnsupported, provider.ErrPairUnsupported, ""},
		{422, durapayProblem("address_invalid", ``), provider.ErrUnavailable, provider.ErrRefused, ""},
		{422, durapayProblem("address_blocked", ``), provider.ErrUnavailable, provider.ErrRefused, ""},
		{400, durapayProblem("invalid_parameter", ``), provider.ErrUnavailable, provider.ErrRefused, ""},
		{422, durapayProblem("fixed_rate_unsupported", ``), provider.ErrUnavailable, provider.ErrRefused, ""},
		{404, durapayProblem("not_found", ``), provider.ErrUnavailable, provider.ErrUnavailable, ""},
		{409, durapayProblem("idempotency_conflict", ``), provider.ErrUnavailable, provider.ErrUncertain, ""},
		{429, durapayProblem("rate_limit_exceeded", ``), provider.ErrUnavailable, provider.ErrUnavailable, ""},
		{503, durapayProblem("no_route_available", ``), provider.ErrUnavailable, provider.ErrUnavailable, ""},
		{503, durapayProblem("route_unavailable", ``), provider.ErrUnavailable, provider.ErrUnavailable, ""},
		{503, durapayProblem("pricing_stale", ``), provider.ErrUnavailable, provider.ErrUnavailable, ""},
		{503, `{"error":"another's page"}`, provider.ErrUnavailable, provider.ErrUncertain, ""},
		{500, durapayProblem("internal_error", ``), provider.ErrUnavailable, provider.ErrUncertain, ""},
	} {
		p := durapayAdapter(providertest.Serve(t, providertest.Answer(c.status, c.body)))
		_, err := p.Quote(t.Context(), providertest.Request(t))
		require.ErrorIs(t, err, c.quote, c.body)
		_, err = p.Create(t.Context(), providertest.Order(t))
		require.ErrorIs(t, err, c.create, c.body)
		var limit *provider.LimitError
		if c.limit != "" {
			require.ErrorAs(t, err, &limit)
			require.Equal(t, c.limit, limit.Limit.String())
		}
	}
	for status, body := range map[int]string{400: durapayProblem("invalid_parameter", ``), 404: durapayProblem("not_found", ``)} {
		_, err := durapayAdapter(providertest.Serve(t, providertest.Answer(status, body))).Status(t.Context(), durapayTradeID)
		require.ErrorIs(t, err, provider.ErrUnavailable)
		require.NotErrorIs(t, err, provider.ErrUnknownSwap, body)
	}
}

// A proxy in front of the exchange has its own pages: nginx one for each status,
// Caddy an empty body, and other proxies JSON without a code of the contract. None
// of them comes from the exchange. So an order may have been made behind such a
// page, and a trade may still exist.
func TestDurapayPageOfAProxyIsNotTheExchangesWord(t *testing.T) {
	t.Parallel()
	nginx := func(title string) string {
		return "<html>\r\n<head><title>" + title + "</title></head>\r\n<body>\r\n<center><h1>" + title +
			"</h1></center>\r\n<hr><center>nginx/1.27.3</center>\r\n</body>\r\n</html>\r\n"
	}
	for _, page := range []struct {
		status int
		body   string
	}{
		{400, nginx("400 Bad Request")}, {404, nginx("404 Not Found")}, {405, nginx("405 Not Allowed")},
		{414, nginx("414 Request-URI Too Large")}, {503, nginx("503 Service Temporarily Unavailable")},
		{400, ""}, {404, ""}, {421, ""},
		{404, `{"error":"no such route"}`}, {404, `{"error":{"message":"trade_not_found"}}`}, {404, durapayProblem("", "")}, {404, durapayProblem("NotFound", "")},
	} {
		p := durapayAdapter(providertest.Serve(t, providertest.Answer(page.status, page.body)))
		_, err := p.Quote(t.Context(), providertest.Request(t))
		require.ErrorIs(t, err, provider.ErrUnavailable, "%d %s", page.status, page.body)
		_, err = p.Create(t.Context(), providertest.Order(t))
		require.ErrorIs(t, err, provider.ErrUncertain, "%d %s", page.status, page.body)
		_, err = p.Status(t.Context(), durapayTradeID)
		require.ErrorIs(t, err, provider.ErrUnavailable, "%d %s", page.status, page.body)
		require.NotErrorIs(t, err, provider.ErrUnknownSwap, "%d %s", page.status, page.body)
	}
}

// The adapter drops an invalid rating and an unreasonably long time. The limits of a
// quote are exact to the last digit.
func TestDurapayRouteIsNotBelievedBlindly(t *testing.T) {
	t.Parallel()
	quote := func(change ...string) (provider.Quote, error) {
		body := strings.NewReplacer(change...).Replace(durapayRate)
		return durapayAdapter(providertest.Serve(t, providertest.Answer(http.StatusOK, body))).Quote(t.Context(), providertest.Request(t))
	}
	q, err := quote(`"kycrating":"A"`, `"kycrating":"AAA"`, `"eta_seconds":450`, `"eta_seconds":99999999999999`)
	require.NoError(t, err)
	require.Equal(t, provider.RatingB, q.Rating, "the one that the operator gave")
	require.Zero(t, q.ETA)
	_, err = quote(`"min_amount_from":"0.05"`, `"min_amount_from":"1.500000000001"`)
	require.ErrorIs(t, err, provider.ErrBelowMin)
}

func FuzzDurapay(f *testing.F) { fuzzAnswers(f, durapayShape()) }
