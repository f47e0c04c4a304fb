package swap_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/provider/providertest"
)

// entries returns the raw elements of a list in an answer.
func entries(t *testing.T, raw string, path ...string) []string {
	t.Helper()
	var list []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(field(t, raw, path...)), &list), raw)
	texts := make([]string, 0, len(list))
	for _, entry := range list {
		texts = append(texts, string(entry))
	}
	return texts
}

// fillers returns the providers of a quote of the dialect, in order.
func fillers(t *testing.T, a answer) []string {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, a.body)
	var names []string
	for _, route := range entries(t, a.body, "quotes", "quotes") {
		require.Equal(t, kinds("text: provider kycrating logpolicy provider_logo fixed amount_to waste amount_from_USD amount_to_USD USD_total_cost_percentage",
			"int: insurance eta"), typesOf(t, route))
		var shown struct {
			Provider string `json:"provider"`
		}
		require.NoError(t, json.Unmarshal([]byte(route), &shown))
		names = append(names, shown.Provider)
	}
	return names
}

func TestDialectQuoteListsAllRoutesBestFirst(t *testing.T) {
	t.Parallel()
	high, low, gone := &supplier{quotes: "2.99"}, &supplier{quotes: "2.5"}, &supplier{}
	gone.down.Store(true)
	b := setup(t, nil, withFanout(low.open(t, "low"), gone.open(t, "gone"), high.open(t, "high")))
	a := b.dialect(t, "new_rate", asked())
	require.Equal(t, []string{"high", "durapay", "low"}, fillers(t, a))
	require.Equal(t, kinds(headKinds, "double: amount_from amount_to", "bool: fixed payment", "object: quotes"), typesOf(t, a.body))
	for name, want := range map[string]string{"provider": `"high"`, "amount_to": "2.99", "amount_from": "1.5"} {
		require.Equal(t, want, field(t, a.body, name), "the first route agrees with the top: "+name)
	}
	for name, want := range map[string]string{
		"min_deposit": "0.07", "max_deposit": "250.5", "kyc_list": `["C","A"]`, "logpolicy_list": `["C","A"]`, "best_only": "false",
	} {
		require.Equal(t, want, field(t, a.body, "quotes", name), name)
	}
	best := entries(t, a.body, "quotes", "quotes")[0]
	for name, want := range map[string]string{
		"amount_to": `"2.99"`, "kycrating": `"C"`, "amount_from_USD": `"225.00"`, "amount_to_USD": `"224.25"`, "eta": "0",
		"USD_total_cost_percentage": `"0.33"`, "provider_logo": `"https://swap.example.com/images/providers/other.svg"`,
	} {
		require.Equal(t, want, field(t, best, name), name)
	}
	require.Equal(t, http.StatusOK, b.call(t, http.MethodGet, "/images/providers/other.svg").status)
	require.Equal(t, []string{"high"}, fillers(t, b.dialect(t, "new_rate", asked("best_only", "True"))))
	key := with("API-Key", b.key(t, "affiliate"))
	require.Equal(t, []string{"durapay", "high", "low"}, fillers(t, b.dialect(t, "new_rate", asked("markup", "10"), key)),
		"a markup is credited by the exchange alone")
	b.price = exchange.ErrStale
	require.Equal(t, []string{"high", "low"}, fillers(t, b.dialect(t, "new_rate", asked())), "others need no price of ours")
}

func TestDialectKnowsCoinsThatOnlyOtherProvidersFill(t *testing.T) {
	t.Parallel()
	house := &supplier{quotes: "0.0035"}
	b := setup(t, nil, withFanout(house.open(t, "house")))
	toBitcoin := asked("ticker_to", "btc")
	require.Equal(t, []string{"house"}, fillers(t, b.dialect(t, "new_rate", toBitcoin)))
	require.Contains(t, b.dialect(t, "coins", nil).body, `"ticker":"btc"`)
	xmr := first(t, b.dialect(t, "coin", url.Values{"ticker": {"xmr"}}).body)
	require.Equal(t, "1000000000000.0", field(t, xmr, "maximum"), "what a provider has not told bounds nobody")
	require.Contains(t, b.dialect(t, "exchanges", nil).body, `{"name":"house","rating":"C","insurance":0.0,"enabledmarkup":false,"eta":0.0}`)
	require.Equal(t, `{"result":true}`+"\n", b.dialect(t, "validateaddress", url.Values{
		"ticker": {"btc"}, "network": {"Mainnet"}, "address": {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"},
	}).body)
	require.Equal(t, "the maximum amount is 250.5 xmr", b.dialect(t, "new_rate", asked("ticker_to", "btc", "amount_from", "300")).requireSentence(t, 400))
	house.down.Store(true)
	b.dialect(t, "new_rate", asked("ticker_to", "btc", "amount_from", "2")).requireSentence(t, 503)
}

func TestDialectTradeIsFilledByWhoIsNamed(t *testing.T) {
	t.Parallel()
	best, down := &supplier{quotes: "2.99", pays: "2.99", deposit: providertest.Deposit}, &supplier{}
	down.down.Store(true)
	b := setupWithTemporal(t, stopped, withFanout(best.open(t, "best"), down.open(t, "down")))
	a := b.dialect(t, "new_trade", tradeQuery())
	made := b.trade(t, a)
	for name, want := range map[string]string{
		"provider": `"best"`, "id_provider": `"best-1"`, "address_provider": `"` + providertest.Deposit + `"`, "address_provider_memo": `""`,
		"amount_to": "2.99", "status": `"waiting"`,
	} {
		require.Equal(t, want, field(t, a.body, name), name)
	}
	require.Equal(t, `["C"]`, field(t, a.body, "quotes", "kyc_list"))
	found := first(t, b.dialect(t, "trade", url.Values{"id": {made.ID}}).body)
	require.Equal(t, `["C"]`, field(t, found, "quotes", "kyc_list"))
	require.Equal(t, "0", field(t, found, "details", "original_eta"), "it did not tell")

	key := with("API-Key", b.key(t, "affiliate"))
	require.Equal(t, made, b.trade(t, b.dialect(t, "new_trade", tradeQuery(), key)), "another provider pays no commission")
	require.EqualValues(t, 1, best.orders.Load(), "ordered once")

	own := b.trade(t, b.dialect(t, "new_trade", tradeQuery("provider", "Durapay", "markup", "100")))
	require.Equal(t, "durapay", own.Provider)
	require.EqualValues(t, 100, b.trade(t, b.dialect(t, "new_trade", tradeQuery("provider", "Durapay", "markup", "100"), key)).Markup)
	require.Equal(t, "provider is not known", b.dialect(t, "new_trade", tradeQuery("provider", "nobody")).requireSentence(t, 400))
	b.dialect(t, "new_trade", tradeQuery("provider", "down")).requireSentence(t, 503)
	b.dialect(t, "new_trade", tradeQuery("ticker_to", "btc", "address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "provider", "durapay")).
		requireSentence(t, 503)
}

// TestHeadMakesNoTrade checks that HEAD answers like GET, as far as possible without creating
// a trade, on both surfaces.
func TestHeadMakesNoTrade(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	target, key := "?"+tradeQuery().Encode(), with("Idempotency-Key", "one")
	for path, want := range map[string]int{"/api/v1/new_trade": http.StatusCreated, "/api/new_trade": http.StatusOK, "/new_trade/": http.StatusOK} {
		a := b.call(t, http.MethodHead, path+target, key)
		require.Equal(t, want, a.status, path)
		require.Equal(t, "application/json", a.header.Get("Content-Type"), path)
		require.Empty(t, a.header.Get("Content-Length"), path)
	}
	require.Zero(t, b.made(t))
	for _, q := range []url.Values{tradeQuery("address", "x"), tradeQuery("amount_from", "much"), tradeQuery("refund", ""), tradeQuery("ticker_to", "none")} {
		for _, path := range []string{"/api/v1/new_trade?", "/api/new_trade?"} {
			require.Equal(t, b.call(t, http.MethodGet, path+q.Encode(), key).status, b.call(t, http.MethodHead, path+q.Encode(), key).status, path)
		}
	}
	require.Equal(t, http.StatusBadRequest, b.call(t, http.MethodHead, "/api/v1/new_trade"+target).status, "no Idempotency-Key")
	var kept int
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM idempotency_keys").Scan(&kept))
	require.Zero(t, kept, "HEAD binds no key")
}
