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

	"github.com/durapay/durapay/activities/charges"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
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

// bench is one API on a database of its own.
type bench struct {
	url string
	// by makes the requests; nil for who makes all others.
	by http.RoundTripper
	// onion is the address (host:port) of the listener for Tor.
	onion string
	// internal is the internal listener's URL.
	internal string
	store    *postgres.Store
	box      *secret.Box
	clock    *clock
	// now is the time by which the API goes: that of clock, unless the API was
	// given another one.
	now func() time.Time
	// temporal has the workflows, startWorker starts what runs them and stopWorker
	// stops what was started first; nil without Temporal.
	temporal    client.Client
	startWorker func() (stop func())
	stopWorker  func()
}

// clock is the API's time; it moves only when a test says so.
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

// setup makes an API whose Temporal is away, unless deps says otherwise.
func setup(t *testing.T, change ...func(*merchant.Deps)) *bench {
	t.Helper()
	keyset, index := t.TempDir()+"/keyset.json", t.TempDir()+"/index"
	require.NoError(t, secret.NewKeysetFile(keyset))
	require.NoError(t, secret.NewBlindIndexFile(index))
	box, err := secret.Open(keyset)
	require.NoError(t, err)
	blind, err := secret.OpenBlindIndex(index)
	require.NoError(t, err)
	away, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(away.Close)

	b := &bench{store: pgtest.New(t), box: box, clock: &clock{now: time.Now().UTC().Truncate(time.Millisecond)}}
	b.addWallets(t)
	deps := merchant.Deps{
		Store: b.store, Temporal: away, Box: box, Index: blind, Prices: staticPrices(t), JWTSecret: []byte(strings.Repeat("k", 32)),
		HashMemory:  64, // these tests sign up thousands
		AdminPublic: true, Desk: true,
		Clock: b.clock.Now, Log: slog.New(slog.DiscardHandler), PublicURL: publicURL, OnionURL: onionURL,
		Ready: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"status":"ready","parts":{}}`)
		}),
	}
	withProviders(time.Minute, inAggregator(t, "house", providertest.Answer(http.StatusOK, aggregatorRate)))(&deps)
	for _, c := range change {
		c(&deps)
	}
	if deps.MakeCharge == nil {
		deps.MakeCharge = makesCharges(t, b.store, false).MakeCharge
	}
	b.now, b.temporal = deps.Clock, deps.Temporal
	handler, err := merchant.NewHandler(deps)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	b.url = server.URL
	internal := httptest.NewServer(web.Internal(handler))
	t.Cleanup(internal.Close)
	b.internal = internal.URL
	mirror := httptest.NewUnstartedServer(handler)
	b.onion, mirror.Listener = mirror.Listener.Addr().String(), web.ListenOnion(mirror.Listener)
	mirror.Config.ConnContext = web.OnionContext
	mirror.Start()
	t.Cleanup(mirror.Close)
	return b
}

// makesCharges is what makes the charges of a bench. The wallets of the sandbox are its
// own, and the one that a test has in safe mode.
func makesCharges(t *testing.T, store *postgres.Store, simulated bool) *charges.Handler {
	t.Helper()
	return &charges.Handler{
		Store: store, Prices: staticPrices(t), ChargeTimeout: time.Hour, ButtonChargeTimeout: 15 * time.Minute, ConfirmationsRequired: 10, PublicURL: publicURL,
		Simulated: simulated, SandboxWallets: []string{"sandbox-1", "safe"}, Rules: charge.Rules{ConfirmationWindow: 2 * time.Hour},
	}
}

// withTemporal gives the API a running Temporal. On a busy machine a workflow may
// be long in answering, which no test is about.
func withTemporal(workflowClient client.Client) func(*merchant.Deps) {
	return func(d *merchant.Deps) { d.Temporal, d.Patience = workflowClient, 2*time.Minute }
}

func staticPrices(t *testing.T) *rates.Service {
	t.Helper()
	service, err := rates.New(config.Prices{
		PriceSources: []string{"static"}, PriceStaticUSD: "160", PriceStaticEUR: "150",
		PriceMaxAge: time.Hour, PriceOutlierPercent: config.Percent{Decimal: money.DecimalFromInt(10)},
	}, http.DefaultClient, time.Now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	service.Refresh(t.Context())
	return service
}

func (b *bench) addWallets(t *testing.T) {
	t.Helper()
	for _, mode := range []string{"live", "sandbox"} {
		id := mode + "-1"
		require.NoError(t, b.store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: id, Mode: mode, PrimaryAddress: "primary of " + id}))
		publish := db.PublishAddressesParams{WalletID: id}
		for i := range addresses {
			publish.Indices = append(publish.Indices, int32(i+1))
			publish.Addresses = append(publish.Addresses, fmt.Sprintf("%s address %d", id, i+1))
		}
		require.NoError(t, b.store.PublishAddresses(t.Context(), publish))
		witnesstest.Open(t, b.store, id)
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// field is a value of the body by its path: "merchant.email".
func (a answer) field(t *testing.T, path string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(a.body))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v), a.body)
	for name := range strings.SplitSeq(path, ".") {
		object, ok := v.(map[string]any)
		require.True(t, ok, "%s of %s", path, a.body)
		require.Contains(t, object, name, a.body)
		v = object[name]
	}
	return v
}

func (a answer) text(t *testing.T, path string) string {
	t.Helper()
	text, ok := a.field(t, path).(string)
	require.True(t, ok, "%s of %s", path, a.body)
	return text
}

// require checks the status, and the body of an error.
func (a answer) require(t *testing.T, status int, about ...any) answer {
	t.Helper()
	require.Equal(t, status, a.status, "%s %v", a.body, about)
	require.Len(t, a.header.Get("X-Request-Id"), 24, about...)
	if status >= 400 {
		require.Equal(t, "application/json", a.header.Get("Content-Type"))
		var body map[string]any
		require.NoError(t, json.Unmarshal([]byte(a.body), &body), a.body)
		require.Len(t, body, 1, a.body)
		require.IsType(t, "", body["error"], a.body)
	}
	return a
}

// as is a credential.
type as struct{ name, value string }

func nobody() as              { return as{} }
func key(k string) as         { return as{"x-api-key", k} }
func session(token string) as { return as{"Authorization", "Bearer " + token} }

// send makes a request; a body that is not empty is sent as JSON.
func (b *bench) send(t *testing.T, method, path string, who as, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.url+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if who.name != "" {
		req.Header.Set(who.name, who.value)
	}
	if b.by != nil {
		return doWith(t, b.by, req)
	}
	return do(t, req)
}

// statusOf posts a body from any goroutine, and returns the status; 0 without one.
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

// newcomer makes each request on a connection of its own. A server that closes
// the connections on which nobody asks for some seconds, as those of Node.js do,
// may close one in the moment in which a request is sent on it.
func newcomer() http.RoundTripper { return &http.Transport{DisableKeepAlives: true} }

func do(t *testing.T, req *http.Request) answer {
	t.Helper()
	return doWith(t, http.DefaultTransport, req)
}

func doWith(t *testing.T, by http.RoundTripper, req *http.Request) answer {
	t.Helper()
	client := http.Client{Transport: by, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, res.Header, string(body)}
}

// shop is a merchant with its credentials.
type shop struct {
	id, email, token, live, test string
}

const password = "correct horse battery"

// signup makes a merchant.
func (b *bench) signup(t *testing.T) shop {
	t.Helper()
	email := secret.NewID("shop") + "@example.com"
	body := fmt.Sprintf(`{"email":%q,"password":%q,"businessName":"Example Shop"}`, email, password)
	a := b.send(t, http.MethodPost, "/api/auth/signup", nobody(), body).require(t, http.StatusOK)
	return shop{
		id: a.text(t, "merchant.merchant_id"), email: email, token: a.text(t, "token"),
		live: a.text(t, "apiKeys.production"), test: a.text(t, "apiKeys.sandbox"),
	}
}

// charge writes a pending charge of the shop and returns its ID.
func (b *bench) charge(t *testing.T, s shop, mode config.Mode, change ...func(*db.InsertChargeParams)) string {
	t.Helper()
	now := b.clock.Now()
	rate := money.DecimalFromInt(150)
	wallet := string(mode) + "-1"
	id := secret.NewID("ch_")
	taken, err := b.store.TakeAddress(t.Context(), db.TakeAddressParams{ChargeID: id, WalletID: wallet})
	require.NoError(t, err)
	row := db.InsertChargeParams{
		ID: id, MerchantID: s.id, Mode: string(mode), Source: "api", WalletID: wallet,
		SubaddressIndex: taken.SubaddressIndex, Subaddress: taken.Address, Amount: money.MustDecimal("1.5"), Currency: "USD",
		AmountPiconero: 10_000_000_000, ConfirmFromPiconero: 10_000_000_000, XmrRate: &rate, RateAt: &now,
		ConfirmationsRequired: 10, Metadata: `{"n":1.10}`, Fields: []string{}, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	}
	for _, c := range change {
		c(&row)
	}
	_, err = b.store.InsertCharge(t.Context(), row)
	require.NoError(t, err)
	return row.ID
}

func (b *bench) suspend(t *testing.T, s shop) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE merchants SET suspended_at = now() WHERE merchant_id = $1", s.id)
	require.NoError(t, err)
}
