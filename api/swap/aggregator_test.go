package swap_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/secret"
)

// stopped stops the API's clock, so that half a minute cannot pass during a test.
func stopped(d *swap.Deps) {
	now := time.Now()
	d.Clock = func() time.Time { return now }
}

// dialect sends a request like wallets that support aggregators.
func (b *bench) dialect(t *testing.T, path string, query url.Values, headers ...header) answer {
	t.Helper()
	a := b.call(t, http.MethodGet, "/api/"+path+"?"+query.Encode(), headers...)
	require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
	return a
}

// requireSentence checks an error of the dialect and returns its sentence.
func (a answer) requireSentence(t *testing.T, status int) string {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	var body map[string]string
	require.NoError(t, json.Unmarshal([]byte(a.body), &body), a.body)
	require.Len(t, body, 1)
	require.NotEmpty(t, body["error"])
	return body["error"]
}

// typesOf reads a JSON object into names and the kinds of values that clients distinguish. It
// does not describe nested objects and lists.
func typesOf(t *testing.T, raw string) map[string]string {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(raw), &fields), raw)
	kinds := map[string]string{}
	for name, value := range fields {
		kinds[name] = kindOf(string(value))
	}
	return kinds
}

func kindOf(value string) string {
	switch {
	case value == "null":
		return "null"
	case value == "true" || value == "false":
		return "bool"
	case strings.HasPrefix(value, `"`):
		return "text"
	case strings.HasPrefix(value, "{"):
		return "object"
	case strings.HasPrefix(value, "["):
		return "list"
	case regexp.MustCompile(`^[0-9]+$`).MatchString(value):
		return "int"
	case regexp.MustCompile(`^[0-9]+\.[0-9]+$`).MatchString(value):
		return "double"
	}
	return "something else"
}

// field returns the raw JSON at a path of names.
func field(t *testing.T, raw string, path ...string) string {
	t.Helper()
	for _, name := range path {
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(raw), &fields), raw)
		require.Contains(t, fields, name)
		raw = string(fields[name])
	}
	return raw
}

// first returns the raw first element of a list.
func first(t *testing.T, raw string) string {
	t.Helper()
	var list []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(raw), &list), raw)
	require.NotEmpty(t, list)
	return string(list[0])
}

func kinds(groups ...string) map[string]string {
	all := map[string]string{}
	for _, group := range groups {
		kind, names, _ := strings.Cut(group, ": ")
		for name := range strings.FieldsSeq(names) {
			all[name] = kind
		}
	}
	return all
}

const headKinds = "text: trade_id ticker_from ticker_to coin_from coin_to network_from network_to provider date status"

func TestDialectListings(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	const xmrEntry = `{"name":"Monero","ticker":"xmr","network":"Mainnet","image":"https://swap.example.com/images/coins/xmr.svg","memo":false,"minimum":0.05,"maximum":20.0}`
	const ltcEntry = `{"name":"Litecoin","ticker":"ltc","network":"Mainnet","image":"https://swap.example.com/images/coins/ltc.svg","memo":false,"minimum":0.1,"maximum":40.0}`
	for target, want := range map[string]string{
		"coins":                                 `[` + xmrEntry + `,` + ltcEntry + `]`,
		"coin?ticker=xmr":                       `[` + xmrEntry + `]`,
		"coin?ticker=XMR&name=monero":           `[` + xmrEntry + `]`,
		"coin?ticker=ltc&network=MAINNET&ref=x": `[` + ltcEntry + `]`,
		"exchanges":                             `{"list":[{"name":"durapay","rating":"A","insurance":0.0,"enabledmarkup":true,"eta":7.0}]}`,
		"validateaddress?ticker=ltc&network=mainnet&address=" + litecoin: `{"result":true}`,
		"validateaddress?ticker=xmr&network=Mainnet&address=" + litecoin: `{"result":false}`,
	} {
		for _, base := range []string{"/", "/api/", "/en/api/"} {
			path, query, _ := strings.Cut(target, "?")
			for _, slash := range []string{"", "/"} {
				a := b.call(t, http.MethodGet, base+path+slash+"?"+query)
				require.Equal(t, http.StatusOK, a.status, a.body)
				require.Equal(t, want+"\n", a.body, base+target)
				require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
				require.Equal(t, "1", a.header.Get("X-SWAP-API-Version"))
				require.Equal(t, onionURL+base+path+slash+"?"+query, a.header.Get("Onion-Location"))
			}
		}
	}
	require.Equal(t, "coin not found", b.dialect(t, "coin", url.Values{"ticker": {"nope"}}).requireSentence(t, 404))
	require.Equal(t, "coin not found", b.dialect(t, "coin", url.Values{"ticker": {"xmr"}, "network": {"TRC20"}}).requireSentence(t, 404))
	b.dialect(t, "coin", nil).requireSentence(t, 400)
	b.dialect(t, "validateaddress", url.Values{"ticker": {"xmr"}, "network": {"Mainnet"}}).requireSentence(t, 400)
	b.dialect(t, "validateaddress", url.Values{"ticker": {"x"}, "network": {"Mainnet"}, "address": {"y"}}).requireSentence(t, 404)
	require.Equal(t, http.StatusOK, b.call(t, http.MethodGet, "/images/providers/durapay.svg").status)
}

func TestDialectCoinsOfTheMainNetworkComeFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	tether, ok := coin.Lookup("usdt", "TRC20")
	require.True(t, ok)
	other := exchange.Coin{Coin: tether, WalletID: "usdt", Confirmations: 1}
	b.quoter.Pairs = append([]exchange.Pair{{From: other, To: b.quoter.Pairs[0].From, Min: money.MustDecimal("1e1"), Max: money.MustDecimal("1e3")}}, b.quoter.Pairs...)
	a := b.dialect(t, "coins", nil)
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &list), a.body)
	require.Len(t, list, 3)
	require.Equal(t, "xmr", list[0]["ticker"])
	require.Equal(t, "TRC20", list[2]["network"])
	require.Contains(t, a.body, `"minimum":10.0,"maximum":1000.0`)
	// Both coins are known, but the pair is not offered.
	require.Contains(t, b.dialect(t, "new_rate", asked("ticker_to", "usdt", "network_to", "trc20")).requireSentence(t, 400), "pair")
}

func TestDialectQuote(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	a := b.dialect(t, "new_rate", asked("payment", "False", "min_kycrating", "C", "best_only", "true", "ref", "x", "webhook", "no url"))
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, kinds(headKinds, "double: amount_from amount_to", "bool: fixed payment", "object: quotes"), typesOf(t, a.body))
	require.Equal(t, kinds("bool: markup best_only", "list: kyc_list logpolicy_list quotes", "double: min_deposit max_deposit"),
		typesOf(t, field(t, a.body, "quotes")))
	route := first(t, field(t, a.body, "quotes", "quotes"))
	require.Equal(t, kinds("text: provider kycrating logpolicy provider_logo fixed amount_to waste amount_from_USD amount_to_USD USD_total_cost_percentage",
		"int: insurance eta"), typesOf(t, route))
	for name, want := range map[string]string{
		"amount_from": "1.5", "amount_to": "2.93899999", "status": `"new"`, "fixed": "false", "payment": "false",
		"provider": `"durapay"`, "coin_from": `"Monero"`, "network_to": `"Mainnet"`,
	} {
		require.Equal(t, want, field(t, a.body, name), name)
	}
	require.Regexp(t, `^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$`, field(t, a.body, "date"))
	for name, want := range map[string]string{
		"provider": `"durapay"`, "amount_to": `"2.93899999"`, "fixed": `"False"`, "eta": "7", "waste": `"0"`,
		"amount_from_USD": `"225.00"`, "amount_to_USD": `"220.42"`, "USD_total_cost_percentage": `"2.03"`,
	} {
		require.Equal(t, want, field(t, route, name), name)
	}
	require.Equal(t, "20.0", field(t, a.body, "quotes", "max_deposit"))
}

func TestDialectReadsPrintedDoubles(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for given, want := range map[string]string{
		"0.2": "0.2", "20.0": "20.0", "0.20000100": "0.200001", "2": "2.0", "2e0": "2.0", "1.5E+1": "15.0",
		"0.1000000000000000": "0.1", "5e-2": "0.05",
	} {
		a := b.dialect(t, "new_rate", asked("amount_from", given))
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, want, field(t, a.body, "amount_from"), given)
		require.Equal(t, "double", kindOf(field(t, a.body, "amount_to")), given)
	}
	for _, given := range []string{"0", "-1", "0.0", "x", "NaN", "Infinity", "1,5", " 1", "1e999", "1e30", "0.30000000000000004", "1.", ".5", "null", `"1.5"`, `"1.5`} {
		b.dialect(t, "new_rate", asked("amount_from", given)).requireSentence(t, 400)
	}
}

func TestDialectRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for name, c := range refusals() {
		want := map[int]int{400: 400, 422: 400, 503: 400, 404: 404}[c.status]
		if name == "upper case" {
			want = http.StatusOK // tickers are taken in any case here
		}
		if name == "a coin for itself" {
			want = http.StatusBadRequest // the coins are known
		}
		a := b.dialect(t, "new_rate", asked(c.change...))
		if require.Equal(t, want, a.status, name); want != http.StatusOK {
			a.requireSentence(t, want)
		}
	}
	require.Equal(t, "the minimum amount is 0.05 xmr", b.dialect(t, "new_rate", asked("amount_from", "0.01")).requireSentence(t, 400))
	require.Equal(t, "the maximum amount is 20 xmr", b.dialect(t, "new_rate", asked("amount_from", "21")).requireSentence(t, 400))
	for name, change := range map[string][]string{
		"no address": {"address", ""}, "no refund": {"refund", ""}, "bad address": {"address", "x"}, "the other's": {"refund", litecoin},
		"unknown provider": {"provider", "ChangeNow"}, "odd fixed": {"fixed", "maybe"}, "refund memo": {"refund_memo", "7"},
		"fixed rate": {"payment", "True"}, "fixed amount": {"amount_to", "1", "amount_from", ""}, "odd markup": {"markup", "much"},
		"negative markup": {"markup", "-1"}, "long": {"address", strings.Repeat("x", 2001)},
	} {
		sentence := b.dialect(t, "new_trade", tradeQuery(change...)).requireSentence(t, 400)
		require.NotRegexp(t, "minimum|maximum|below|above|at least|at most|pair", sentence, name)
	}
	b.call(t, http.MethodGet, "/api/new_rate?ticker_from=%zz").requireSentence(t, 400)
	b.call(t, http.MethodGet, "/api/new_rate?"+asked().Encode()+"&amount_from=2").requireSentence(t, 400)
	require.Equal(t, "trade not found", b.dialect(t, "trade", url.Values{"id": {secret.NewTradeID()}}).requireSentence(t, 404))
	b.dialect(t, "trade", nil).requireSentence(t, 400)
	require.Zero(t, b.made(t))
	b.price = exchange.ErrStale
	a := b.dialect(t, "new_rate", asked())
	a.requireSentence(t, 503)
	require.NotEmpty(t, a.header.Get("Retry-After"))
	b.price = nil
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE wallets SET unlocked = 0 WHERE id = 'ltc'")
	require.NoError(t, err)
	b.forget()
	b.dialect(t, "new_rate", asked()).requireSentence(t, 503)
}

func TestDialectForBrowsers(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for _, path := range []string{"/coins", "/api/new_trade", "/en/api/trade/"} {
		a := b.call(t, http.MethodOptions, path, with("Access-Control-Request-Headers", "api-key"))
		require.Equal(t, http.StatusNoContent, a.status)
		require.Empty(t, a.body)
		require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
		require.Contains(t, a.header.Get("Access-Control-Allow-Headers"), "API-Key")
		require.Contains(t, a.header.Get("Access-Control-Allow-Methods"), "GET")
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, "PROPFIND", "NOBODYS"} {
			a := b.call(t, method, path)
			a.requireSentence(t, http.StatusMethodNotAllowed)
			require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
			require.Equal(t, "GET, HEAD, OPTIONS", a.header.Get("Allow"))
		}
	}
	for _, path := range []string{"/", "/api", "/api/", "/en/api/", "/api/nothing", "/nothing", "/checkout/x", "/api/coins/x"} {
		a := b.call(t, http.MethodGet, path)
		a.requireSentence(t, http.StatusNotFound)
		require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
		require.Equal(t, "1", a.header.Get("X-SWAP-API-Version"))
	}
	// The exchange's own surface does not change.
	a := b.call(t, http.MethodGet, "/api/v1/coin")
	require.Empty(t, a.header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, http.StatusMethodNotAllowed, b.call(t, http.MethodOptions, "/api/v1/coin").status)
}

func TestDialectKeys(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	plain := field(t, b.dialect(t, "new_rate", asked("markup", "300")).body, "amount_to")
	require.Equal(t, "2.93899999", plain, "nobody's markup is clamped to nothing")
	affiliate := b.key(t, "affiliate")
	capped := field(t, b.dialect(t, "new_rate", asked("markup", "300"), with("API-Key", affiliate)).body, "amount_to")
	require.NotEqual(t, plain, capped)
	for name, a := range map[string]answer{
		"clamped":        b.dialect(t, "new_rate", asked("markup", "1000000000000"), with("API-KEY", affiliate)),
		"lower case":     b.dialect(t, "new_rate", asked("markup", "300.9"), with("api-key", affiliate)),
		"in the query":   b.dialect(t, "new_rate", asked("markup", "300", "api_key", affiliate)),
		"the other name": b.dialect(t, "new_rate", asked("markup", "300"), with("X-SWAP-API-Key", affiliate)),
	} {
		require.Equal(t, capped, field(t, a.body, "amount_to"), name)
		require.Equal(t, "true", field(t, a.body, "quotes", "markup"), name)
	}
	for _, key := range []string{"x", "prt_", secret.NewSwapKey("prt_"), affiliate + "0"} {
		for _, path := range []string{"coins", "exchanges"} {
			require.Equal(t, http.StatusOK, b.dialect(t, path, nil, with("API-Key", key)).status)
		}
		require.Equal(t, plain, field(t, b.dialect(t, "new_rate", asked("markup", "300", "api_key", key)).body, "amount_to"))
	}
}

func TestDialectTrades(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t, stopped)
	t.Run("as a provider", func(t *testing.T) { testDialectAsProvider(t, b) })
	t.Run("creation and lookup", func(t *testing.T) { t.Parallel(); testDialectCreation(t, b) })
	t.Run("twice", func(t *testing.T) { t.Parallel(); testDialectTwice(t, b) })
	t.Run("twice at once", func(t *testing.T) { t.Parallel(); testDialectAtOnce(t, b) })
	t.Run("no takeover after a deposit", func(t *testing.T) { t.Parallel(); testDialectDeposit(t, b) })
	t.Run("refused", func(t *testing.T) { t.Parallel(); testDialectRefused(t, b) })
}

const orderKinds = headKinds + " type address_provider address_provider_memo address_user address_user_memo refund_address" +
	" refund_address_memo password id_provider affiliate_partner"

func testDialectCreation(t *testing.T, b *bench) {
	a := b.dialect(t, "new_trade", tradeQuery("fixed", "True", "amount_from", "2.0", "refund_memo", "None", "address_memo", "7",
		"id", "stale", "provider", "Durapay", "min_kycrating", "D", "webhook", "x", "passthrough", "y"))
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, kinds(orderKinds, "double: amount_from amount_to", "bool: fixed payment", "object: quotes details"), typesOf(t, a.body))
	require.Equal(t, kinds("bool: markup", "list: kyc_list logpolicy_list"), typesOf(t, field(t, a.body, "quotes")))
	require.Equal(t, kinds("int: original_eta", "null: hashout"), typesOf(t, field(t, a.body, "details")))
	for name, want := range map[string]string{
		"status": `"waiting"`, "type": `"api"`, "fixed": "false", "payment": "false", "amount_from": "2.0", "address_provider_memo": `""`,
		"address_user": `"` + litecoin + `"`, "address_user_memo": `""`, "refund_address": `"` + monero + `"`, "refund_address_memo": `""`,
		"affiliate_partner": `""`, "network_to": `"Mainnet"`,
	} {
		require.Equal(t, want, field(t, a.body, name), name)
	}
	id := a.object(t)["trade_id"].(string)
	look := func() string { return first(t, b.dialect(t, "trade/", url.Values{"id": {id}}).body) }
	found := look()
	require.Equal(t, kinds(orderKinds+" hashout", "double: amount_from amount_to", "bool: fixed payment", "object: quotes details"), typesOf(t, found))
	require.Equal(t, kinds("bool: markup", "list: kyc_list logpolicy_list", "object: support", "text: expiresAt"), typesOf(t, field(t, found, "quotes")))
	require.Equal(t, kinds("int: original_eta", "null: hashout", "object: support", "text: expiresAt"), typesOf(t, field(t, found, "details")))
	require.Regexp(t, `^"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00"$`, field(t, found, "details", "expiresAt"))
	require.Equal(t, `""`, field(t, found, "hashout"))
	for _, name := range []string{"trade_id", "password", "id_provider", "address_provider", "amount_to", "date"} {
		require.Equal(t, field(t, a.body, name), field(t, found, name))
	}
	// The exchange's own surface shows the same trade.
	require.Equal(t, "awaiting_deposit", strings.Trim(field(t, first(t, b.get(t, "trade", url.Values{"id": {id}}).body), "status"), `"`))
	for status, want := range map[string]string{
		"awaiting_deposit": "waiting", "deposit_detected": "confirming", "confirming": "confirming", "processing": "sending",
		"sending": "sending", "completed": "finished", "refunded": "refunded", "failed": "failed", "expired": "expired", "hold": "halted",
	} {
		_, err := b.store.Pool().Exec(t.Context(), "UPDATE trades SET status = $2, reserved = 0 WHERE id = $1", id, status)
		require.NoError(t, err)
		require.Equal(t, `"`+want+`"`, field(t, look(), "status"), status)
	}
	b.pay(t, id)
	require.Equal(t, `"paid"`, field(t, look(), "hashout"))
	require.Equal(t, `"paid"`, field(t, look(), "details", "hashout"))
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE trades SET received = 0.52 WHERE id = $1", id)
	require.NoError(t, err)
	require.Equal(t, "0.52", field(t, look(), "amount_from"), "what came in")
	require.Equal(t, "1.0", field(t, look(), "amount_to"), "what went out")
	require.Equal(t, `"2"`, field(t, first(t, b.get(t, "trade", url.Values{"id": {id}}).body), "amount_from"), "what was agreed")
}

// pay inserts a deposit and the payout that a worker would have sent for it.
func (b *bench) pay(t *testing.T, id string) {
	t.Helper()
	b.deposit(t, id)
	_, err := b.store.Pool().Exec(t.Context(), `WITH x AS (INSERT INTO outgoing_transactions
			(wallet_id, purpose, created_at, state, seq, tx_hash, raw, paid, fee, inputs, built_at, sent_at)
			VALUES ('ltc', 'trade_payout', now(), 'sent', 1, 'paid', '\x00', 1, 0, '{}', now(), now()) RETURNING id)
		INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, created_at, transaction_id, paid, fee)
		SELECT d.trade_id, d.id, 'payout', 'ltc', 1, now(), x.id, 1, 0 FROM trade_deposits d, x WHERE d.trade_id = $1`, id)
	require.NoError(t, err)
}

// deposit inserts the deposit that a watcher would have found.
func (b *bench) deposit(t *testing.T, id string) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), `INSERT INTO received_payments (trade_id, wallet_id, tx_hash, address, subaddress_index, outputs, amount, first_seen_at)
		SELECT id, wallet_from, 'deposit of ' || id, deposit_address, 1, 1, amount_from * 1e12, now() FROM trades WHERE id = $1`, id)
	require.NoError(t, err)
}

func (b *bench) trade(t *testing.T, a answer) db.Trade {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, a.body)
	row, err := b.store.GetTrade(t.Context(), a.object(t)["trade_id"].(string))
	require.NoError(t, err)
	return row
}

func testDialectTwice(t *testing.T, b *bench) {
	query := tradeQuery("markup", "250", "amount_from", "0.5")
	anonymous := b.trade(t, b.dialect(t, "new_trade", query))
	require.Nil(t, anonymous.KeyID)
	require.Zero(t, anonymous.Markup)
	unknown := b.trade(t, b.dialect(t, "new_trade", query, with("API-Key", "theirs")))
	require.Equal(t, anonymous, unknown)

	key := with("API-Key", b.key(t, "affiliate"))
	a := b.dialect(t, "new_trade", query, key)
	taken := b.trade(t, a)
	require.Equal(t, anonymous.ID, taken.ID)
	require.Equal(t, anonymous.DepositAddress, taken.DepositAddress)
	require.NotNil(t, taken.KeyID)
	require.EqualValues(t, 250, taken.Markup)
	require.Equal(t, anonymous.Rate.String(), taken.Rate.Add(taken.CommissionRate).String(), "what is credited is taken off what is paid")
	require.Negative(t, taken.Rate.Cmp(anonymous.Rate))
	require.Equal(t, taken.AmountTo, taken.Reserved)
	require.Equal(t, taken.AmountTo.String(), field(t, a.body, "amount_to"))
	require.Equal(t, "true", field(t, a.body, "quotes", "markup"))
	// It is the amount that the key would have been quoted.
	require.Equal(t, field(t, b.dialect(t, "new_rate", query, key).body, "amount_to"), taken.AmountTo.String())

	// A second request changes nothing, also with another key.
	require.Equal(t, taken, b.trade(t, b.dialect(t, "new_trade", query, key)))
	require.Equal(t, taken, b.trade(t, b.dialect(t, "new_trade", query, with("API-Key", b.key(t, "partner")))))
	require.Equal(t, taken, b.trade(t, b.dialect(t, "new_trade", query)))
	// Another query is another trade, and so is the same one half a minute later.
	query.Set("ref", "other")
	require.NotEqual(t, taken.ID, b.trade(t, b.dialect(t, "new_trade", query)).ID)
	query.Del("ref")
	age := func(seconds string) {
		_, err := b.store.Pool().Exec(t.Context(), "UPDATE idempotency_keys SET created_at = created_at - $2 * interval '1 second' WHERE trade_id = $1", taken.ID, seconds)
		require.NoError(t, err)
	}
	age("29")
	require.Equal(t, taken.ID, b.trade(t, b.dialect(t, "new_trade", query)).ID)
	age("2")
	require.NotEqual(t, taken.ID, b.trade(t, b.dialect(t, "new_trade", query)).ID)
}

func testDialectAtOnce(t *testing.T, b *bench) {
	key, query := b.key(t, "affiliate"), tradeQuery("amount_from", "0.25", "markup", "100")
	answers := make([]answer, 8)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() {
			if i%2 == 0 {
				answers[i] = b.dialect(t, "new_trade", query)
				return
			}
			answers[i] = b.dialect(t, "new_trade", query, with("API-Key", key))
		})
	}
	wait.Wait()
	made := b.trade(t, answers[0])
	require.NotNil(t, made.KeyID)
	require.EqualValues(t, 100, made.Markup)
	for i, a := range answers {
		require.Equal(t, made.ID, b.trade(t, a).ID)
		if i%2 == 1 {
			require.Equal(t, made.AmountTo.String(), field(t, a.body, "amount_to"))
		}
	}
	var n int
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM trades WHERE amount_from = 0.25").Scan(&n))
	require.Equal(t, 1, n)
}

func testDialectDeposit(t *testing.T, b *bench) {
	query := tradeQuery("amount_from", "0.75", "markup", "100")
	made := b.trade(t, b.dialect(t, "new_trade", query))
	b.deposit(t, made.ID)
	again := b.trade(t, b.dialect(t, "new_trade", query, with("API-Key", b.key(t, "affiliate"))))
	require.Equal(t, made, again, "what a deposit was sent for is paid")
}

func testDialectRefused(t *testing.T, b *bench) {
	for range 2 {
		require.Equal(t, "the minimum amount is 0.05 xmr", b.dialect(t, "new_trade", tradeQuery("amount_from", "0.01")).requireSentence(t, 400))
		require.Equal(t, "the maximum amount is 20 xmr", b.dialect(t, "new_trade", tradeQuery("amount_from", "21.0")).requireSentence(t, 400))
		b.dialect(t, "new_trade", tradeQuery("refund", listed)).requireSentence(t, 400)
	}
}

// TestDialectRefusalDoesNotStick repeats a refused query after the reason for the refusal has
// gone, within the time in which the same query means the same trade.
func TestDialectRefusalDoesNotStick(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t, stopped)
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE witnesses SET handed_out = lease_to WHERE wallet_id = 'xmr'")
	require.NoError(t, err)
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() { b.dialect(t, "new_trade", tradeQuery()).requireSentence(t, http.StatusServiceUnavailable) })
	}
	wait.Wait()
	var claims int
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM idempotency_keys").Scan(&claims))
	require.Equal(t, 1, claims, "one query is one claim")
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE witnesses SET handed_out = 0 WHERE wallet_id = 'xmr'")
	require.NoError(t, err)
	made := b.trade(t, b.dialect(t, "new_trade", tradeQuery()))
	require.Equal(t, made.ID, b.trade(t, b.dialect(t, "new_trade", tradeQuery())).ID, "what was made is one trade")
}

// testDialectAsProvider connects the adapter for aggregators to the exchange. The adapter
// accepts only real addresses, so the next address to be issued becomes one.
func testDialectAsProvider(t *testing.T, b *bench) {
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE addresses a SET address = $1 FROM witnesses w
		WHERE a.wallet_id = 'xmr' AND w.wallet_id = 'xmr' AND a.subaddress_index = w.handed_out + 1`, providertest.Deposit)
	require.NoError(t, err)
	p := adapter.Aggregator(&adapter.Client{HTTP: http.DefaultClient, Base: b.url + "/en/api", Header: http.Header{adapter.APIKeyHeader: {"theirs"}}}, provider.Profile{Name: "durapay", Rating: provider.RatingB})
	from, to := b.quoter.Pairs[0].From.Coin, b.quoter.Pairs[0].To.Coin
	request := provider.Request{From: from, To: to, Amount: money.MustDecimal("1.25")}
	quote, err := p.Quote(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, "durapay", quote.Route)
	require.Equal(t, provider.RatingA, quote.Rating)
	require.Equal(t, 7*time.Minute, quote.ETA)
	require.Equal(t, "0.05", quote.Min.String())
	require.Equal(t, "20", quote.Max.String())

	swap, err := p.Create(t.Context(), provider.Order{
		Request: request, Address: litecoin, Refund: monero, Route: quote.Route, Reference: quote.Reference,
	})
	require.NoError(t, err)
	require.Equal(t, provider.Waiting, swap.State)
	require.Equal(t, quote.AmountTo.String(), swap.AmountTo.String())
	again, err := p.Status(t.Context(), swap.ID)
	require.NoError(t, err)
	require.Equal(t, swap.DepositAddress, again.DepositAddress)
	require.Equal(t, provider.Waiting, again.State)
	require.WithinDuration(t, time.Now().Add(time.Hour), again.ExpiresAt, 10*time.Minute)
	requireLimitsAndPairs(t, p, request)
}

func TestDialectRateLimits(t *testing.T) {
	t.Parallel()
	counters := map[string]*counter{}
	b := setupWithTemporal(t, stopped, func(d *swap.Deps) {
		d.Counter = func(bucket string) httprate.LimitCounter {
			counters[bucket] = &counter{}
			return counters[bucket]
		}
	})
	key := with("API-Key", b.key(t, "affiliate"))
	for range 3 {
		b.trade(t, b.dialect(t, "new_trade", tradeQuery()))
		b.trade(t, b.dialect(t, "new_trade", tradeQuery(), key))
	}
	require.Equal(t, 1, counters["swap-writes"].made, "one trade is one write")
	require.Zero(t, counters["swap-writes-affiliate"].made)
	counters["swap-writes"].made = 6
	for range 2 {
		a := b.dialect(t, "new_trade", tradeQuery("amount_from", "2"))
		a.requireSentence(t, http.StatusTooManyRequests)
		require.NotEmpty(t, a.header.Get("Retry-After"))
	}
	b.trade(t, b.dialect(t, "new_trade", tradeQuery()))
	b.trade(t, b.dialect(t, "new_trade", tradeQuery("amount_from", "2"), key))
	require.Equal(t, 1, counters["swap-writes-affiliate"].made, "what was refused is not half made")
	counters["swap-reads"].made = 60
	b.dialect(t, "coins", nil).requireSentence(t, http.StatusTooManyRequests)
	b.dialect(t, "coins", nil, with("API-Key", "theirs")).requireSentence(t, http.StatusTooManyRequests)
	require.Equal(t, http.StatusNoContent, b.call(t, http.MethodOptions, "/coins").status, "what a browser asks first is not counted")
}
