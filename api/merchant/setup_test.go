package merchant_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

const (
	payoutAddress = "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"
	subaddress    = "88HmkqhAoUGBUt8stRp3nAMYZoQtvDSixP72FNrRxGkodE47C2exQA1dLDTG62Hmxv651Jd5ivxYGPGnsv7vdy7q5gzpAMU"
	publicURL     = "https://pay.example.com"
	onionURL      = "http://onion.example.com"
	addresses     = 1000
)

// bench is one API on its own database.
type bench struct {
	// handler answers the same requests as url, without the network.
	handler http.Handler
	url     string
	// by sends the requests; nil for the default transport.
	by http.RoundTripper
	// onion is the address (host:port) of the listener for Tor.
	onion string
	// internal is the internal listener's URL.
	internal string
	store    *postgres.Store
	box      *secret.Box
	clock    *clock
	// now is the API's time: that of clock, unless the API was given another clock.
	now func() time.Time
	// temporal runs the workflows. startWorker starts their workers, and stopWorker stops the
	// workers that were started first. They are nil without Temporal.
	temporal    client.Client
	startWorker func() (stop func())
	stopWorker  func()
	// postman sends the mails of the workers; nil for none. payer has the activities of payouts;
	// nil for activities without a wallet.
	postman *notice.Sender
	payer   any
}

// clock is the API's time. It moves only when a test advances it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// maxWait is how long a test waits for other processes, because the machine may be busy.
const maxWait = 8 * time.Minute

// setup creates an API whose Temporal is unreachable, unless change sets another one.
func setup(tb testing.TB, change ...func(*merchant.Deps)) *bench {
	tb.Helper()
	keyset, index := tb.TempDir()+"/keyset.json", tb.TempDir()+"/index"
	require.NoError(tb, secret.NewKeysetFile(keyset))
	require.NoError(tb, secret.NewBlindIndexFile(index))
	box, err := secret.Open(keyset)
	require.NoError(tb, err)
	blind, err := secret.OpenBlindIndex(index)
	require.NoError(tb, err)
	away, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(tb, err)
	tb.Cleanup(away.Close)

	b := &bench{store: pgtest.New(tb), box: box, clock: &clock{now: time.Now().UTC().Truncate(time.Millisecond)}}
	b.addWallets(tb)
	deps := merchant.Deps{
		Store: b.store, Temporal: away, Box: box, Index: blind, Prices: staticPrices(tb), JWTSecret: []byte(strings.Repeat("k", 32)),
		HashMemory:  64, // small, because these tests sign up thousands of accounts
		AdminPublic: true, Desk: true,
		Clock: b.clock.Now, Log: slog.New(slog.DiscardHandler), PublicURL: publicURL, OnionURL: onionURL,
		Ready: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"status":"ready","parts":{}}`)
		}),
	}
	withProviders(time.Minute, inAggregator(tb, "house", providertest.Answer(http.StatusOK, aggregatorRate)))(&deps)
	for _, c := range change {
		c(&deps)
	}
	if deps.Charges == nil {
		deps.Charges = makesCharges(tb, b.store, false)
	}
	b.now, b.temporal = deps.Clock, deps.Temporal
	handler, err := merchant.NewHandler(deps)
	require.NoError(tb, err)
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	b.handler, b.url = handler, server.URL
	internal := httptest.NewServer(web.Internal(handler))
	tb.Cleanup(internal.Close)
	b.internal = internal.URL
	mirror := httptest.NewUnstartedServer(handler)
	b.onion, mirror.Listener = mirror.Listener.Addr().String(), web.ListenOnion(mirror.Listener)
	mirror.Config.ConnContext = web.OnionContext
	mirror.Start()
	tb.Cleanup(mirror.Close)
	return b
}

// makesCharges returns what creates the charges of a bench. Its sandbox wallets are
// the bench's own, and the one that a test puts into safe mode.
func makesCharges(tb testing.TB, store *postgres.Store, simulated bool) *chargestore.Charges {
	tb.Helper()
	return &chargestore.Charges{
		Store: store, Prices: staticPrices(tb), ChargeTimeout: time.Hour, ButtonChargeTimeout: 15 * time.Minute, ConfirmationsRequired: 10, PublicURL: publicURL,
		Simulated: simulated, SandboxWallets: []string{"sandbox-1", "safe"}, Rules: charge.Rules{ConfirmationWindow: 2 * time.Hour},
	}
}

// withTemporal gives the API a running Temporal. The API waits long for workflows, because they
// may be slow on a busy machine.
func withTemporal(workflowClient client.Client) func(*merchant.Deps) {
	return func(d *merchant.Deps) { d.Temporal, d.MinWait = workflowClient, 2*time.Minute }
}

func staticPrices(tb testing.TB) *rates.Service {
	tb.Helper()
	service, err := rates.New(config.Prices{
		PriceSources: []string{"static"}, PriceStaticUSD: "160", PriceStaticEUR: "150",
		PriceMaxAge: time.Hour, PriceOutlierPercent: config.Percent{Decimal: money.DecimalFromInt(10)},
	}, http.DefaultClient, time.Now, slog.New(slog.DiscardHandler))
	require.NoError(tb, err)
	service.Refresh(tb.Context())
	return service
}

func (b *bench) addWallets(tb testing.TB) {
	tb.Helper()
	for _, mode := range []string{"live", "sandbox"} {
		id := mode + "-1"
		require.NoError(tb, b.store.UpsertWallet(tb.Context(), db.UpsertWalletParams{ID: id, ChainID: "xmr-" + mode, Mode: mode, PrimaryAddress: "primary of " + id}))
		publish := db.PublishAddressesParams{WalletID: id}
		for i := range addresses {
			publish.Indices = append(publish.Indices, int32(i+1))
			publish.Addresses = append(publish.Addresses, fmt.Sprintf("%s address %d", id, i+1))
		}
		require.NoError(tb, b.store.PublishAddresses(tb.Context(), publish))
		witnesstest.Open(tb, b.store, id)
	}
}

// answer is the response to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// field returns a value of the body by its path: "merchant.email".
func (a answer) field(tb testing.TB, path string) any {
	tb.Helper()
	dec := json.NewDecoder(strings.NewReader(a.body))
	dec.UseNumber()
	var v any
	require.NoError(tb, dec.Decode(&v), a.body)
	for name := range strings.SplitSeq(path, ".") {
		object, ok := v.(map[string]any)
		require.True(tb, ok, "%s of %s", path, a.body)
		require.Contains(tb, object, name, a.body)
		v = object[name]
	}
	return v
}

func (a answer) text(tb testing.TB, path string) string {
	tb.Helper()
	text, ok := a.field(tb, path).(string)
	require.True(tb, ok, "%s of %s", path, a.body)
	return text
}

// require checks the status, and the body of an error.
func (a answer) require(tb testing.TB, status int, about ...any) answer {
	tb.Helper()
	require.Equal(tb, status, a.status, "%s %v", a.body, about)
	require.Len(tb, a.header.Get("X-Request-Id"), 24, about...)
	if status >= 400 {
		require.Equal(tb, "application/json", a.header.Get("Content-Type"))
		var body map[string]any
		require.NoError(tb, json.Unmarshal([]byte(a.body), &body), a.body)
		require.Len(tb, body, 1, a.body)
		require.IsType(tb, "", body["error"], a.body)
	}
	return a
}

type as struct{ name, value string }

func anonymous() as           { return as{} }
func key(k string) as         { return as{"x-api-key", k} }
func session(token string) as { return as{"Authorization", "Bearer " + token} }

// send makes a request. It sends a body as JSON, unless the body is empty.
func (b *bench) send(tb testing.TB, method, path string, who as, body string) answer {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), method, b.url+path, strings.NewReader(body))
	require.NoError(tb, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if who.name != "" {
		req.Header.Set(who.name, who.value)
	}
	if b.by != nil {
		return doWith(tb, b.by, req)
	}
	return do(tb, req)
}

// statusOf posts a body and returns the status, or 0 if there is no answer. It may be called
// from any goroutine.
func (b *bench) statusOf(ctx context.Context, path string, who as, body string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+path, strings.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("Content-Type", "application/json")
	if who.name != "" {
		req.Header.Set(who.name, who.value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// newcomer returns a transport that opens a new connection for each request. Servers such as
// those of Node.js close connections that are idle for some seconds, and may do so at the moment
// at which a request is sent.
func newcomer() http.RoundTripper { return &http.Transport{DisableKeepAlives: true} }

func do(tb testing.TB, req *http.Request) answer {
	tb.Helper()
	return doWith(tb, http.DefaultTransport, req)
}

func doWith(tb testing.TB, by http.RoundTripper, req *http.Request) answer {
	tb.Helper()
	client := http.Client{Transport: by, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	require.NoError(tb, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(tb, err)
	return answer{res.StatusCode, res.Header, string(body)}
}

// shop is a merchant with its credentials.
type shop struct {
	id, email, token, live, test string
}

const password = "correct horse battery"

// signup creates a merchant.
func (b *bench) signup(tb testing.TB) shop {
	tb.Helper()
	email := secret.NewID("shop") + "@example.com"
	body := fmt.Sprintf(`{"email":%q,"password":%q,"businessName":"Example Shop"}`, email, password)
	a := b.send(tb, http.MethodPost, "/api/auth/signup", anonymous(), body).require(tb, http.StatusOK)
	return shop{
		id: a.text(tb, "merchant.merchant_id"), email: email, token: a.text(tb, "token"),
		live: a.text(tb, "apiKeys.production"), test: a.text(tb, "apiKeys.sandbox"),
	}
}

// charge inserts a pending charge of the shop and returns its ID.
func (b *bench) charge(tb testing.TB, s shop, mode config.Mode, change ...func(*db.InsertChargeParams)) string {
	tb.Helper()
	now := b.clock.Now()
	rate := money.DecimalFromInt(150)
	wallet := string(mode) + "-1"
	id := secret.NewID("ch_")
	taken, err := b.store.HandOutAddresses(tb.Context(), db.HandOutAddressesParams{WalletID: wallet, Most: 1})
	require.NoError(tb, err)
	require.Len(tb, taken, 1)
	row := db.InsertChargeParams{
		ID: id, MerchantID: s.id, Mode: string(mode), Source: "api", WalletID: wallet,
		SubaddressIndex: taken[0].SubaddressIndex, Subaddress: taken[0].Address, Amount: money.MustDecimal("1.5"), Currency: "USD",
		AmountPiconero: 10_000_000_000, ConfirmFromPiconero: 10_000_000_000, XmrRate: &rate, RateAt: &now,
		ConfirmationsRequired: 10, Metadata: `{"n":1.10}`, Fields: []string{}, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	}
	for _, c := range change {
		c(&row)
	}
	pgtest.InsertCharge(tb, b.store, row)
	return row.ID
}

func (b *bench) suspend(t *testing.T, s shop) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE merchants SET suspended_at = now() WHERE merchant_id = $1", s.id)
	require.NoError(t, err)
}
