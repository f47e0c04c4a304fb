package swap_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
)

// TestOddParametersAreTheCallersFault puts odd values into every parameter of every route. The
// answer must never be an internal error, and an error must have the error object and the
// headers.
func TestOddParametersAreTheCallersFault(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	odd := []string{
		" ", "'", "\"; DROP TABLE trades", "null", "[]", "{}", "-1", "1e309", "NaN", "\u202e", "\x00", "\xff\xfe", "%", "../../etc/passwd",
		strings.Repeat("9", 400), strings.Repeat("a", 5000),
	}
	parameters := []string{
		"ticker_from", "ticker_to", "network_from", "network_to", "amount_from", "amount_to", "payment", "markup", "min_kycrating", "anon", "best_only",
		"id", "provider", "address", "refund", "refund_memo", "extra_id", "webhook_url", "note", "password", "ticker", "network", "nobody_knows_this",
	}
	for _, path := range []string{"new_rate", "new_trade", "trade", "coin", "pairs", "limits", "exchanges"} {
		for _, name := range parameters {
			for _, value := range odd {
				q := tradeQuery("address", "") // so that no trade is created
				if path == "trade" {
					q = url.Values{"id": {strings.Repeat("0", 32)}}
				}
				q.Set(name, value)
				a := b.get(t, path, q, with("Idempotency-Key", "odd"))
				require.Less(t, a.status, 500, "%s %s=%q: %s", path, name, value, a.body)
				require.Equal(t, "1", a.header.Get("X-SWAP-API-Version"))
				if a.status >= 400 {
					object, ok := a.object(t)["error"].(map[string]any)
					require.True(t, ok, a.body)
					require.NotEmpty(t, object["code"])
				}
			}
		}
	}
}

// TestEveryRouteAnswersHeadAndRefusesOtherMethods checks that HEAD has the headers of GET and
// no body, and that any other method is refused in the format of the API.
func TestEveryRouteAnswersHeadAndRefusesOtherMethods(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for _, target := range []string{
		"/api/v1/new_rate?" + asked().Encode(), "/api/v1/new_trade", "/api/v1/trade", "/api/v1/coin", "/api/v1/pairs", "/api/v1/limits",
		"/api/v1/exchanges", "/api/v1/commission",
	} {
		get, head := b.call(t, http.MethodGet, target), b.call(t, http.MethodHead, target)
		require.Equal(t, get.status, head.status, target)
		require.Equal(t, get.header.Get("Content-Type"), head.header.Get("Content-Type"), target)
		require.Empty(t, head.body)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "PROPFIND"} {
			a := b.call(t, method, target)
			a.requireError(t, http.StatusMethodNotAllowed, "method_not_allowed")
			require.Equal(t, "GET, HEAD", a.header.Get("Allow"), target)
			require.Equal(t, onionURL+target, a.header.Get("Onion-Location"))
			require.NotEmpty(t, a.header.Get("X-Request-Id"))
		}
	}
	for _, target := range []string{"/api/v1", "/api/v1/", "/api/v1/coin/x", "/api/v1/New_Rate", "/api/v1/%00"} {
		b.call(t, http.MethodGet, target).requireError(t, http.StatusNotFound, "not_found")
	}
}

// TestHeadIsARead checks that HEAD on the route that creates a trade counts as a read, and
// that the client's next requests are counted by their own kind.
func TestHeadIsARead(t *testing.T) {
	t.Parallel()
	counters := map[string]*counter{}
	b := setup(t, nil, func(d *swap.Deps) {
		d.Counter = func(bucket string) httprate.LimitCounter {
			counters[bucket] = &counter{}
			return counters[bucket]
		}
	})
	for n := range 3 {
		require.Equal(t, http.StatusBadRequest, b.call(t, http.MethodHead, "/api/v1/new_trade").status)
		b.get(t, "new_trade", nil).requireError(t, http.StatusBadRequest, "invalid_parameter")
		require.Equal(t, []int{n + 1, n + 1}, []int{counters["swap-reads"].made, counters["swap-writes"].made})
	}
	for range 3 {
		b.get(t, "new_trade", nil).requireError(t, http.StatusBadRequest, "invalid_parameter")
	}
	b.get(t, "new_trade", nil).requireError(t, http.StatusTooManyRequests, "rate_limit_exceeded")
	require.Equal(t, http.StatusBadRequest, b.call(t, http.MethodHead, "/api/v1/new_trade").status)
}

// TestUnfundedTradesDoNotExhaustTheInventory lets one client create trades without paying
// until it is refused. Other clients can still trade, and a refused request has taken no
// address and left no trade.
func TestUnfundedTradesDoNotExhaustTheInventory(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t, func(d *swap.Deps) {
		d.Quoter.UnfundedPercent, d.Quoter.ClientPercent = 50, 20
		d.Counter = func(string) httprate.LimitCounter { return &counter{} }
	})
	greedy, other := with("API-Key", b.key(t, "partner")), with("API-Key", b.key(t, "partner"))
	ask := func(client header, key string, most int) (made int) {
		for ; made < most; made++ {
			a := b.get(t, "new_trade", tradeQuery("amount_from", "20"), client, with("Idempotency-Key", key+strconv.Itoa(made)))
			if a.status != http.StatusCreated {
				a.requireError(t, http.StatusServiceUnavailable, "route_unavailable")
				return made
			}
		}
		return made
	}
	// 20 XMR pay 39.199 LTC; a fifth of 1000 LTC holds five of them.
	require.Equal(t, 5, ask(greedy, "greedy", 40))
	require.Zero(t, ask(greedy, "more", 1), "refused again")
	require.Equal(t, http.StatusOK, b.get(t, "new_rate", asked()).status, "quotes stay possible")
	require.Equal(t, 3, ask(other, "other", 3), "another client has its own share")
	var trades, taken int
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM trades").Scan(&trades))
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT sum(handed_out)::bigint FROM witnesses").Scan(&taken))
	require.Equal(t, []int{8, 8}, []int{trades, taken})
}

// TestFloodOfTradesTakesNoMoreThanTheCap creates many trades at once, from as many clients.
// The exchange reserves no more than the cap for unpaid trades, and a refused request has
// taken nothing.
func TestFloodOfTradesTakesNoMoreThanTheCap(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, func(d *swap.Deps) { d.Quoter.UnfundedPercent = 50 })
	b.publish(t, "xmr", 1000, 100)
	answers := make([]answer, 120)
	var wait sync.WaitGroup
	for worker := range 12 {
		wait.Go(func() {
			for n := worker; n < len(answers); n += 12 {
				answers[n] = b.get(t, "new_trade", tradeQuery("amount_from", "20"), with("Idempotency-Key", "flood "+strconv.Itoa(n)))
			}
		})
	}
	wait.Wait()
	made := 0
	for _, a := range answers {
		switch a.status {
		case http.StatusCreated:
			made++
		case http.StatusUnprocessableEntity: // less is left than was requested
			a.requireError(t, a.status, "amount_above_max")
		default:
			a.requireError(t, http.StatusServiceUnavailable, "route_unavailable")
		}
	}
	require.Equal(t, 12, made)
	var trades, taken int
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM trades").Scan(&trades))
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT sum(handed_out)::bigint FROM witnesses").Scan(&taken))
	require.Equal(t, []int{12, 12}, []int{trades, taken}, "20 XMR pay 39.199 LTC, and half of 1000 LTC holds twelve of them")
	kept, err := b.store.ReservedInventory(t.Context(), "ltc")
	require.NoError(t, err)
	require.LessOrEqual(t, kept.Unfunded.Cmp(money.MustDecimal("500")), 0)
	for _, direction := range []url.Values{
		asked(), asked("ticker_from", "ltc", "ticker_to", "xmr"),
	} {
		require.Equal(t, http.StatusOK, b.get(t, "new_rate", direction).status, "smaller amounts, and the other direction, are still quoted")
	}
}

// TestTradesEndWhereAddressesDo checks that no trade is created without a deposit address, and
// that trades that have one continue.
func TestTradesEndWhereAddressesDo(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	_, err := b.store.Pool().Exec(t.Context(), "DELETE FROM addresses WHERE wallet_id = 'xmr' AND subaddress_index > 1")
	require.NoError(t, err)
	made := b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", "first"))
	require.Equal(t, http.StatusCreated, made.status, made.body)
	b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", "second")).requireError(t, http.StatusServiceUnavailable, "route_unavailable")
	id := made.object(t)["trade_id"].(string)
	require.Equal(t, http.StatusOK, b.get(t, "trade", url.Values{"id": {id}}).status)
	b.publish(t, "xmr", 1000, 1)
	again := b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", "second"))
	require.Equal(t, http.StatusCreated, again.status, "the same request is judged anew: %s", again.body)
}

// TestAQuoteOfASecondAgoPromisesNothing checks a trade against the balances at its creation.
// The data of a quote is cached for a second, and the clock is stopped within that second.
// Prices are not cached.
func TestAQuoteOfASecondAgoPromisesNothing(t *testing.T) {
	t.Parallel()
	stands := time.Now()
	var b *bench
	b = setupWithTemporal(t, func(d *swap.Deps) {
		d.Clock = func() time.Time { return stands.Add(time.Duration(b.ahead.Load())) }
	})
	require.Equal(t, http.StatusOK, b.get(t, "new_rate", asked("amount_from", "20")).status)
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE wallets SET unlocked = 30 WHERE id = 'ltc'") // of which 0.02 are for fees
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, b.get(t, "new_rate", asked("amount_from", "20")).status, "remembered")
	for _, amount := range []string{"20", "15"} {
		b.get(t, "new_trade", tradeQuery("amount_from", amount), with("Idempotency-Key", amount)).requireError(t, 422, "amount_above_max")
	}
	made := b.get(t, "new_trade", tradeQuery("amount_from", "14"), with("Idempotency-Key", "14"))
	require.Equal(t, http.StatusCreated, made.status, made.body)
	b.get(t, "new_trade", tradeQuery("amount_from", "2"), with("Idempotency-Key", "2")).requireError(t, 422, "amount_above_max")

	b.price = exchange.ErrStale
	b.get(t, "new_rate", asked()).requireError(t, 503, "pricing_stale")
	b.price = nil
	require.Equal(t, http.StatusOK, b.get(t, "new_rate", asked("amount_from", "20")).status, "still remembered")
	b.forget()
	b.get(t, "new_rate", asked("amount_from", "2")).requireError(t, 422, "amount_above_max")
}
