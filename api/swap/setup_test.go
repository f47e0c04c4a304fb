package swap_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness/witnesstest"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

const (
	onionURL = "http://swaponion.onion"
	monero   = "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"
	litecoin = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	listed   = "88HmkqhAoUGBUt8stRp3nAMYZoQtvDSixP72FNrRxGkodE47C2exQA1dLDTG62Hmxv651Jd5ivxYGPGnsv7vdy7q5gzpAMU"
)

// bench is an API on a database of its own.
type bench struct {
	url string
	// handler serves url.
	handler http.Handler
	quoter  *exchange.Quoter
	store   *postgres.Store
	box     *secret.Box
	// temporal is nil while it is not available.
	temporal client.Client
	price    error
	// ahead is the offset of the API's clock.
	ahead atomic.Int64
}

// forget advances the API's clock until all caches have expired.
func (b *bench) forget() { b.ahead.Add(int64(time.Second)) }

// setup creates an API without Temporal, unless a client is given. The exchange swaps XMR at
// 150 for LTC at 75 and has 1000 LTC.
func setup(tb testing.TB, workflowClient client.Client, change ...func(*swap.Deps)) *bench {
	tb.Helper()
	keyset, index := tb.TempDir()+"/keyset.json", tb.TempDir()+"/index"
	require.NoError(tb, secret.NewKeysetFile(keyset))
	require.NoError(tb, secret.NewBlindIndexFile(index))
	box, err := secret.Open(keyset)
	require.NoError(tb, err)
	blind, err := secret.OpenBlindIndex(index)
	require.NoError(tb, err)
	b := &bench{store: pgtest.New(tb), box: box}
	b.quoter = b.openQuoter(tb)
	if workflowClient == nil {
		workflowClient, err = client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)})
		require.NoError(tb, err)
		tb.Cleanup(workflowClient.Close)
	}
	deps := swap.Deps{
		Store: b.store, Temporal: workflowClient, Box: box, Index: blind, Quoter: b.quoter,
		Clock: func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) },
		Log:   slog.New(slog.DiscardHandler), PublicURL: "https://swap.example.com", OnionURL: onionURL,
		Sanctioned: sanctioned, Window: time.Hour,
		Ready: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"status":"ready","parts":{}}`)
		}),
	}
	for _, c := range change {
		c(&deps)
	}
	handler, err := swap.NewHandler(deps)
	require.NoError(tb, err)
	b.handler = handler
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	b.url = server.URL
	return b
}

// publish makes n addresses of a wallet, from an index on.
func (b *bench) publish(tb testing.TB, walletID string, from, n int) {
	tb.Helper()
	made := db.PublishAddressesParams{WalletID: walletID}
	for i := from; i < from+n; i++ {
		made.Indices, made.Addresses = append(made.Indices, int32(i)), append(made.Addresses, fmt.Sprintf("%s deposit %d", walletID, i-1))
	}
	require.NoError(tb, b.store.PublishAddresses(tb.Context(), made))
}

// openQuoter inserts the data that the watchers of both wallets would have found.
func (b *bench) openQuoter(tb testing.TB) *exchange.Quoter {
	tb.Helper()
	s := exchange.Settings{SpreadBP: 200, UnfundedPercent: 100, ClientPercent: 100}
	var coins [2]exchange.Coin
	for i, ticker := range []string{"xmr", "ltc"} {
		known, ok := coin.Lookup(ticker, "Mainnet")
		require.True(tb, ok)
		coins[i] = exchange.Coin{Coin: known, WalletID: ticker, Confirmations: 2}
		ctx := tb.Context()
		require.NoError(tb, b.store.UpsertExchangeWallet(ctx, db.UpsertExchangeWalletParams{
			ID: ticker, ChainID: ticker + "-Mainnet", Ticker: ticker, Network: known.Network, Decimals: known.Decimals,
		}))
		later := time.Now().Add(time.Hour) // so that it does not become old during the test
		require.NoError(tb, b.store.SaveExchangeBalance(ctx, db.SaveExchangeBalanceParams{
			ID: ticker, Unlocked: money.MustDecimal("1000"), Total: money.MustDecimal("1000"),
			NetworkFee: money.MustDecimal("0.001"), BalanceAt: &later,
		}))
		b.publish(tb, ticker, 1, 40)
		witnesstest.Open(tb, b.store, ticker)
	}
	s.Pairs = []exchange.Pair{
		{From: coins[0], To: coins[1], Min: money.MustDecimal("0.05"), Max: money.MustDecimal("20"), Step: money.MustDecimal("1")},
		{From: coins[1], To: coins[0], Min: money.MustDecimal("0.1"), Max: money.MustDecimal("40"), Step: money.MustDecimal("1")},
	}
	prices := map[string]money.Decimal{"xmr": money.MustDecimal("150"), "ltc": money.MustDecimal("75")}
	return &exchange.Quoter{Settings: s, Market: func(ticker string) (rates.Book, error) {
		return rates.Book{Bid: prices[ticker], Ask: prices[ticker]}, b.price
	}}
}

func (b *bench) details(tb testing.TB, row db.Trade) exchange.Details {
	tb.Helper()
	d, err := exchange.DetailsOf(b.box, row)
	require.NoError(tb, err)
	return d
}

func (b *bench) key(t *testing.T, class string) string {
	t.Helper()
	id, prefix := secret.NewID("sk_"), secret.AffiliateKeyPrefix
	row := db.InsertSwapKeyParams{ID: id, Class: class, CreatedAt: time.Now()}
	if class == "partner" {
		prefix = secret.PartnerKeyPrefix
		sealed, err := b.box.Seal([]byte("secret"), secret.AD{Table: "swap_keys", Column: "secret", ID: id})
		require.NoError(t, err)
		row.SecretSealed = sealed
	}
	key := secret.NewSwapKey(prefix)
	row.KeyHash, row.Prefix = secret.HashAPIKey(key), prefix
	require.NoError(t, b.store.InsertSwapKey(t.Context(), row))
	return key
}

// answer is a response of the API.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) object(tb testing.TB) map[string]any {
	tb.Helper()
	var v map[string]any
	require.NoError(tb, json.Unmarshal([]byte(a.body), &v), a.body)
	return v
}

// requireError checks the error object and returns its details.
func (a answer) requireError(t *testing.T, status int, code string) map[string]any {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	object, ok := a.object(t)["error"].(map[string]any)
	require.True(t, ok, a.body)
	require.Equal(t, code, object["code"], a.body)
	require.NotEmpty(t, object["message"])
	details, ok := object["details"].(map[string]any)
	require.True(t, ok, a.body)
	return details
}

type header func(http.Header)

func with(name, value string) header { return func(h http.Header) { h.Set(name, value) } }

func (b *bench) call(t *testing.T, method, target string, headers ...header) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.url+target, nil)
	require.NoError(t, err)
	for _, h := range headers {
		h(req.Header)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, res.Header, string(body)}
}

func (b *bench) get(t *testing.T, path string, query url.Values, headers ...header) answer {
	t.Helper()
	return b.call(t, http.MethodGet, "/api/v1/"+path+"?"+query.Encode(), headers...)
}

// asked returns the parameters of a quote of 1.5 XMR in LTC, changed by pairs of name and
// value. An empty value removes the parameter.
func asked(changes ...string) url.Values {
	q := url.Values{
		"ticker_from": {"xmr"}, "network_from": {"Mainnet"}, "ticker_to": {"ltc"}, "network_to": {"mainnet"}, "amount_from": {"1.5"},
	}
	return changed(q, changes)
}

// tradeQuery returns the parameters of a trade.
func tradeQuery(changes ...string) url.Values {
	q := asked("address", litecoin, "refund", monero)
	return changed(q, changes)
}

func changed(q url.Values, changes []string) url.Values {
	for i := 0; i < len(changes); i += 2 {
		q.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			q.Del(changes[i])
		}
	}
	return q
}

// openTemporal returns a client that encrypts payloads, like the services' clients.
func openTemporal(tb testing.TB) client.Client {
	tb.Helper()
	keyset := tb.TempDir() + "/keyset.json"
	require.NoError(tb, secret.NewKeysetFile(keyset))
	codec, err := secret.NewPayloadCodec(keyset)
	require.NoError(tb, err)
	address, namespace := stack.TemporalAt(tb)
	temporal, err := client.DialContext(tb.Context(), client.Options{
		HostPort: address, Namespace: namespace, Logger: slog.New(slog.DiscardHandler),
		DataConverter: converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec),
	})
	require.NoError(tb, err)
	tb.Cleanup(temporal.Close)
	return temporal
}

// setupWithTemporal is setup with a running Temporal and worker.
func setupWithTemporal(tb testing.TB, change ...func(*swap.Deps)) *bench {
	tb.Helper()
	temporal := openTemporal(tb)
	// On a busy machine a workflow may answer slowly, which no test is about.
	longWait := func(d *swap.Deps) { d.MinWait = 2 * time.Minute }
	b := setup(tb, temporal, append([]func(*swap.Deps){longWait}, change...)...)
	b.temporal = temporal
	beats := worker.Options{Interceptors: []interceptor.WorkerInterceptor{&activities.Heartbeats{}}}
	own, outside := worker.New(temporal, workflows.ExchangeQueue, beats), worker.New(temporal, workflows.ExchangeOutsideQueue, beats)
	own.RegisterWorkflow(workflows.Trade)
	trades := &trades.Handler{
		Store: b.store, Secret: b.box, Quoter: b.quoter, Window: time.Hour, Clock: time.Now, Sanctioned: sanctioned,
	}
	own.RegisterActivity(trades.AdvanceTrade)
	outside.RegisterActivity(trades.PlaceOrder)
	outside.RegisterActivity(trades.FollowTrade)
	for _, w := range []worker.Worker{own, outside} {
		require.NoError(tb, w.Start())
		tb.Cleanup(w.Stop)
	}
	loop := outbox.NewLoop(b.store, dispatch.Dispatcher{Client: temporal}.Send, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(context.WithoutCancel(tb.Context()))
	var sending sync.WaitGroup
	sending.Go(func() { loop.Run(ctx) })
	tb.Cleanup(func() { stop(); sending.Wait() })
	return b
}

// followed returns when Temporal has all wakeups.
func (b *bench) followed(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		waiting, err := b.store.CountWakeups(t.Context())
		return err == nil && len(waiting) == 0
	}, 8*time.Minute, 20*time.Millisecond)
}

// sanctioned reports whether an address is listed.
func sanctioned(_ context.Context, addresses ...string) (bool, error) {
	return strings.Contains(strings.Join(addresses, " "), listed), nil
}
