package merchant_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	sdk "go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/witness/witnesstest"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

// reachable returns the only private address to which deliveries may go.
func reachable() netip.Addr { return netip.MustParseAddr("127.0.0.2") }

// setupWithTemporal is setup with a running Temporal and worker, and with the simulated sandbox.
func setupWithTemporal(t *testing.T, change ...func(*merchant.Deps)) *bench {
	t.Helper()
	return setupWithSandbox(t, true, change...)
}

// setupWithSandbox is setupWithTemporal with a choice of sandbox: simulated, or with its own
// wallet.
func setupWithSandbox(t *testing.T, simulated bool, change ...func(*merchant.Deps)) *bench {
	t.Helper()
	workflowClient := stack.NewTemporal(t)
	ex := inExolix(t, "ex", (&till{pays: "2.9"}).serve)
	// Quotes use the API's clock. A clock that is behind would end them early.
	change = append([]func(*merchant.Deps){func(d *merchant.Deps) {
		d.Clock = func() time.Time { return time.Now().UTC() }
	}, withProviders(time.Minute, ex), withTemporal(workflowClient)}, change...)
	change = append(change, func(d *merchant.Deps) {
		d.Charges, d.SimulatedSandbox = makesCharges(t, d.Store, simulated), simulated
		d.Wakeups = outbox.NewQueue(outbox.Charges, d.Store, dispatch.Dispatcher{Client: workflowClient}.Send, 1000, d.Log)
		working(t, d.Wakeups.Run)
	})
	b := setup(t, change...)
	b.sendsWakeups(t, workflowClient)
	b.temporal = workflowClient
	made := &incoming.Charges{Charges: makesCharges(t, b.store, simulated)}
	b.startWorker = func() (stop func()) { return b.work(t, made, ex) }
	b.stopWorker = b.startWorker()
	b.watchSandbox(t)
	return b
}

// startWorkers starts workers with the same workflows and activities on two queues: the
// merchants' queue and the queue for calls to external services. They stop when stop is called
// or the test ends.
func startWorkers(t *testing.T, c client.Client, register func(sdk.Registry)) (stop func()) {
	t.Helper()
	var started []sdk.Worker
	for _, queue := range []string{workflows.MerchantQueue, workflows.OutsideQueue} {
		w := sdk.New(c, queue, sdk.Options{Interceptors: []interceptor.WorkerInterceptor{&activities.Heartbeats{}}})
		register(w)
		require.NoError(t, w.Start())
		started = append(started, w)
	}
	stop = sync.OnceFunc(func() {
		for _, w := range started {
			w.Stop()
		}
	})
	t.Cleanup(stop)
	return stop
}

// work starts the workers of the merchants' queues. They stop with the test.
func (b *bench) work(t *testing.T, made *incoming.Charges, ex provider.Provider) (stop func()) {
	t.Helper()
	sender := outbound.NewSender(outbound.SenderConfig{
		Policy: outbound.Policy{AllowedNets: []netip.Prefix{netip.PrefixFrom(reachable(), 32)}}, Timeout: time.Minute,
	})
	hooks := &deliveries.Handler{
		Store: b.store, Secret: b.box, Sender: sender, Clock: time.Now, Finished: func(webhook.Status) {},
	}
	if b.payer == nil {
		b.payer = b.walletless()
	}
	stopWorkers := startWorkers(t, b.temporal, func(w sdk.Registry) {
		w.RegisterWorkflow(workflows.Charge)
		w.RegisterWorkflow(workflows.Payout)
		w.RegisterWorkflow(workflows.Delivery)
		w.RegisterActivity(made)
		w.RegisterActivity(b.payer)
		if b.postman != nil {
			b.registerMails(w, b.postman)
		}
		w.RegisterWorkflow(workflows.Refund)
		w.RegisterWorkflow(workflows.Swap)
		w.RegisterActivity(&payouts.Swaps{
			Store: b.store, Clock: time.Now, Orders: &sending.SwapOrders{Store: b.store, Secret: b.box, Provider: oneProvider("ex", ex)},
		})
		w.RegisterActivity(hooks.FindDelivery)
	})
	attempts := sdk.New(b.temporal, workflows.WebhookQueue, sdk.Options{DisableWorkflowWorker: true, Interceptors: []interceptor.WorkerInterceptor{&activities.Heartbeats{}}})
	attempts.RegisterActivity(hooks.AttemptDelivery)
	require.NoError(t, attempts.Start())
	t.Cleanup(attempts.Stop)
	return func() {
		attempts.Stop()
		stopWorkers()
	}
}

// walletless returns the activities of payouts, without a wallet.
func (b *bench) walletless() *payouts.Handler {
	return &payouts.Handler{
		Store: b.store, Witness: witnesstest.Opened(b.store, "live-1", "sandbox-1"), Secret: b.box, Finished: func(payout.Status) {}, Clock: time.Now,
	}
}

// sendsWakeups sends the wakeups of the bench's rows, as a worker does.
func (b *bench) sendsWakeups(t *testing.T, c client.Client) {
	t.Helper()
	working(t, outbox.NewLoop(b.store, dispatch.Dispatcher{Client: c}.Send, slog.New(slog.DiscardHandler)).Run)
}

// awaitWakeups returns when Temporal has all wakeups.
func (b *bench) awaitWakeups(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return rowsOf[int64](t, b, "SELECT count(*) FROM wakeups")[0] == 0 }, maxWait, 20*time.Millisecond)
}

// working runs a function until the test ends.
func working(t *testing.T, run func(context.Context)) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var done sync.WaitGroup
	done.Go(func() { run(ctx) })
	t.Cleanup(func() { stop(); done.Wait() })
}

func TestOperationsThatWorkflowsDo(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	t.Run("charge", func(t *testing.T) { t.Parallel(); testCharge(t, b) })
	t.Run("charge link", func(t *testing.T) { t.Parallel(); testChargeLink(t, b) })
	t.Run("charge refused", func(t *testing.T) { t.Parallel(); testChargeRefused(t, b) })
	t.Run("button", func(t *testing.T) { t.Parallel(); testButton(t, b) })
	t.Run("button form", func(t *testing.T) { t.Parallel(); testButtonForm(t, b) })
	t.Run("button of the desk", func(t *testing.T) { t.Parallel(); testTheDeskLeadsToAButtonThatWorks(t, b) })
	t.Run("payment request button", func(t *testing.T) { t.Parallel(); testRequestButton(t, b) })
	t.Run("payment request page", func(t *testing.T) { t.Parallel(); testRequestPage(t, b) })
	t.Run("payment request full", func(t *testing.T) { t.Parallel(); testRequestPageFull(t, b) })
	t.Run("sweep refused", func(t *testing.T) { t.Parallel(); testSweepRefused(t, b) })
	t.Run("accept underpaid", func(t *testing.T) { t.Parallel(); testAcceptUnderpaid(t, b) })
	t.Run("greenfield redelivery", func(t *testing.T) { t.Parallel(); testGreenfieldRedelivery(t, b) })
	t.Run("greenfield invoice", func(t *testing.T) { t.Parallel(); testGreenfieldInvoice(t, b) })
	t.Run("greenfield refund of an invoice", func(t *testing.T) { t.Parallel(); testGreenfieldRefund(t, b) })
	t.Run("greenfield refund of no invoice", func(t *testing.T) { t.Parallel(); testGreenfieldPullPayment(t, b) })
	t.Run("greenfield plugins", func(t *testing.T) { t.Parallel(); testGreenfieldPlugins(t, b) })
	t.Run("ping", func(t *testing.T) { t.Parallel(); testPing(t, b) })
	t.Run("operator's redelivery", func(t *testing.T) { t.Parallel(); testAdminRedelivery(t, b) })
	t.Run("redelivery from the operators' desk", func(t *testing.T) { t.Parallel(); testDeskRedelivery(t, b) })
	t.Run("redelivery", func(t *testing.T) { t.Parallel(); testRedelivery(t, b) })
	t.Run("answers", func(t *testing.T) { t.Parallel(); testAnswersFitTheDocument(t, b) })
	t.Run("answers through a proxy", func(t *testing.T) { t.Parallel(); testPrism(t, b) })
	t.Run("quick start", func(t *testing.T) { t.Parallel(); testQuickStart(t, b) })
	t.Run("round trip", func(t *testing.T) { t.Parallel(); testRoundTrip(t, b) })
	t.Run("bodies that are taken", func(t *testing.T) { t.Parallel(); testBodiesThatAreTaken(t, b) })
}

func testCharge(t *testing.T, b *bench) {
	s := b.signup(t)
	for body, want := range map[string][]string{
		`{"amount":49.90,"metadata":{"order_id":"A-1","return_url":"javascript:x","description":"<b>Two</b> tickets","n":1.10}}`: {
			`"amount":49.9,`, `"currency":"USD"`, `"metadata":{"order_id":"A-1","description":"<b>Two</b> tickets","n":1.10}`,
			`"description":"<b>Two</b> tickets"`, `"return_url":null`, `"xmr_rate":160`, `"amount_xmr":0.311875,`, `"status":"pending"`,
		},
		`{"amount":0.1,"currency":"EUR","metadata":null,"expires_at":null,"expires_in":null}`: {`"amount":0.1,`, `"metadata":{}`, `"link_expires_at":null`},
		`{"amount":8.123456789012,"currency":"XMR"}`:                                          {`"amount":8.123456789012,`, `"amount_xmr":8.123456789012,`, `"xmr_rate":null`},
		`{"amount":1e7,"currency":"XMR","metadata":{"a":"\u0000"}}`:                           {`"amount":10000000,`, `"amount_xmr":10000000,`},
		`{"amount":0.01,"metadata":{"order_id":"\u0000"}}`:                                    {`"amount":0.01,`},
	} {
		a := b.send(t, http.MethodPost, "/api/charges", key(s.live), body).require(t, http.StatusOK, body)
		for _, part := range want {
			require.Contains(t, a.body, part, body)
		}
		got := b.send(t, http.MethodGet, "/api/charges/"+a.text(t, "id"), key(s.live), "").require(t, http.StatusOK)
		require.Equal(t, a.body, got.body)
	}
	list := b.send(t, http.MethodGet, "/api/charges?order_id=A-1", key(s.live), "").require(t, http.StatusOK)
	require.Len(t, list.field(t, "charges"), 1)
	sandbox := b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":1}`).require(t, http.StatusOK)
	require.Equal(t, true, sandbox.field(t, "sandbox"))
}

func testChargeLink(t *testing.T, b *bench) {
	s := b.signup(t)
	before := time.Now()
	hours := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1,"expires_in":0.5}`).require(t, http.StatusOK)
	until, err := time.Parse(time.RFC3339Nano, hours.text(t, "link_expires_at"))
	require.NoError(t, err)
	require.WithinRange(t, until, before.Add(30*time.Minute-time.Second), time.Now().Add(30*time.Minute))
	at := time.Now().Add(time.Hour).In(time.FixedZone("", 2*3600)).Truncate(time.Second)
	moment := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1,"expires_at":"`+at.Format(time.RFC3339)+`"}`).require(t, http.StatusOK)
	require.Equal(t, at.UTC().Format("2006-01-02T15:04:05.000Z"), moment.text(t, "link_expires_at"))
}

func testChargeRefused(t *testing.T, b *bench) {
	s := b.signup(t)
	a := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":0.000000000001,"currency":"XMR"}`)
	a.require(t, http.StatusBadRequest)
	// Its mode is sandbox, so that no new merchant gets it as its live wallet.
	_, err := b.store.Pool().Exec(t.Context(), "INSERT INTO wallets (id, chain_id, mode, primary_address) VALUES ('empty', 'xmr-sandbox', 'sandbox', 'none')")
	require.NoError(t, err)
	witnesstest.Open(t, b.store, "empty")
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE merchants SET live_wallet_id = 'empty' WHERE merchant_id = $1", s.id)
	require.NoError(t, err)
	a = b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusInternalServerError)
	require.NotEmpty(t, a.header.Get("Retry-After"))
	require.NotEqual(t, "internal error", a.text(t, "error"))
}

// TestSafeMode requests everything that a wallet in safe mode does not do. The answer is 503
// with Retry-After, and nothing was changed.
func TestSafeMode(t *testing.T) {
	t.Parallel()
	b := setupWithSandbox(t, false)
	s := b.signup(t)
	b.send(t, http.MethodPut, "/api/account/payout", session(s.token), `{"address":"`+payoutAddress+`"}`).require(t, http.StatusOK)
	for _, sql := range []string{
		"INSERT INTO wallets (id, chain_id, mode, primary_address) VALUES ('safe', 'xmr-live', 'live', 'of safe')",
		"INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES ('safe', 1, 'free')",
	} {
		_, err := b.store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	witnesstest.Open(t, b.store, "safe")
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE witnesses SET safe_since = now(), safe_reason = 'older' WHERE wallet_id = 'safe'")
	require.NoError(t, err)
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE merchants SET live_wallet_id = 'safe', sandbox_wallet_id = 'safe' WHERE merchant_id = $1", s.id)
	require.NoError(t, err)
	for name, a := range map[string]answer{
		"live":    b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`),
		"sandbox": b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":1}`),
		"sweep":   b.send(t, http.MethodPost, "/api/payouts/sweep", session(s.token), ""),
	} {
		a.require(t, http.StatusServiceUnavailable, name)
		require.Equal(t, "60", a.header.Get("Retry-After"), name)
		require.Contains(t, a.text(t, "error"), "safe mode", name)
	}
	b.send(t, http.MethodPost, "/api/charges", key("wrong"), `{"amount":1}`).require(t, http.StatusUnauthorized)
	free, err := b.store.FreeAddresses(t.Context(), db.FreeAddressesParams{WalletID: "safe", Limit: 10})
	require.NoError(t, err)
	require.Zero(t, free)
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE witnesses SET safe_since = NULL, safe_reason = NULL WHERE wallet_id = 'safe'")
	require.NoError(t, err)
	b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusOK, "once it has ended")
}

func testSweepRefused(t *testing.T, b *bench) {
	s := b.signup(t)
	sweep := func() answer { return b.send(t, http.MethodPost, "/api/payouts/sweep", session(s.token), "") }
	require.Contains(t, sweep().require(t, http.StatusBadRequest).body, "payout address")
	b.send(t, http.MethodPut, "/api/account/payout", session(s.token), `{"address":"`+payoutAddress+`"}`).require(t, http.StatusOK)
	require.Contains(t, sweep().require(t, http.StatusBadRequest).body, "no unpaid charges")
}

func testRedelivery(t *testing.T, b *bench) {
	s := b.signup(t)
	// A private target is dropped at once, so the delivery ends without waiting.
	b.webhook(t, s, `{"url":"http://127.0.0.1:1/","events":["charge.created"]}`).require(t, http.StatusOK)
	id := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusOK).text(t, "id")
	dropped := b.awaitDelivery(t, s, "dropped")
	require.Equal(t, id, dropped.ResourceID)
	again := b.send(t, http.MethodPost, "/api/webhooks/deliveries/"+dropped.ID+"/redeliver", key(s.live), "")
	for again.status == http.StatusBadRequest { // until the first run has closed
		require.NoError(t, t.Context().Err())
		again = b.send(t, http.MethodPost, "/api/webhooks/deliveries/"+dropped.ID+"/redeliver", key(s.live), "")
	}
	again.require(t, http.StatusOK)
	require.Equal(t, dropped.ID, again.text(t, "id"))
	require.Contains(t, again.body, `"payload":`+dropped.Payload)
	require.Eventually(t, func() bool { return b.awaitDelivery(t, s, "dropped").Attempts == dropped.Attempts+1 }, maxWait, 50*time.Millisecond)
}

// awaitDelivery returns the shop's newest delivery once it has the status.
func (b *bench) awaitDelivery(t *testing.T, s shop, status string) db.ListDeliveriesRow {
	t.Helper()
	var found db.ListDeliveriesRow
	require.Eventually(t, func() bool {
		rows, err := b.store.ListDeliveries(context.WithoutCancel(t.Context()), db.ListDeliveriesParams{MerchantID: s.id, Mode: string(config.Live), Limit: 1})
		if err != nil || len(rows) == 0 || rows[0].Status != status {
			return false
		}
		found = rows[0]
		return true
	}, maxWait, 20*time.Millisecond)
	return found
}
