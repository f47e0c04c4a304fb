package swap_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/workflows"
)

// supplier is a provider in Exolix's format: the amounts that it quotes and pays for any
// amount, and the deposit address and memo that it issues.
type supplier struct {
	quotes, pays, deposit string
	// memo is the memo that the deposit must carry; empty for none.
	memo   string
	down   atomic.Bool
	silent bool
	orders atomic.Int32
}

func (s *supplier) open(t *testing.T, name string) provider.Provider {
	t.Helper()
	over := make(chan struct{})
	client := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if s.silent {
			<-over
			return
		}
		if s.down.Load() {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		if r.URL.Path == "/api/v2/rate" {
			providertest.Answer(http.StatusOK, fmt.Sprintf(`{"fromAmount":1.5,"toAmount":%s,"minAmount":0.07,"maxAmount":250.5}`, s.quotes))(w, r)
			return
		}
		if r.Method == http.MethodPost {
			s.orders.Add(1)
		}
		memo := "null"
		if s.memo != "" {
			memo = strconv.Quote(s.memo)
		}
		providertest.Answer(http.StatusOK, fmt.Sprintf(`{"id":"%s-1","amount":1.5,"amountTo":%s,"status":"wait","depositAddress":"%s","depositExtraId":%s}`,
			name, s.pays, s.deposit, memo))(w, r)
	})
	t.Cleanup(func() { close(over) })
	return adapter.Exolix(client, provider.Profile{Name: name, Risk: provider.RiskControlled, Rating: provider.RatingC})
}

// withFanout configures these providers. Patience is long, so that no provider is left out on
// a busy machine.
func withFanout(providers ...provider.Provider) func(*swap.Deps) {
	return func(d *swap.Deps) {
		d.Quoter.Fanout = provider.NewFanout(providers, provider.FanoutOptions{MaxWait: time.Minute, Now: time.Now})
	}
}

// withShortFanout configures these providers with a short Patience. Its clock is stopped:
// an answer that came too late for one request is used for the next one, and does not expire.
func withShortFanout(providers ...provider.Provider) func(*swap.Deps) {
	now := time.Now()
	return func(d *swap.Deps) {
		d.Quoter.Fanout = provider.NewFanout(providers, provider.FanoutOptions{MaxWait: 100 * time.Millisecond, Now: func() time.Time { return now }})
	}
}

func providersOf(t *testing.T, quote map[string]any) []string {
	t.Helper()
	var names []string
	for _, r := range quote["quotes"].(map[string]any)["quotes"].([]any) {
		names = append(names, r.(map[string]any)["provider"].(string))
	}
	return names
}

func TestQuoteListsAllRoutesBestFirst(t *testing.T) {
	t.Parallel()
	high, low, gone := &supplier{quotes: "2.99"}, &supplier{quotes: "2.5"}, &supplier{}
	gone.down.Store(true)
	b := setup(t, nil, withShortFanout(low.open(t, "low"), gone.open(t, "gone"), high.open(t, "high"), (&supplier{silent: true}).open(t, "silent")))
	var q map[string]any
	require.Eventually(t, func() bool {
		q = b.get(t, "new_rate", asked()).object(t)
		return len(providersOf(t, q)) == 3
	}, 8*time.Minute, 10*time.Millisecond)
	require.Equal(t, []string{"high", "durapay", "low"}, providersOf(t, q), "who does not answer is left out")
	for name, want := range map[string]any{
		"best_provider": "high", "amount_to": "2.99", "policy": "best", "min_amount_from": "0.07", "max_amount_from": "250.5", "included_fees_usd": "0.75",
	} {
		require.Equal(t, want, q[name], name)
	}
	require.Equal(t, map[string]any{
		"provider": "high", "risk": "controlled", "rate": "1.993333333333333333", "amount_to": "2.99", "eta_seconds": 0.0,
		"included_fees_usd": "0.75", "kycrating": "C",
	}, q["quotes"].(map[string]any)["quotes"].([]any)[0])
	require.Equal(t, []string{"high"}, providersOf(t, b.get(t, "new_rate", asked("best_only", "true")).object(t)))
	key := with("API-Key", b.key(t, "affiliate"))
	require.Equal(t, []string{"durapay", "high", "low"}, providersOf(t, b.get(t, "new_rate", asked("markup", "10"), key).object(t)),
		"a markup is credited by the exchange alone")
}

func TestPolicySaysWhoMayFillAPair(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, withFanout((&supplier{quotes: "2.99"}).open(t, "house"), (&supplier{quotes: "2.98"}).open(t, "other")))
	for policy, want := range map[string][]string{
		"precheck": {"durapay"}, "upstream": {"house", "other"}, "best": {"house", "other", "durapay"}, "durapay+other": {"other", "durapay"},
	} {
		b.quoter.Rules = []exchange.Rule{{From: "xmr:Mainnet", To: "*", Policy: policy}, {From: "*", To: "*", Policy: "off"}}
		require.NoError(t, b.quoter.CheckRules())
		q := b.get(t, "new_rate", asked()).object(t)
		require.Equal(t, want, providersOf(t, q), policy)
		require.Equal(t, policy, q["policy"])
		b.get(t, "new_rate", asked("ticker_from", "btc")).requireError(t, http.StatusNotFound, "pair_not_supported")
		for _, p := range b.get(t, "pairs", nil).object(t)["pairs"].([]any) {
			require.Equal(t, "xmr", p.(map[string]any)["ticker_from"])
			if p.(map[string]any)["ticker_to"] == "ltc" {
				require.Equal(t, policy, p.(map[string]any)["policy"])
			}
		}
	}
	b.quoter.Rules = []exchange.Rule{{From: "*", To: "*", Policy: "nobody"}}
	require.Error(t, b.quoter.CheckRules())
	b.quoter.Rules = []exchange.Rule{{From: "none:Mainnet", To: "*", Policy: "best"}}
	require.Error(t, b.quoter.CheckRules())
}

func TestPairsThatOnlyOtherProvidersFillAreListed(t *testing.T) {
	t.Parallel()
	house := &supplier{quotes: "0.0035"}
	b := setup(t, nil, withFanout(house.open(t, "house")))
	toBitcoin := asked("ticker_to", "btc")
	q := b.get(t, "new_rate", toBitcoin).object(t)
	require.Equal(t, []string{"house"}, providersOf(t, q))
	limits := b.get(t, "limits", asked("ticker_to", "btc", "amount_from", "")).object(t)
	require.Equal(t, "0.07", limits["min_amount_from"], "as the provider told")
	require.Equal(t, "250.5", limits["max_amount_from"])
	require.Contains(t, b.get(t, "pairs", nil).body, `"ticker_from":"btc","network_from":"Mainnet","ticker_to":"eth","network_to":"ERC20","policy":"best","rate_types":["floating"],"enabled":true`)
	require.Contains(t, b.get(t, "coin", nil).body, `"ticker":"btc"`)
	require.Contains(t, b.get(t, "exchanges", nil).body, `{"name":"house","rating":"C","insurance":0,"enabledmarkup":false,"eta":0}`)

	b.get(t, "new_rate", asked("ticker_to", "btc", "amount_from", "300")).requireError(t, http.StatusUnprocessableEntity, "amount_above_max")
	house.down.Store(true)
	b.get(t, "new_rate", asked("ticker_to", "btc", "amount_from", "2")).requireError(t, http.StatusServiceUnavailable, "no_route_available")
	b.get(t, "new_rate", asked("ticker_to", "xmr")).requireError(t, http.StatusNotFound, "pair_not_supported")
}

// TestTradeFallsBackToTheExchange has a provider refuse what it has quoted, and then lets Temporal
// be away, without which no provider is asked. The exchange fills the trade, and a run carries it.
func TestTradeFallsBackToTheExchange(t *testing.T) {
	t.Parallel()
	cheat := &supplier{quotes: "3.5", pays: "2", deposit: providertest.Deposit}
	b := setupWithTemporal(t, withFanout(cheat.open(t, "cheat")))
	key := with("Idempotency-Key", "one")
	made := b.get(t, "new_trade", tradeQuery(), key)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	require.Equal(t, "durapay", made.object(t)["provider"])
	require.EqualValues(t, 1, cheat.orders.Load())
	require.Equal(t, made.body, b.get(t, "new_trade", tradeQuery(), key).body)
	b.followed(t)
	run := b.temporal.GetWorkflow(t.Context(), workflows.TradeWorkflowID(made.object(t)["trade_id"].(string)), "")
	require.Eventually(t, func() bool {
		var phase string
		is, err := b.temporal.QueryWorkflow(t.Context(), run.GetID(), "", workflows.PhaseQuery)
		return err == nil && is.Get(&phase) == nil && phase == "open"
	}, 8*time.Minute, 20*time.Millisecond)

	best := &supplier{quotes: "2.99", pays: "2.99", deposit: providertest.Deposit}
	away := setup(t, nil, withFanout(best.open(t, "best")))
	made = away.get(t, "new_trade", tradeQuery(), key)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	require.Equal(t, "durapay", made.object(t)["provider"])
	away.get(t, "new_trade", tradeQuery("provider", "best"), with("Idempotency-Key", "two")).requireError(t, http.StatusServiceUnavailable, "route_unavailable")
	require.Zero(t, best.orders.Load())
}

// TestRefusedKeyIsJudgedAgain refuses a key for each reason, and then not any more. The key makes
// one trade. What was asked of a provider stays with another identifier.
func TestRefusedKeyIsJudgedAgain(t *testing.T) {
	t.Parallel()
	house := &supplier{quotes: "2.99", pays: "2", deposit: providertest.Deposit}
	b := setupWithTemporal(t, withFanout(house.open(t, "house")))
	bound := func() (id string) {
		require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT trade_id FROM idempotency_keys ORDER BY created_at DESC LIMIT 1").Scan(&id))
		return id
	}
	own, by := with("Idempotency-Key", "own"), tradeQuery("provider", "durapay")
	b.price = exchange.ErrStale
	b.get(t, "new_trade", by, own).requireError(t, http.StatusServiceUnavailable, "pricing_stale")
	first := bound()
	b.price = nil
	require.Equal(t, first, b.get(t, "new_trade", by, own).object(t)["trade_id"], "nobody was asked")

	theirs, by := with("Idempotency-Key", "theirs"), tradeQuery("provider", "house")
	b.get(t, "new_trade", by, theirs).requireError(t, http.StatusServiceUnavailable, "route_unavailable")
	second := bound()
	house.pays = "2.99"
	made := b.get(t, "new_trade", by, theirs)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	require.Equal(t, second, made.object(t)["trade_id"])
	require.EqualValues(t, 2, house.orders.Load())
	require.EqualValues(t, 2, b.made(t))

	dialect := tradeQuery("amount_from", "1.25")
	b.price = exchange.ErrStale
	dialect.Set("provider", "durapay")
	b.dialect(t, "new_trade", dialect).requireSentence(t, http.StatusServiceUnavailable)
	b.price = nil
	again := b.trade(t, b.dialect(t, "new_trade", dialect))
	require.Equal(t, again.ID, b.trade(t, b.dialect(t, "new_trade", dialect)).ID)
	require.EqualValues(t, 3, b.made(t))
}

func TestTradeIsFilledByTheBestProvider(t *testing.T) {
	t.Parallel()
	best := &supplier{quotes: "2.99", pays: "2.99", deposit: providertest.Deposit}
	cheat := &supplier{quotes: "3.5", pays: "2", deposit: providertest.Deposit}
	down := &supplier{}
	down.down.Store(true)
	b := setupWithTemporal(t, withFanout(best.open(t, "best"), cheat.open(t, "cheat"), down.open(t, "down")))
	key := with("Idempotency-Key", "one")
	made := b.get(t, "new_trade", tradeQuery(), key)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	trade := made.object(t)
	for name, want := range map[string]any{
		"provider": "best", "risk": "controlled", "id_provider": "best-1", "address_provider": providertest.Deposit,
		"address_provider_memo": nil, "amount_from": "1.5", "amount_to": "2.99", "status": "pending", "address_user": litecoin,
	} {
		require.Equal(t, want, trade[name], name)
	}
	require.Equal(t, made.body, b.get(t, "new_trade", tradeQuery(), key).body)
	require.EqualValues(t, 1, best.orders.Load(), "ordered once")
	require.EqualValues(t, 1, cheat.orders.Load(), "it paid less than it had quoted, and was given up")
	found := b.get(t, "trade", map[string][]string{"id": {trade["trade_id"].(string)}})
	require.Contains(t, found.body, `"status":"awaiting_deposit"`)

	own := b.get(t, "new_trade", tradeQuery("provider", "Durapay"), with("Idempotency-Key", "two")).object(t)
	require.Equal(t, "durapay", own["provider"])
	require.Equal(t, "precheck", own["risk"])
	b.get(t, "new_trade", tradeQuery("provider", "nobody"), with("Idempotency-Key", "three")).requireError(t, http.StatusBadRequest, "invalid_parameter")
	b.get(t, "new_trade", tradeQuery("provider", "down"), with("Idempotency-Key", "four")).requireError(t, http.StatusServiceUnavailable, "route_unavailable")
	b.get(t, "new_trade", tradeQuery("provider", "cheat"), with("Idempotency-Key", "five")).requireError(t, http.StatusServiceUnavailable, "route_unavailable")
	b.get(t, "new_trade", tradeQuery("ticker_to", "btc", "address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "provider", "durapay"), with("Idempotency-Key", "six")).
		requireError(t, http.StatusServiceUnavailable, "route_unavailable")
	b.get(t, "new_trade", tradeQuery("refund", listed, "provider", "best"), with("Idempotency-Key", "seven")).
		requireError(t, http.StatusUnprocessableEntity, "address_blocked")
	require.EqualValues(t, 1, best.orders.Load())
}
