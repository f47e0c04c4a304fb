package swap

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
)

const (
	fuzzMonero   = "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"
	fuzzLitecoin = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	fuzzQuote    = "ticker_from=xmr&network_from=Mainnet&ticker_to=ltc&network_to=mainnet&amount_from=1.5"
	fuzzTrade    = fuzzQuote + "&address=" + fuzzLitecoin + "&refund=" + fuzzMonero
)

// reader returns an API with only a quoter. Parameters must be readable with no other
// dependency.
func reader(f *testing.F) *app {
	f.Helper()
	var coins [2]exchange.Coin
	for i, ticker := range []string{"xmr", "ltc"} {
		known, ok := coin.Lookup(ticker, "Mainnet")
		require.True(f, ok)
		coins[i] = exchange.Coin{Coin: known, WalletID: ticker}
	}
	pairs := []exchange.Pair{{From: coins[0], To: coins[1]}, {From: coins[1], To: coins[0]}}
	return newApp(&Front{Deps: Deps{Quoter: &exchange.Quoter{Settings: exchange.Settings{Pairs: pairs}}}})
}

func seedQueries(f *testing.F) {
	f.Helper()
	for _, more := range []string{
		"", "&payment=True", "&payment=maybe", "&amount_to=1", "&amount_from=2", "&markup=300", "&markup=301", "&markup=-1", "&markup=99999999999999999999",
		"&note=%00", "&note=%ff", "&note=" + strings.Repeat("n", maxText+1), "&webhook_url=https://example.com/hook", "&webhook_url=http://%5B::1%5D",
		"&webhook_url=http://x.onion", "&extra_id=1", "&refund_memo=1", "&provider=Durapay", "&provider=x", "&id=%zz", ";", "&min_kycrating=Z",
	} {
		f.Add(fuzzTrade + more)
	}
	for _, amount := range []string{"0", "-0", "1e3", "1e-13", "1e999", "NaN", "0x1", "1_000", " 1", "１", "00.1", ".5", "5."} {
		f.Add("ticker_from=ltc&network_from=MAINNET&ticker_to=xmr&network_to=Mainnet&amount_from=" + url.QueryEscape(amount))
	}
}

// requireRefusal checks that an error is an answer for the caller and names the reason.
func requireRefusal(t *testing.T, err error) {
	t.Helper()
	var refused *httpapi.Problem
	require.ErrorAs(t, err, &refused)
	require.Contains(t, []int{
		http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusServiceUnavailable,
	}, refused.Status)
	require.NotEmpty(t, refused.Code)
	require.True(t, utf8.ValidString(refused.Text))
	if refused.Code == codeParameter {
		require.NotEmpty(t, refused.Details["parameter"])
	}
}

// FuzzQuoteParameters checks that accepted parameters are a pair of the list, an amount that
// the coin can have, read exactly, and a markup within the caller's cap. All other parameters
// must be refused.
func FuzzQuoteParameters(f *testing.F) {
	a := reader(f)
	seedQueries(f)
	f.Fuzz(func(t *testing.T, raw string) {
		q := &query{}
		q.values, q.err = url.ParseQuery(raw)
		want, err := a.askedOf(q, Caller{Class: Affiliate, MarkupCap: Affiliate.MarkupCap()})
		if err != nil {
			requireRefusal(t, err)
			return
		}
		require.Positive(t, want.amount.Sign())
		require.LessOrEqual(t, want.amount.Decimals(), want.pair.From.Decimals)
		require.Zero(t, want.amount.Cmp(money.MustDecimal(q.values.Get("amount_from"))))
		require.Equal(t, want.pair.From.Ticker, q.values.Get("ticker_from"))
		require.Equal(t, want.pair.To.Ticker, q.values.Get("ticker_to"))
		require.NotEqual(t, want.pair.From.Ticker, want.pair.To.Ticker)
		require.GreaterOrEqual(t, want.markup, int64(0))
		require.LessOrEqual(t, want.markup, Affiliate.MarkupCap())
	})
}

// FuzzTradeParameters checks that accepted parameters have addresses of the right coins and
// text that a database can store. All other parameters must be refused.
func FuzzTradeParameters(f *testing.F) {
	a := reader(f)
	seedQueries(f)
	f.Fuzz(func(t *testing.T, raw string) {
		q := &query{}
		q.values, q.err = url.ParseQuery(raw)
		req, err := a.tradeRequest(q, Caller{Class: Partner, MarkupCap: Partner.MarkupCap()})
		if err != nil {
			requireRefusal(t, err)
			return
		}
		pair, ok := a.Quoter.Pair(req.TickerFrom, req.NetworkFrom, req.TickerTo, req.NetworkTo)
		require.True(t, ok)
		require.NoError(t, pair.To.CheckAddress(req.Address, a.Quoter.Net))
		require.NoError(t, pair.From.CheckAddress(req.Refund, a.Quoter.Net))
		for _, text := range []*string{req.Note, req.ExtraID, req.RefundMemo, req.WebhookURL} {
			if text != nil {
				require.True(t, utf8.ValidString(*text) && !strings.ContainsRune(*text, 0) && len(*text) <= maxText)
			}
		}
	})
}

// FuzzIdempotencyKey checks that a key is accepted if it has 1 to 128 characters of any kind.
func FuzzIdempotencyKey(f *testing.F) {
	for _, key := range []string{"", "k", "1c5c1b9e-6f0b-4b8e-9b47-0b4e5f0c7f11", "\x00", "\xff", strings.Repeat("ü", 128), strings.Repeat("k", 129)} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		err := (&query{key: key, keys: 1}).checkKey()
		if n := len([]rune(key)); n > 0 && n <= 128 {
			require.NoError(t, err)
			return
		}
		var refused *httpapi.Problem
		require.ErrorAs(t, err, &refused)
		require.Equal(t, codeParameter, refused.Code)
		require.Equal(t, "Idempotency-Key", refused.Details["parameter"])
	})
}
