package swap_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows/dispatch"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	a := b.get(t, "new_rate", asked())
	require.Equal(t, http.StatusOK, a.status, a.body)
	q := a.object(t)
	for name, want := range map[string]any{
		"amount_from": "1.5", "amount_to": "2.939", "rate": "1.959333333333333333", "ticker_from": "xmr", "ticker_to": "ltc",
		"network_from": "Mainnet", "network_to": "Mainnet", "policy": "precheck", "best_provider": "durapay",
		"included_fees_usd": "4.575", "price_impact_pct": 0.0, "min_amount_from": "0.05", "max_amount_from": "20",
	} {
		// The rate is rounded down to its last place, and so is the amount.
		if name == "amount_to" {
			want = "2.93899999"
		}
		require.Equal(t, want, q[name], name)
	}
	require.Equal(t, map[string]any{"network_fee_usd": "0.075", "provider_fee_usd": "4.5", "partner_markup_usd": "0"}, q["fees_breakdown"])
	require.Len(t, q["trade_id"], 32)
	asOf, err := time.Parse(time.RFC3339Nano, q["as_of"].(string))
	require.NoError(t, err)
	expires, err := time.Parse(time.RFC3339Nano, q["expires_at"].(string))
	require.NoError(t, err)
	require.True(t, expires.After(asOf))
	routes := q["quotes"].(map[string]any)["quotes"].([]any)
	require.Equal(t, []any{map[string]any{
		"provider": "durapay", "risk": "precheck", "rate": q["rate"], "amount_to": q["amount_to"],
		"eta_seconds": q["eta_seconds"], "included_fees_usd": "4.575", "kycrating": "A",
	}}, routes)
}

func TestMarkupIsCappedByClass(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	affiliate, partner := b.key(t, "affiliate"), b.key(t, "partner")
	for _, c := range []struct {
		key, markup string
		ok          bool
	}{
		{"", "0", true}, {"", "1", false},
		{affiliate, "300", true}, {affiliate, "301", false},
		{partner, "500", true}, {partner, "501", false},
		{partner, "-1", false}, {partner, "1.5", false}, {partner, "x", false},
	} {
		a := b.get(t, "new_rate", asked("markup", c.markup), with("X-SWAP-API-Key", c.key))
		if !c.ok {
			require.Equal(t, "markup", a.requireError(t, http.StatusBadRequest, "invalid_parameter")["parameter"])
			continue
		}
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	a := b.get(t, "new_rate", asked("markup", "100"), with("API-Key", affiliate))
	require.NotEqual(t, "0", a.object(t)["fees_breakdown"].(map[string]any)["partner_markup_usd"])
}

// refusals returns the errors that a quote and a trade share.
func refusals() map[string]struct {
	change    []string
	status    int
	code      string
	parameter string
} {
	return map[string]struct {
		change    []string
		status    int
		code      string
		parameter string
	}{
		"no source":           {[]string{"ticker_from", ""}, 400, "invalid_parameter", "ticker_from"},
		"no source network":   {[]string{"network_from", ""}, 400, "invalid_parameter", "network_from"},
		"no destination":      {[]string{"ticker_to", ""}, 400, "invalid_parameter", "ticker_to"},
		"no network":          {[]string{"network_to", ""}, 400, "invalid_parameter", "network_to"},
		"no amount":           {[]string{"amount_from", ""}, 400, "invalid_parameter", "amount_from"},
		"no number":           {[]string{"amount_from", "abc"}, 400, "invalid_parameter", "amount_from"},
		"infinite":            {[]string{"amount_from", "Inf"}, 400, "invalid_parameter", "amount_from"},
		"zero":                {[]string{"amount_from", "0"}, 400, "invalid_parameter", "amount_from"},
		"negative":            {[]string{"amount_from", "-1"}, 400, "invalid_parameter", "amount_from"},
		"too many decimals":   {[]string{"amount_from", "1.0000000000001"}, 400, "invalid_parameter", "amount_from"},
		"huge exponent":       {[]string{"amount_from", "1e999"}, 400, "invalid_parameter", "amount_from"},
		"more than exists":    {[]string{"amount_from", "1e30"}, 400, "invalid_parameter", "amount_from"},
		"no UTF-8":            {[]string{"ticker_to", "\xff"}, 400, "invalid_parameter", "ticker_to"},
		"odd payment":         {[]string{"payment", "maybe"}, 400, "invalid_parameter", "payment"},
		"both amounts":        {[]string{"amount_to", "1"}, 400, "invalid_parameter", "amount_to"},
		"fixed by name":       {[]string{"payment", "True"}, 503, "fixed_rate_unsupported", ""},
		"fixed by amount":     {[]string{"amount_to", "1", "amount_from", ""}, 503, "fixed_rate_unsupported", ""},
		"unknown pair":        {[]string{"ticker_to", "btc"}, 404, "pair_not_supported", ""},
		"a coin for itself":   {[]string{"ticker_to", "xmr"}, 404, "pair_not_supported", ""},
		"upper case":          {[]string{"ticker_from", "XMR"}, 404, "pair_not_supported", ""},
		"below the minimum":   {[]string{"amount_from", "0.049999999999"}, 422, "amount_below_min", ""},
		"above the maximum":   {[]string{"amount_from", "20.000000000001"}, 422, "amount_above_max", ""},
		"a NUL in a name":     {[]string{"network_to", "a\x00"}, 400, "invalid_parameter", "network_to"},
		"amount with a space": {[]string{"amount_from", " 1"}, 400, "invalid_parameter", "amount_from"},
	}
}

func TestQuoteRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for name, c := range refusals() {
		details := b.get(t, "new_rate", asked(c.change...)).requireError(t, c.status, c.code)
		if c.parameter != "" {
			require.Equal(t, c.parameter, details["parameter"], name)
		}
	}
	require.Equal(t, map[string]any{"min_amount_from": "0.05", "your_amount_from": "0.01"},
		b.get(t, "new_rate", asked("amount_from", "0.01")).requireError(t, 422, "amount_below_min"))
	require.Equal(t, map[string]any{"max_amount_from": "20", "your_amount_from": "21"},
		b.get(t, "new_rate", asked("amount_from", "21")).requireError(t, 422, "amount_above_max"))
	fixed := b.get(t, "new_rate", asked("payment", "True"))
	fixed.requireError(t, 503, "fixed_rate_unsupported")
	require.Empty(t, fixed.header.Get("Retry-After"), "asking again later does not help")
	b.call(t, http.MethodGet, "/api/v1/new_rate?ticker_from=%zz").requireError(t, 400, "invalid_parameter")
	b.call(t, http.MethodGet, "/api/v1/new_rate?"+asked().Encode()+"&amount_from=2").requireError(t, 400, "invalid_parameter")
	for _, amount := range []string{"0.05", "20", "1.50", "2e0"} {
		require.Equal(t, http.StatusOK, b.get(t, "new_rate", asked("amount_from", amount)).status, amount)
	}
}

func TestQuoteWithoutPriceOrInventory(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.price = exchange.ErrStale
	a := b.get(t, "new_rate", asked())
	a.requireError(t, 503, "pricing_stale")
	require.NotEmpty(t, a.header.Get("Retry-After"))
	b.get(t, "limits", asked("amount_from", "")).requireError(t, 503, "pricing_stale")
	require.Contains(t, b.get(t, "pairs", nil).body, `"enabled":false`)
	b.price = nil
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE wallets SET unlocked = 0 WHERE id = 'ltc'")
	require.NoError(t, err)
	b.forget()
	b.get(t, "new_rate", asked()).requireError(t, 503, "no_route_available")
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE wallets SET unlocked = 1000, balance_current_at = now() - interval '1 hour'")
	require.NoError(t, err)
	b.forget()
	b.get(t, "new_rate", asked()).requireError(t, 503, "no_route_available")
	for _, wallet := range []string{"xmr", "ltc"} {
		_, err = b.store.Pool().Exec(t.Context(), "UPDATE wallets SET balance_current_at = now(), safe_mode = id = $1", wallet)
		require.NoError(t, err)
		b.forget()
		a = b.get(t, "new_rate", asked())
		a.requireError(t, 503, "no_route_available")
		require.NotEmpty(t, a.header.Get("Retry-After"), "a wallet of the pair is in safe mode")
	}
}

func TestEveryAnswerCarriesTheHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for target, status := range map[string]int{
		"/api/v1/new_rate?" + asked().Encode(): 200, "/api/v1/new_rate": 400, "/api/v1/nothing?a=b": 404, "/": 404, "/api/v1/trade?id=x": 404,
		"/livez": 200, "/readyz": 200, "/openapi.json": 200, "/openapi.yaml": 200, "/docs": 200, "/images/coins/xmr.svg": 200,
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			a := b.call(t, method, target)
			require.Equal(t, status, a.status, method+" "+target)
			require.Equal(t, "1", a.header.Get("X-SWAP-API-Version"), target)
			require.Equal(t, onionURL+target, a.header.Get("Onion-Location"))
			require.NotEmpty(t, a.header.Get("X-Request-Id"))
		}
	}
	b.call(t, http.MethodGet, "/api/v1/nothing").requireError(t, 404, "not_found")
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
		a := b.call(t, method, "/api/v1/new_trade")
		a.requireError(t, 405, "method_not_allowed")
		require.Equal(t, "GET, HEAD", a.header.Get("Allow"))
		require.Equal(t, "1", a.header.Get("X-SWAP-API-Version"))
		require.Equal(t, onionURL+"/api/v1/new_trade", a.header.Get("Onion-Location"))
	}
}

func TestAnUnknownKeyIsRefusedBeforeParametersAreJudged(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for _, key := range []string{"x", "prt_", secret.NewSwapKey("prt_"), secret.NewSwapKey("aff_"), b.key(t, "partner") + "0"} {
		for _, path := range []string{"new_rate", "new_trade", "trade", "coin", "pairs", "limits", "exchanges", "commission"} {
			b.get(t, path, nil, with("API-Key", key)).requireError(t, 401, "unauthorized")
		}
	}
	known := b.key(t, "partner")
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE swap_keys SET revoked_at = now() WHERE key_hash = $1", secret.HashAPIKey(known))
	require.NoError(t, err)
	b.get(t, "coin", nil, with("API-Key", known)).requireError(t, 401, "unauthorized")
}

// TestDifferentKeysAreRefused covers a request with two keys, whose caller is ambiguous. The
// same key twice counts as one.
func TestDifferentKeysAreRefused(t *testing.T) {
	t.Parallel()
	counts := map[string]*counter{}
	b := setup(t, nil, func(d *swap.Deps) {
		d.Counter = func(bucket string) httprate.LimitCounter {
			counts[bucket] = &counter{}
			return counts[bucket]
		}
	})
	affiliate, partner := b.key(t, "affiliate"), b.key(t, "partner")
	keys := func(own, alias []string) header {
		return func(h http.Header) { h["Api-Key"], h["X-Swap-Api-Key"] = own, alias }
	}
	for _, different := range []header{
		keys([]string{affiliate, partner}, nil), keys(nil, []string{partner, affiliate}),
		keys([]string{affiliate}, []string{partner}), keys([]string{partner, "unknown"}, nil),
	} {
		for _, path := range []string{"new_rate", "new_trade", "trade", "coin", "pairs", "limits", "exchanges", "commission"} {
			details := b.get(t, path, nil, different).requireError(t, http.StatusBadRequest, "invalid_parameter")
			require.Equal(t, "API-Key", details["parameter"], path)
		}
		sentence := b.dialect(t, "coins", nil, different).requireSentence(t, http.StatusBadRequest)
		require.NotContains(t, sentence, "_")
		counts["swap-reads"].made, counts["swap-writes"].made = 0, 0
	}
	require.Zero(t, counts["swap-reads-affiliate"].made+counts["swap-reads-partner"].made, "they count as nobody's")
	for _, same := range []header{
		keys([]string{affiliate, affiliate}, nil), keys([]string{affiliate, ""}, []string{affiliate}), keys([]string{""}, []string{affiliate}),
	} {
		require.Equal(t, http.StatusOK, b.get(t, "commission", nil, same).status)
	}
	query := url.Values{"api_key": {affiliate, partner}}
	b.dialect(t, "coins", query).requireSentence(t, http.StatusBadRequest)
	require.Equal(t, http.StatusOK, b.dialect(t, "coins", query, keys([]string{partner}, nil)).status, "a header goes before the query")
	require.Equal(t, 1, counts["swap-reads-partner"].made)
}

func TestListings(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	require.JSONEq(t, `[
		{"name":"Monero","ticker":"xmr","network":"Mainnet","memo":false,"image":"https://swap.example.com/images/coins/xmr.svg","minimum":"0.05","maximum":"20"},
		{"name":"Litecoin","ticker":"ltc","network":"Mainnet","memo":false,"image":"https://swap.example.com/images/coins/ltc.svg","minimum":"0.1","maximum":"40"}
	]`, b.get(t, "coin", nil).body)
	var coins []map[string]any
	require.NoError(t, json.Unmarshal([]byte(b.get(t, "coin", url.Values{"ticker": {"ltc"}, "network": {"MAINNET"}}).body), &coins))
	require.Len(t, coins, 1)
	require.JSONEq(t, `[]`, b.get(t, "coin", url.Values{"ticker": {"nope"}}).body)
	require.JSONEq(t, `{"pairs":[
		{"ticker_from":"xmr","network_from":"Mainnet","ticker_to":"ltc","network_to":"Mainnet","policy":"precheck","rate_types":["floating"],"enabled":true,"min_amount_from":"0.05","max_amount_from":"20"},
		{"ticker_from":"ltc","network_from":"Mainnet","ticker_to":"xmr","network_to":"Mainnet","policy":"precheck","rate_types":["floating"],"enabled":true,"min_amount_from":"0.1","max_amount_from":"40"}
	]}`, b.get(t, "pairs", nil).body)
	all := b.get(t, "limits", nil).object(t)["limits"].([]any)
	require.Len(t, all, 2)
	single := b.get(t, "limits", asked("amount_from", "")).object(t)
	require.Equal(t, "20", single["max_amount_from"])
	require.NotEmpty(t, single["as_of"])
	b.get(t, "limits", asked("amount_from", "", "ticker_to", "")).requireError(t, 400, "invalid_parameter")
	b.get(t, "limits", asked("amount_from", "", "ticker_to", "btc")).requireError(t, 404, "pair_not_supported")
	require.JSONEq(t, `{"list":[{"name":"durapay","rating":"A","insurance":0,"enabledmarkup":true,"eta":7}]}`, b.get(t, "exchanges", nil).body)
	b.quoter.Pairs = b.quoter.Pairs[:1]
	require.Contains(t, b.get(t, "exchanges", nil).body, `"eta":7`, "390 seconds, rounded up")
	b.get(t, "commission", nil).requireError(t, 401, "unauthorized")
	require.JSONEq(t, `{"balances":[]}`, b.get(t, "commission", nil, with("API-Key", b.key(t, "affiliate"))).body)
}

func TestTradeRefusesBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	idem := with("Idempotency-Key", "k")
	for name, c := range refusals() {
		if strings.HasPrefix(c.code, "amount_") {
			continue // checked when the trade is created
		}
		details := b.get(t, "new_trade", tradeQuery(c.change...), idem).requireError(t, c.status, c.code)
		if c.parameter != "" {
			require.Equal(t, c.parameter, details["parameter"], name)
		}
	}
	for name, c := range map[string]struct {
		change    []string
		status    int
		code      string
		parameter string
	}{
		"no address":           {[]string{"address", ""}, 400, "invalid_parameter", "address"},
		"no refund":            {[]string{"refund", ""}, 400, "invalid_parameter", "refund"},
		"bad address":          {[]string{"address", "nonsense"}, 422, "address_invalid", "address"},
		"address of the other": {[]string{"address", monero}, 422, "address_invalid", "address"},
		"refund of the other":  {[]string{"refund", litecoin}, 422, "address_invalid", "refund"},
		"unknown provider":     {[]string{"provider", "nobody"}, 400, "invalid_parameter", "provider"},
		"memo without use":     {[]string{"extra_id", "7"}, 400, "invalid_parameter", "extra_id"},
		"refund memo":          {[]string{"refund_memo", "7"}, 400, "invalid_parameter", "refund_memo"},
		"webhook of nobody":    {[]string{"webhook_url", "https://example.com"}, 400, "invalid_parameter", "webhook_url"},
		"long note":            {[]string{"note", strings.Repeat("n", 2001)}, 400, "invalid_parameter", "note"},
	} {
		details := b.get(t, "new_trade", tradeQuery(c.change...), idem).requireError(t, c.status, c.code)
		require.Equal(t, c.parameter, details["parameter"], name)
	}
	for _, key := range []string{"", strings.Repeat("k", 129)} {
		details := b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", key)).requireError(t, 400, "invalid_parameter")
		require.Equal(t, "Idempotency-Key", details["parameter"])
	}
	twice := func(h http.Header) { h["Idempotency-Key"] = []string{"one", "two"} }
	details := b.get(t, "new_trade", tradeQuery(), twice).requireError(t, 400, "invalid_parameter")
	require.Equal(t, "Idempotency-Key", details["parameter"])
	partner := with("API-Key", b.key(t, "partner"))
	for _, hook := range []string{"http://example.com", "ftp://example.com", "https://user@example.com", "no url", "http://", "//x.onion"} {
		details := b.get(t, "new_trade", tradeQuery("webhook_url", hook), idem, partner).requireError(t, 400, "invalid_parameter")
		require.Equal(t, "webhook_url", details["parameter"], hook)
	}
	require.Zero(t, b.made(t))
}

// TestTradeIsMadeWhileTemporalIsAway: the row and its wakeup are all that a trade needs. Too
// many that wait for Temporal are too many.
func TestTradeIsMadeWhileTemporalIsAway(t *testing.T) {
	t.Parallel()
	var queue *outbox.Queue
	b := setup(t, nil, func(d *swap.Deps) {
		queue = outbox.NewQueue(outbox.Trades, d.Store, dispatch.Dispatcher{Client: d.Temporal}.Send, 4, d.Log)
		d.Wakeups = queue
	})
	for n := range 2 {
		key := with("Idempotency-Key", fmt.Sprint(n))
		first := b.get(t, "new_trade", tradeQuery(), key)
		require.Equal(t, http.StatusCreated, first.status, first.body)
		require.Equal(t, first.body, b.get(t, "new_trade", tradeQuery(), key).body)
	}
	require.EqualValues(t, 2, b.made(t))
	wakeups, err := b.store.CountWakeups(t.Context())
	require.NoError(t, err)
	require.Equal(t, []db.CountWakeupsRow{{Kind: string(outbox.Trades), Count: 2}}, wakeups)

	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { queue.Run(ctx) }) // counts what waits
	require.Eventually(t, func() bool { return queue.Full("") }, 8*time.Minute, time.Millisecond)
	b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", "more")).requireError(t, 503, "route_unavailable")
	partner := with("API-Key", b.key(t, "partner"))
	require.Equal(t, http.StatusCreated, b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", "other"), partner).status, "one owner has half of the room")
	stop()
	running.Wait()

	// The process has ended: a worker starts the runs.
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE wakeups SET next_at = now()")
	require.NoError(t, err)
	sent := 0
	pgtest.SendWakeups(t, b.store, func(_ context.Context, w outbox.Wakeup) error {
		require.Equal(t, string(outbox.Trades), w.Kind)
		sent++
		return nil
	})
	require.Equal(t, 3, sent)
}

// made counts the trades.
func (b *bench) made(t *testing.T) (n int64) {
	t.Helper()
	rows, err := b.store.CountTradesByStatus(t.Context())
	require.NoError(t, err)
	for _, r := range rows {
		n += r.Count
	}
	return n
}

func TestTrades(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	t.Run("creation and lookup", func(t *testing.T) { t.Parallel(); testCreation(t, b) })
	t.Run("repeats", func(t *testing.T) { t.Parallel(); testRepeats(t, b) })
	t.Run("repeats at once", func(t *testing.T) { t.Parallel(); testRepeatsAtOnce(t, b) })
	t.Run("refused", func(t *testing.T) { t.Parallel(); testRefused(t, b) })
	t.Run("partner", func(t *testing.T) { t.Parallel(); testPartner(t, b) })
}

func testCreation(t *testing.T, b *bench) {
	a := b.get(t, "new_trade", tradeQuery("note", "<b>&n", "id", "stale", "provider", "Durapay", "payment", "False"), with("Idempotency-Key", "creation"))
	require.Equal(t, http.StatusCreated, a.status, a.body)
	made := a.object(t)
	for name, want := range map[string]any{
		"status": "pending", "ticker_from": "xmr", "ticker_to": "ltc", "network_from": "Mainnet", "network_to": "Mainnet",
		"amount_from": "1.5", "amount_to": "2.93899999", "rate": "1.959333333333333333", "provider": "durapay", "risk": "precheck",
		"address_provider_memo": nil, "refund_address": monero, "address_user": litecoin, "deposit_window_seconds": 3600.0,
		"explorer_url_deposit": nil, "explorer_url_payout": nil, "note": "<b>&n",
	} {
		require.Equal(t, want, made[name], name)
	}
	require.Contains(t, a.body, `"<b>&n"`, "the note comes back as it was sent")
	require.Regexp(t, `^[0-9a-f]{32}$`, made["trade_id"])
	require.Regexp(t, `^[0-9a-f]{32}$`, made["password"])
	require.NotEqual(t, made["trade_id"], made["id_provider"])
	require.Contains(t, made["address_provider"], "xmr deposit")

	id := made["trade_id"].(string)
	for _, q := range []url.Values{{"id": {id}}, {"id": {id}, "password": {made["password"].(string)}}} {
		var found []map[string]any
		require.NoError(t, json.Unmarshal([]byte(b.get(t, "trade", q).body), &found))
		require.Len(t, found, 1)
		for _, gone := range []string{"risk", "deposit_window_seconds", "explorer_url_deposit", "explorer_url_payout"} {
			require.NotContains(t, found[0], gone)
		}
		for name, want := range map[string]any{
			"status": "awaiting_deposit", "status_detail": "", "amount_received": "0", "deposit_tx_hash": nil,
			"payout_tx_hash": nil, "refund_tx_hash": nil, "password": made["password"], "rate": made["rate"], "note": "<b>&n",
		} {
			require.Equal(t, want, found[0][name], name)
		}
	}
	for _, wrong := range []string{"wrong", "", strings.Repeat("0", 32)} {
		b.get(t, "trade", url.Values{"id": {id}, "password": {wrong}}).requireError(t, 401, "unauthorized")
	}
	b.get(t, "trade", url.Values{"id": {secret.NewTradeID()}}).requireError(t, 404, "trade_not_found")
	b.get(t, "trade", url.Values{"id": {id + "'"}}).requireError(t, 404, "trade_not_found")
	b.get(t, "trade", nil).requireError(t, 400, "invalid_parameter")
}

func testRepeats(t *testing.T, b *bench) {
	key := with("Idempotency-Key", "repeat")
	first := b.get(t, "new_trade", tradeQuery(), key)
	require.Equal(t, http.StatusCreated, first.status, first.body)
	again := b.get(t, "new_trade", tradeQuery(), key)
	require.Equal(t, http.StatusCreated, again.status)
	require.Equal(t, first.body, again.body, "byte for byte")
	// The parameters count, not their order or spelling.
	encoded := tradeQuery().Encode()
	parts := strings.Split(encoded, "&")
	reversed := make([]string, 0, len(parts))
	for i := range parts {
		reversed = append(reversed, parts[len(parts)-1-i])
	}
	target := "/api/v1/new_trade?" + strings.ReplaceAll(strings.Join(reversed, "&"), "1.5", "1%2E5")
	require.Equal(t, first.body, b.call(t, http.MethodGet, target, key).body)
	b.get(t, "new_trade", tradeQuery("amount_from", "1.50"), key).requireError(t, 400, "idempotency_conflict")
	b.get(t, "new_trade", tradeQuery("note", "x"), key).requireError(t, 400, "idempotency_conflict")
	// Another scope: the same key means another trade.
	other := b.get(t, "new_trade", tradeQuery(), key, with("API-Key", b.key(t, "affiliate")))
	require.Equal(t, http.StatusCreated, other.status, other.body)
	require.NotEqual(t, first.body, other.body)
	// A worker that crashed between the trade and its answer left no response.
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE idempotency_keys SET response_sealed = NULL WHERE trade_id = $1", first.object(t)["trade_id"])
	require.NoError(t, err)
	require.Equal(t, first.body, b.get(t, "new_trade", tradeQuery(), key).body, "made again of what never changes")
	// After a day the key is free.
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE trade_id = $1", first.object(t)["trade_id"])
	require.NoError(t, err)
	require.NotEqual(t, first.body, b.get(t, "new_trade", tradeQuery(), key).body)
}

// TestBoundKeyIsJudgedBeforeTheParameters repeats a creation after its pair was removed from
// the list. The client gets the stored answer, and a key that is bound to other parameters
// causes a conflict even if these are invalid.
func TestBoundKeyIsJudgedBeforeTheParameters(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	key := with("Idempotency-Key", "bound")
	first := b.get(t, "new_trade", tradeQuery(), key)
	require.Equal(t, http.StatusCreated, first.status, first.body)
	b.quoter.Pairs = nil
	require.Equal(t, first, withoutRequest(first, b.get(t, "new_trade", tradeQuery(), key)))
	b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", "free")).requireError(t, 404, "pair_not_supported")
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE idempotency_keys SET response_sealed = NULL")
	require.NoError(t, err)
	require.Equal(t, first.body, b.get(t, "new_trade", tradeQuery(), key).body, "the trade is there, and so is what was answered")
	for _, q := range []url.Values{
		{}, tradeQuery("amount_from", "x"), tradeQuery("payment", "True"), tradeQuery("address", "nonsense"), tradeQuery("ticker_to", ""), tradeQuery("provider", "nobody"),
	} {
		b.get(t, "new_trade", q, key).requireError(t, 400, "idempotency_conflict")
	}
	target := "/api/v1/new_trade?" + tradeQuery().Encode()
	b.call(t, http.MethodGet, target+"&%zz", key).requireError(t, 400, "idempotency_conflict")
	b.call(t, http.MethodGet, target+"&note=%zz", with("Idempotency-Key", "free")).requireError(t, 400, "invalid_parameter")
}

// withoutRequest returns an answer with the headers of one request replaced by those of
// another.
func withoutRequest(from, a answer) answer {
	for _, name := range []string{"X-Request-Id", "Date"} {
		a.header[name] = from.header[name]
	}
	return a
}

func testRepeatsAtOnce(t *testing.T, b *bench) {
	bodies := make([]string, 8)
	var wait sync.WaitGroup
	for i := range bodies {
		wait.Go(func() {
			bodies[i] = b.get(t, "new_trade", tradeQuery("note", "at once"), with("Idempotency-Key", "at once")).body
		})
	}
	wait.Wait()
	require.Contains(t, bodies[0], `"status":"pending"`)
	for _, body := range bodies {
		require.Equal(t, bodies[0], body)
	}
	rows, err := b.store.NewestTrades(t.Context(), db.NewestTradesParams{Statuses: tradeStatuses(), Before: time.Now().AddDate(1, 0, 0), MaxRows: 100})
	require.NoError(t, err)
	n := 0
	for _, row := range rows {
		if note := b.details(t, row).Note; note != nil && *note == "at once" {
			n++
		}
	}
	require.Equal(t, 1, n)
}

func testRefused(t *testing.T, b *bench) {
	key := with("Idempotency-Key", "refused")
	require.Equal(t, map[string]any{"min_amount_from": "0.05", "your_amount_from": "0.01"},
		b.get(t, "new_trade", tradeQuery("amount_from", "0.01"), key).requireError(t, 422, "amount_below_min"))
	b.get(t, "new_trade", tradeQuery("amount_from", "0.01"), key).requireError(t, 422, "amount_below_min")
	b.get(t, "new_trade", tradeQuery("amount_from", "21"), with("Idempotency-Key", "above")).requireError(t, 422, "amount_above_max")
	b.get(t, "new_trade", tradeQuery("refund", listed), with("Idempotency-Key", "listed")).requireError(t, 422, "address_blocked")
}

func testPartner(t *testing.T, b *bench) {
	key := with("API-Key", b.key(t, "partner"))
	for i, hook := range []string{"https://partner.example/hook", "http://" + strings.Repeat("a", 56) + ".onion/hook"} {
		a := b.get(t, "new_trade", tradeQuery("webhook_url", hook, "markup", "500"), key, with("Idempotency-Key", strings.Repeat("p", i+1)))
		require.Equal(t, http.StatusCreated, a.status, a.body)
		row, err := b.store.GetTrade(t.Context(), a.object(t)["trade_id"].(string))
		require.NoError(t, err)
		require.Equal(t, hook, *b.details(t, row).WebhookURL)
		require.Positive(t, row.CommissionRate.Sign())
	}
	details := b.get(t, "new_trade", tradeQuery("webhook_url", "https://a.example"), with("API-Key", b.key(t, "affiliate")), with("Idempotency-Key", "a")).
		requireError(t, 400, "invalid_parameter")
	require.Equal(t, "webhook_url", details["parameter"])
}

func TestRateLimitsByClass(t *testing.T) {
	t.Parallel()
	counters := map[string]*counter{}
	b := setup(t, nil, func(d *swap.Deps) {
		d.Counter = func(bucket string) httprate.LimitCounter {
			counters[bucket] = &counter{}
			return counters[bucket]
		}
	})
	affiliate, partner := with("API-Key", b.key(t, "affiliate")), with("API-Key", b.key(t, "partner"))
	for _, c := range []struct {
		bucket, path string
		most         int
		key          header
	}{
		{"swap-reads", "coin", 60, with("API-Key", "")}, {"swap-writes", "new_trade", 6, with("API-Key", "")},
		{"swap-reads-affiliate", "coin", 300, affiliate}, {"swap-writes-affiliate", "new_trade", 30, affiliate},
		{"swap-reads-partner", "coin", 6000, partner}, {"swap-writes-partner", "new_trade", 600, partner},
	} {
		counters[c.bucket].made = c.most - 1
		require.NotEqual(t, http.StatusTooManyRequests, b.get(t, c.path, nil, c.key).status, c.bucket)
		a := b.get(t, c.path, nil, c.key)
		a.requireError(t, http.StatusTooManyRequests, "rate_limit_exceeded")
		require.NotEmpty(t, a.header.Get("Retry-After"))
		require.Equal(t, "1", a.header.Get("X-SWAP-API-Version"))
	}
	counters["swap-reads"].made = 60
	b.get(t, "coin", nil, with("API-Key", "prt_wrong")).requireError(t, http.StatusTooManyRequests, "rate_limit_exceeded")
	require.Equal(t, http.StatusOK, b.call(t, http.MethodGet, "/livez").status, "probes are not counted")
}

// counter counts all requests of a bucket as those of one client.
type counter struct {
	mu   sync.Mutex
	made int
}

func (c *counter) Config(int, time.Duration)               {}
func (c *counter) Increment(key string, w time.Time) error { return c.IncrementBy(key, w, 1) }
func (c *counter) IncrementBy(_ string, _ time.Time, n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made += n
	return nil
}

func (c *counter) Get(string, time.Time, time.Time) (now, before int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made, 0, nil
}

func tradeStatuses() []string {
	var all []string
	for _, s := range trade.Statuses() {
		all = append(all, string(s))
	}
	return all
}
