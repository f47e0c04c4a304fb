package merchant_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/swapquote"
)

// These are recorded rates of the three dialects.
const (
	aggregatorRate = `{"trade_id":"q-1","ticker_from":"xmr","network_from":"Mainnet","ticker_to":"ltc","network_to":"Mainnet","amount_from":1.5,` +
		`"amount_to":2.93999,"provider":"durapay","fixed":"False","payment":"False","quotes":{"quotes":[{"provider":"durapay","kycrating":"A",` +
		`"logpolicy":"C","insurance":0,"fixed":"False","amount_to":"2.93999","eta":22.0}],"markup":false,"min_deposit":0.05,"max_deposit":20}}`
	exolixRate     = `{"fromAmount":1.5,"toAmount":2.95,"rate":1.966,"message":null,"minAmount":0.07,"withdrawMin":0.0001,"maxAmount":250.5}`
	changenowRange = `{"fromCurrency":"xmr","toCurrency":"ltc","flow":"standard","minAmount":0.0264,"maxAmount":null}`
	changenowRate  = `{"fromCurrency":"xmr","toCurrency":"ltc","flow":"standard","type":"direct","rateId":null,"validUntil":null,` +
		`"transactionSpeedForecast":"10-60","warningMessage":null,"fromAmount":1.5,"toAmount":2.9}`
)

func about(name string) provider.Profile {
	return provider.Profile{Name: name, Risk: provider.RiskControlled, Rating: provider.RatingC}
}

// inExolix returns a provider that answers every request in this way.
func inExolix(t *testing.T, name string, answers http.HandlerFunc) provider.Provider {
	t.Helper()
	return adapter.Exolix(providertest.Serve(t, answers), about(name))
}

func inAggregator(tb testing.TB, name string, answers http.HandlerFunc) provider.Provider {
	tb.Helper()
	return adapter.Aggregator(providertest.Serve(tb, answers), about(name))
}

func inChangeNOW(t *testing.T, name, estimate string) provider.Provider {
	t.Helper()
	return adapter.ChangeNOW(providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := estimate
		if r.URL.Path == "/v2/exchange/range" {
			body = changenowRange
		}
		providertest.Answer(http.StatusOK, body)(w, r)
	}), about(name))
}

// quoting returns an API with these providers. It waits long for them, so that none is left out
// on a busy machine.
func quoting(t *testing.T, providers ...provider.Provider) *bench {
	t.Helper()
	return setup(t, withProviders(time.Minute, providers...))
}

func withProviders(wait time.Duration, providers ...provider.Provider) func(*merchant.Deps) {
	return func(d *merchant.Deps) {
		d.Quotes = swapquote.New(providers, wait, d.Clock)
		d.Quotes.Mid = func(coin.Coin, coin.Coin) (money.Decimal, error) { return money.MustDecimal("2"), nil }
	}
}

func (b *bench) quote(t *testing.T, path, query string) answer {
	t.Helper()
	return b.send(t, http.MethodGet, "/api/swap/"+path+"?"+query, anonymous(), "")
}

func TestQuoteIsTheBestOfThreeDialects(t *testing.T) {
	t.Parallel()
	b := quoting(t, inAggregator(t, "house", providertest.Answer(http.StatusOK, aggregatorRate)),
		inExolix(t, "ex", providertest.Answer(http.StatusOK, exolixRate)), inChangeNOW(t, "cn", changenowRate))
	for _, path := range []string{"quote", "rate"} {
		a := b.quote(t, path, "to=ltc&amount=1.5").require(t, http.StatusOK)
		require.Regexp(t, `^\{"from":"xmr","to":"ltc","fromNetwork":"Mainnet","toNetwork":"Mainnet","amount":1\.5,"quoteId":"[A-Za-z0-9_-]+",`+
			`"outputAmount":2\.95,"rate":1\.966666666666666667,"provider":"ex","fee":0\.05,"feePercent":1\.67,"estimatedTime":null,`+
			`"minAmount":0\.07,"maxAmount":250\.5,"expiresAt":"`, a.body)
		offer, err := swapquote.Open(b.box, a.text(t, "quoteId"), b.clock.Now())
		require.NoError(t, err)
		require.Equal(t, "ex 1.5 2.95", fmt.Sprint(offer.Provider, " ", offer.Amount, " ", offer.AmountTo))
		require.Equal(t, b.clock.Now().Add(swapquote.Life).Format(time.RFC3339), offer.ExpiresAt.Format(time.RFC3339))
	}
	all := b.quote(t, "quotes", "from=XMR&to=LTC&amount=1.50").require(t, http.StatusOK)
	list, ok := all.field(t, "quotes").([]any)
	require.True(t, ok)
	require.Len(t, list, 3)
	rest := all.body
	for _, part := range []string{
		`{"provider":"ex","rate":1.966666666666666667,"output_amount":2.95,"estimated_time":null,"quote_id":"`,
		`{"provider":"house","rate":1.959993333333333333,"output_amount":2.93999,"estimated_time":1320,"quote_id":"`,
		`{"provider":"cn","rate":1.933333333333333333,"output_amount":2.9,"estimated_time":null,"quote_id":"`,
	} {
		_, rest, ok = strings.Cut(rest, part)
		require.True(t, ok, "%s in %s", part, all.body)
	}
	house, ok := list[1].(map[string]any)
	require.True(t, ok)
	offer, err := swapquote.Open(b.box, fmt.Sprint(house["quote_id"]), b.clock.Now())
	require.NoError(t, err)
	require.Equal(t, "house durapay q-1", strings.Join([]string{offer.Provider, offer.Route, offer.Reference}, " "), "an order needs all of these")
}

func TestQuotesLeaveOutWhoDoesNotQuote(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	slow := inExolix(t, "slow", func(http.ResponseWriter, *http.Request) { <-over })
	t.Cleanup(func() { close(over) })
	closes := func(w http.ResponseWriter, _ *http.Request) { // breaks off midway through its answer
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, exolixRate[:20])
		panic(http.ErrAbortHandler)
	}
	huge := `{"toAmount":2.9,"x":"` + strings.Repeat("x", 2<<20) + `"}`
	long := strings.Replace(aggregatorRate, `"q-1"`, `"`+strings.Repeat("q", 600)+`"`, 1)
	b := setup(t, withProviders(100*time.Millisecond, slow, inExolix(t, "closes", closes),
		inExolix(t, "refuses", providertest.Answer(http.StatusForbidden, `{}`)),
		inExolix(t, "fails", providertest.Answer(http.StatusBadGateway, `<html>`)),
		inExolix(t, "garbage", providertest.Answer(http.StatusOK, `<html>`)),
		inExolix(t, "list", providertest.Answer(http.StatusOK, `[]`)),
		inExolix(t, "nothing", providertest.Answer(http.StatusOK, `{"toAmount":0}`)),
		inExolix(t, "negative", providertest.Answer(http.StatusOK, `{"toAmount":-3}`)),
		inExolix(t, "words", providertest.Answer(http.StatusOK, `{"toAmount":"much"}`)),
		inExolix(t, "dust", providertest.Answer(http.StatusOK, `{"toAmount":0.000000001}`)),
		inExolix(t, "all", providertest.Answer(http.StatusOK, `{"toAmount":1000000000001}`)),
		inExolix(t, "huge", providertest.Answer(http.StatusOK, huge)),
		inAggregator(t, "long", providertest.Answer(http.StatusOK, long)),
		inExolix(t, "other", providertest.Answer(http.StatusUnprocessableEntity, `{"error":"no such pair"}`)),
		inExolix(t, "ex", providertest.Answer(http.StatusOK, exolixRate))))
	// An answer that is too late for one request is used for the next.
	var a answer
	require.Eventually(t, func() bool {
		a = b.quote(t, "quotes", "to=ltc&amount=1.5")
		return a.status == http.StatusOK
	}, maxWait, 10*time.Millisecond)
	list, ok := a.field(t, "quotes").([]any)
	require.True(t, ok)
	require.Len(t, list, 1)
	require.Contains(t, a.body, `"provider":"ex"`)
}

func TestQuoteSaysWhyThereIsNone(t *testing.T) {
	t.Parallel()
	down := providertest.Answer(http.StatusServiceUnavailable, `{}`)
	no := providertest.Answer(http.StatusUnprocessableEntity, `{"error":"no such pair"}`)
	limits := func(low, high string) http.HandlerFunc {
		return providertest.Answer(http.StatusUnprocessableEntity, fmt.Sprintf(`{"minAmount":%s,"maxAmount":%s}`, low, high))
	}
	for name, c := range map[string]struct {
		answers []http.HandlerFunc
		status  int
		says    string
	}{
		"nobody is configured":     {nil, http.StatusInternalServerError, "no swap provider can quote now, try again later"},
		"all are down":             {[]http.HandlerFunc{down, down}, http.StatusInternalServerError, "no swap provider can quote now, try again later"},
		"one is down, one never":   {[]http.HandlerFunc{down, no}, http.StatusInternalServerError, "no swap provider can quote now, try again later"},
		"nobody swaps the pair":    {[]http.HandlerFunc{no, no}, http.StatusBadRequest, "no provider swaps xmr to ltc"},
		"all want more":            {[]http.HandlerFunc{limits("3", "9"), limits("2", "9"), down, limits("4", "9")}, http.StatusBadRequest, "amount is below the limit of 2 xmr"},
		"all want less":            {[]http.HandlerFunc{limits("0.1", "0.2"), limits("0.1", "0.3"), no}, http.StatusBadRequest, "amount is above the limit of 0.3 xmr"},
		"one wants less, one more": {[]http.HandlerFunc{limits("0.1", "0.2"), limits("2", "3")}, http.StatusBadRequest, "amount is above the limit of 0.2 xmr"},
	} {
		var providers []provider.Provider
		for i, answers := range c.answers {
			providers = append(providers, inExolix(t, fmt.Sprint("p", i), answers))
		}
		b := quoting(t, providers...)
		for _, path := range []string{"quote", "rate", "quotes"} {
			a := b.quote(t, path, "to=ltc").require(t, c.status, name)
			require.Equal(t, c.says, a.text(t, "error"), name)
			if c.status == http.StatusInternalServerError {
				require.Equal(t, "15", a.header.Get("Retry-After"), name)
			}
		}
	}
}

func TestQuoteRefusesWrongParameters(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	b := quoting(t, inExolix(t, "ex", func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		providertest.Answer(http.StatusOK, exolixRate)(w, r)
	}))
	for query, says := range map[string]string{
		"":                              "to is required",
		"to=":                           "to is required",
		"to[]=ltc":                      "to is required",
		"to=ltc&from=":                  "from is required",
		"to=zzz":                        "to is not a coin",
		"to=ltc%00":                     "to holds the character U+0000",
		"to=ltc%20":                     "to is not a coin",
		"to=ltc%3AERC20":                "to is not a coin",
		"to=ltc&network=TRC20":          "to is not a coin",
		"to=USD":                        "to is not a coin",
		"to=EUR":                        "to is not a coin",
		"to=%ff":                        "to is not valid UTF-8",
		"to=ltc&network=%ff":            "network is not valid UTF-8",
		"to=ltc&to=btc":                 "to is given more than once",
		"to=ltc&from=zzz":               "from is not a coin",
		"to=xmr":                        "the same coin",
		"to=XMR":                        "the same coin",
		"to=xmr:mainnet&from=xmr":       "the same coin",
		"to=ltc&amount=":                "amount must be a number",
		"to=ltc&amount=x":               "amount must be a number",
		"to=ltc&amount=1,5":             "amount must be a number",
		"to=ltc&amount=%2B1":            "amount must be a number",
		"to=ltc&amount=0x10":            "amount must be a number",
		"to=ltc&amount=NaN":             "amount must be a number",
		"to=ltc&amount=Infinity":        "amount must be a number",
		"to=ltc&amount=%5B1%5D":         "amount must be a number",
		"to=ltc&amount=1%20":            "amount must be a number",
		"to=ltc&amount=%D9%A1":          "amount must be a number",
		"to=ltc&amount=1e999":           "amount must be a number",
		"to=ltc&amount=1e99999999":      "amount must be a number",
		"to=ltc&amount=%fe":             "amount is not valid UTF-8",
		"to=ltc&amount=1&amount=1":      "amount is given more than once",
		"to=ltc&amount=0":               "amount must be more than 0",
		"to=ltc&amount=-0":              "amount must be more than 0",
		"to=ltc&amount=-1":              "amount must be more than 0",
		"to=ltc&amount=1e13":            "amount must be more than 0 and within",
		"to=ltc&amount=1.0000000000001": "amount has more decimals than xmr, which has 12",
		"to=ltc&amount=1e-13":           "amount has more decimals",
		"to=ltc&amount=" + strings.Repeat("1", 100): "amount must be a number",
		"to=ltc&from=btc&amount=0.123456789":        "amount has more decimals than btc, which has 8",
	} {
		for _, path := range []string{"quote", "rate", "quotes"} {
			a := b.quote(t, path, query).require(t, http.StatusBadRequest, query)
			require.Contains(t, a.text(t, "error"), says, query)
		}
	}
	require.Zero(t, calls.Load(), "no provider hears of what is wrong")
	for query, amount := range map[string]string{
		"to=ltc": "1", "to=ltc&amount=1.50": "1.5", "to=ltc&amount=15e-1": "1.5", "to=ltc&amount=1e2": "100",
		"to=ltc&amount=1.123456789012": "1.123456789012", "to=ltc&amount[]=7&unknown=%ff": "1",
	} {
		a := b.quote(t, "quote", query).require(t, http.StatusOK, query)
		require.Contains(t, a.body, `"amount":`+amount+`,`, query)
	}
}

func TestQuoteFindsCoinsByTickerAndNetwork(t *testing.T) {
	t.Parallel()
	var asked atomic.Pointer[url.Values]
	b := quoting(t, inExolix(t, "ex", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		asked.Store(&query)
		providertest.Answer(http.StatusOK, exolixRate)(w, r)
	}))
	for query, want := range map[string][3]string{
		"to=usdt": {"ETH", "usdt", "ERC20"}, "to=usdt&network=trc20": {"TRX", "usdt:TRC20", "TRC20"},
		"to=USDT:trc20&amount=2": {"TRX", "usdt:TRC20", "TRC20"}, "to=usdt&network=&amount=3": {"ETH", "usdt", "ERC20"},
	} {
		a := b.quote(t, "quote", query).require(t, http.StatusOK)
		require.Equal(t, want, [3]string{asked.Load().Get("networkTo"), a.text(t, "to"), a.text(t, "toNetwork")}, query)
	}
	a := b.quote(t, "quote", "from=ltc&to=xmr&amount=4").require(t, http.StatusOK)
	require.Equal(t, "ltc xmr", a.text(t, "from")+" "+a.text(t, "to"))
}

func TestManySameQuotesAskAProviderOnce(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	asked, release := make(chan struct{}, 300), make(chan struct{})
	b := quoting(t, inExolix(t, "ex", func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		asked <- struct{}{}
		<-release
		providertest.Answer(http.StatusOK, exolixRate)(w, r)
	}))
	answers := make([]answer, 20)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = b.quote(t, "quote", "to=ltc") })
	}
	<-asked // a request that arrives now waits for the same answer
	close(release)
	all.Wait()
	ids := map[string]bool{}
	for _, a := range answers {
		ids[a.require(t, http.StatusOK).text(t, "quoteId")] = true
	}
	require.Len(t, ids, len(answers), "each is a quote of its own")
	require.EqualValues(t, 1, calls.Load())
	b.clock.advance(15 * time.Second)
	b.quote(t, "quote", "to=ltc").require(t, http.StatusOK)
	require.EqualValues(t, 2, calls.Load(), "an old answer does not count")
	for i := range 200 { // each with a different amount
		b.quote(t, "quote", fmt.Sprintf("to=ltc&amount=1.%03d", i+1))
	}
	require.LessOrEqual(t, calls.Load(), int32(51), "the clock stands still, and a burst has its end")
}

func TestQuoteWithoutAPriceOfTheMarketHasNoFee(t *testing.T) {
	t.Parallel()
	b := setup(t, withProviders(time.Minute, inExolix(t, "ex", providertest.Answer(http.StatusOK, exolixRate))), func(d *merchant.Deps) {
		d.Quotes.Mid = func(_, to coin.Coin) (money.Decimal, error) {
			if to.Ticker == "btc" {
				return money.MustDecimal("0.001"), nil
			}
			return money.Decimal{}, provider.ErrUnavailable
		}
	})
	require.Contains(t, b.quote(t, "quote", "to=ltc").require(t, http.StatusOK).body, `"fee":null,"feePercent":null,`)
	require.Contains(t, b.quote(t, "quote", "to=btc").require(t, http.StatusOK).body, `"fee":0,"feePercent":0,`, "more than the market pays")
}

func TestQuoteWritesNothing(t *testing.T) {
	t.Parallel()
	b := quoting(t, inExolix(t, "ex", providertest.Answer(http.StatusOK, exolixRate)))
	before := b.digest(t)
	for _, path := range []string{"quote", "rate", "quotes"} {
		b.quote(t, path, "to=ltc").require(t, http.StatusOK)
		head := b.send(t, http.MethodHead, "/api/v1/swap/"+path+"?to=ltc", anonymous(), "")
		require.Equal(t, http.StatusOK, head.status)
		require.Empty(t, head.body)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
			a := b.send(t, method, "/api/swap/"+path+"?to=ltc", anonymous(), `{}`).require(t, http.StatusMethodNotAllowed)
			require.Equal(t, "GET, HEAD", a.header.Get("Allow"))
		}
	}
	require.Equal(t, before, b.digest(t))
}
