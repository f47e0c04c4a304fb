package merchant_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/listen"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// watchSandbox watches the chains of simulated charges until the test ends.
func (b *bench) watchSandbox(t *testing.T) {
	t.Helper()
	watch := &incoming.Watch{Store: b.store, Nudge: func() {}, Clock: func() time.Time { return time.Now().UTC() }}
	scan, err := watch.Scanner(charge.SimulatedWallet)
	require.NoError(t, err)
	var stopped sync.WaitGroup
	stopped.Go(func() { keepScanning(t, scan) })
	t.Cleanup(stopped.Wait)
}

// simulatedWatch returns a watcher that sends the wakeups of its scans.
func (b *bench) simulatedWatch(t *testing.T, send outbox.Send) *incoming.Watch {
	t.Helper()
	nudge := func() { pgtest.SendWakeups(t, b.store, send) }
	return &incoming.Watch{Store: b.store, Nudge: nudge, Clock: func() time.Time { return time.Now().UTC() }}
}

// keepScanning scans like a watcher until the test ends.
func keepScanning(t *testing.T, scan incoming.Scan) {
	for t.Context().Err() == nil {
		if _, err := scan(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
}

// test makes a request to the sandbox about a charge.
func (b *bench) test(t *testing.T, s shop, id, what, body string) answer {
	t.Helper()
	return b.send(t, http.MethodPost, "/api/test/charges/"+id+"/"+what, key(s.test), body)
}

// sandboxBecomes waits until a field of a sandbox charge has a value.
func (b *bench) sandboxBecomes(t *testing.T, s shop, id, field string, want any) answer {
	t.Helper()
	var a answer
	require.Eventually(t, func() bool {
		a = b.send(t, http.MethodGet, "/api/charges/"+id, key(s.test), "").require(t, http.StatusOK)
		return a.field(t, field) == want
	}, maxWait, 20*time.Millisecond, "%s %v", field, want)
	return a
}

// eventsOf returns the names of a charge's events, in order.
func (b *bench) eventsOf(t *testing.T, s shop, id string) (names []string) {
	t.Helper()
	a := b.send(t, http.MethodGet, "/api/events?limit=100", key(s.test), "").require(t, http.StatusOK)
	for _, e := range a.field(t, "events").([]any) {
		event := e.(map[string]any)
		if strings.Contains(event["body"].(string), id) {
			names = append(names, event["type"].(string))
		}
	}
	return names
}

func TestASandboxThatAnswers(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	s := b.signup(t)
	ask := func(t *testing.T) string {
		t.Helper()
		return b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":2,"currency":"XMR"}`).require(t, http.StatusOK).text(t, "id")
	}
	t.Run("paid in parts, and confirmed", func(t *testing.T) {
		t.Parallel()
		id := ask(t)
		a := b.test(t, s, id, "pay", `{"part":0.5}`).require(t, http.StatusOK)
		require.Equal(t, "partial", a.text(t, "payment_state"))
		require.Equal(t, json.Number("1"), a.field(t, "amount_received_xmr"))
		require.Contains(t, a.body, `"simulated":true`)
		a = b.test(t, s, id, "pay", `{"confirmations":3}`).require(t, http.StatusOK)
		require.Equal(t, "paid", a.text(t, "payment_state"), "what is missing by default")
		require.Equal(t, json.Number("0"), a.field(t, "confirmations"), "the first is in the pool still")
		a = b.test(t, s, id, "confirm", `{"confirmations":4}`).require(t, http.StatusOK)
		require.Equal(t, json.Number("4"), a.field(t, "confirmations"))
		a = b.test(t, s, id, "confirm", `{}`).require(t, http.StatusOK)
		require.Equal(t, "confirmed", a.text(t, "status"), "the answer waits for the charge's run")
		require.Equal(t, json.Number("10"), a.field(t, "confirmations"))
		require.Equal(t, []string{"charge.created", "charge.pending", "charge.confirmed"}, b.eventsOf(t, s, id))
		b.test(t, s, id, "expire", "").require(t, http.StatusConflict)
		require.Empty(t, rowsOf[string](t, b, "SELECT subject FROM alerts"))
	})
	t.Run("overpaid at once", func(t *testing.T) {
		t.Parallel()
		id := ask(t)
		b.test(t, s, id, "pay", `{"amount_xmr":2.5,"confirmations":10}`).require(t, http.StatusOK)
		a := b.sandboxBecomes(t, s, id, "status", "confirmed")
		require.Equal(t, "overpaid", a.text(t, "payment_state"))
	})
	t.Run("late", func(t *testing.T) {
		t.Parallel()
		id := ask(t)
		b.test(t, s, id, "expire", "").require(t, http.StatusOK)
		b.sandboxBecomes(t, s, id, "status", "expired")
		b.test(t, s, id, "pay", `{"confirmations":10}`).require(t, http.StatusOK)
		a := b.sandboxBecomes(t, s, id, "status", "confirmed")
		require.Equal(t, true, a.field(t, "late"))
		require.Contains(t, b.eventsOf(t, s, id), "charge.late_confirmed")
	})
	t.Run("expired twice", func(t *testing.T) {
		t.Parallel()
		id := ask(t)
		for range 2 {
			b.test(t, s, id, "expire", "").require(t, http.StatusOK)
			b.sandboxBecomes(t, s, id, "status", "expired")
		}
		require.Equal(t, []string{"charge.created", "charge.expired"}, b.eventsOf(t, s, id))
	})
	t.Run("deliveries are retried", func(t *testing.T) { t.Parallel(); testDeliveriesAreRetried(t, b) })
	t.Run("reorganized", func(t *testing.T) {
		t.Parallel()
		id := ask(t)
		b.test(t, s, id, "pay", `{"confirmations":5}`).require(t, http.StatusOK)
		a := b.test(t, s, id, "reorg", `{}`).require(t, http.StatusOK)
		require.Equal(t, json.Number("0"), a.field(t, "confirmations"), "in the pool again")
		b.test(t, s, id, "confirm", `{"confirmations":2}`).require(t, http.StatusOK)
		a = b.test(t, s, id, "reorg", `{"drop":true}`).require(t, http.StatusOK)
		require.Equal(t, "unpaid", a.text(t, "payment_state"), "dropped")
		b.test(t, s, id, "confirm", `{"confirmations":100}`).require(t, http.StatusOK)
		b.test(t, s, id, "pay", `{"confirmations":10}`).require(t, http.StatusOK)
		b.sandboxBecomes(t, s, id, "status", "confirmed")
	})
	t.Run("none gets deeper by another's blocks", func(t *testing.T) {
		t.Parallel()
		id, other := ask(t), ask(t)
		b.test(t, s, id, "pay", `{"confirmations":1}`).require(t, http.StatusOK)
		b.test(t, s, other, "pay", `{"confirmations":700}`).require(t, http.StatusOK)
		b.sandboxBecomes(t, s, other, "status", "confirmed")
		b.sandboxBecomes(t, s, id, "confirmations", json.Number("1"))
	})
	t.Run("two at once", func(t *testing.T) {
		t.Parallel()
		id := ask(t)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				b.statusOf(t.Context(), "/api/test/charges/"+id+"/pay", key(s.test), `{"amount_xmr":1}`)
			})
		}
		both.Wait()
		b.sandboxBecomes(t, s, id, "amount_received_xmr", json.Number("2"))
	})
	t.Run("triggered", func(t *testing.T) {
		t.Parallel()
		s := b.signup(t)
		for event, before := range map[string][]string{
			"charge.created": nil, "charge.pending": {"charge.created"}, "charge.confirmed": {"charge.created"},
			"charge.late_confirmed": {"charge.created"}, "charge.expired": {"charge.created"},
		} {
			a := b.send(t, http.MethodPost, "/api/test/webhooks/trigger", key(s.test), `{"type":"`+event+`"}`).require(t, http.StatusOK)
			id := a.text(t, "charge_id")
			require.Eventually(t, func() bool { return slices.Contains(b.eventsOf(t, s, id), event) }, maxWait, 20*time.Millisecond, event)
			require.Subset(t, b.eventsOf(t, s, id), before, event)
		}
		for _, wrong := range []string{`{}`, `{"type":"payout.sent"}`, `{"type":1}`} {
			b.send(t, http.MethodPost, "/api/test/webhooks/trigger", key(s.test), wrong).require(t, http.StatusBadRequest, wrong)
		}
		b.send(t, http.MethodPost, "/api/test/webhooks/trigger", key(s.live), `{"type":"charge.created"}`).require(t, http.StatusForbidden)
	})
	t.Run("listened to", func(t *testing.T) {
		t.Parallel()
		s := b.signup(t)
		received, stop := listenTo(t, b, s.test, func(l *listen.Listener) {
			l.Trigger, l.Types = []string{"charge.confirmed"}, []string{"charge.confirmed"}
		})
		require.Contains(t, <-received, `"event":"charge.confirmed"`)
		stop()
	})
	t.Run("quick start in a browser", func(t *testing.T) { t.Parallel(); testQuickStartInABrowser(t, b) })
	t.Run("at the desk", func(t *testing.T) {
		t.Parallel()
		v := b.enterShop(t, s, "").inSandbox(t)
		id := ask(t)
		for _, what := range []string{"half", "pay", "confirm"} {
			v.post(t, "/charges/"+id+"/test/"+what, nil).leads(t, "/charges/"+id+"?done=1")
		}
		require.Contains(t, v.page(t, "/charges/"+id), `class="good-text">Paid<`)
		v.post(t, "/charges/"+id+"/test/anything", nil).leads(t, "/charges/"+id)
		require.Equal(t, http.StatusConflict, v.post(t, "/charges/"+id+"/test/expire", nil).status)
	})
	t.Run("the address cannot be paid", func(t *testing.T) {
		t.Parallel()
		a := b.send(t, http.MethodGet, "/api/charges/"+ask(t), key(s.test), "").require(t, http.StatusOK)
		address, err := monero.ParseAddress(a.text(t, "subaddress"))
		require.NoError(t, err)
		require.Equal(t, monero.Testnet, address.Network)
		require.Len(t, a.text(t, "subaddress"), 95)
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		id, live := ask(t), b.charge(t, s, config.Live)
		other, wallet := b.signup(t), b.charge(t, s, config.Sandbox)
		for what, body := range map[string]string{"pay": `{}`, "confirm": `{}`, "reorg": `{}`, "expire": "", "retry-deliveries": ""} {
			path := "/api/test/charges/" + id + "/" + what
			b.send(t, http.MethodPost, path, key(s.live), body).require(t, http.StatusForbidden, what)
			b.send(t, http.MethodPost, path, key(other.test), body).require(t, http.StatusNotFound, what)
			b.send(t, http.MethodPost, path, anonymous(), body).require(t, http.StatusUnauthorized, what)
			b.send(t, http.MethodPost, path, session(s.token), body).require(t, http.StatusUnauthorized, what)
			b.test(t, s, live, what, body).require(t, http.StatusNotFound, what)
			if what != "retry-deliveries" {
				b.test(t, s, wallet, what, body).require(t, http.StatusConflict, what)
			}
		}
		for _, body := range []string{
			`{"amount_xmr":0}`, `{"amount_xmr":-1}`, `{"amount_xmr":"1"}`, `{"amount_xmr":1,"part":1}`, `{"part":0}`, `{"part":-1}`, `{"part":1e30}`,
			`{"confirmations":-1}`, `{"confirmations":721}`, `{"confirmations":1.5}`, `{"part":"x"}`, `[]`, `{`,
		} {
			b.test(t, s, id, "pay", body).require(t, http.StatusBadRequest, body)
		}
		for _, body := range []string{`{"confirmations":0}`, `{"confirmations":721}`} {
			b.test(t, s, id, "confirm", body).require(t, http.StatusBadRequest, body)
		}
		b.test(t, s, id, "reorg", `{"drop":1}`).require(t, http.StatusBadRequest)
		require.Equal(t, json.Number("0"), b.sandboxBecomes(t, s, id, "status", "pending").field(t, "amount_received_xmr"))
	})
	t.Run("removed with its charge", func(t *testing.T) {
		t.Parallel()
		id := ask(t)
		b.test(t, s, id, "pay", `{"confirmations":10}`).require(t, http.StatusOK)
		b.sandboxBecomes(t, s, id, "status", "confirmed")
		require.Eventually(t, func() bool { // a charge that its run has locked is removed by a later call
			require.NoError(t, (&upkeep.Retention{Store: b.store}).RemoveCharges(t.Context(), []string{id}))
			return len(rowsOf[string](t, b, "SELECT id FROM charges WHERE id = '"+id+"'")) == 0
		}, maxWait, 20*time.Millisecond)
		for _, sql := range []string{
			"SELECT id FROM wallets WHERE id LIKE '%" + id + "'", "SELECT id FROM chains WHERE id LIKE '%" + id + "'",
			"SELECT address FROM addresses WHERE wallet_id LIKE '%" + id + "'", "SELECT tx_hash FROM received_payments WHERE charge_id = '" + id + "'",
			"SELECT tx_hash FROM simulated_payments WHERE wallet_id LIKE '%" + id + "'",
		} {
			require.Empty(t, rowsOf[string](t, b, sql), sql)
		}
	})
}

// TestASimulatedChangeIsReportedAfterADeath lets a watcher die between a change and the signal about
// it. The next watcher sends the signal, once.
func TestASimulatedChangeIsReportedAfterADeath(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.simulatedCharge(t, s)
	require.NoError(t, b.store.SimulatePayment(t.Context(), id, 5, 2, b.clock.Now()))
	signals, dies := 0, true
	watch := b.simulatedWatch(t, func(_ context.Context, w outbox.Wakeup) error {
		switch {
		case dies:
			return errors.New("nobody is there")
		case !outbox.IsNew(w):
			signals++
		}
		return nil
	})
	scan, err := watch.Scanner(charge.SimulatedWallet)
	require.NoError(t, err)
	_, err = scan(t.Context())
	require.NoError(t, err)
	dies = false
	b.exec(t, "UPDATE wakeups SET next_at = now() - interval '1 hour'")
	for range 3 {
		_, err := scan(t.Context())
		require.NoError(t, err)
		watch.Nudge()
	}
	require.Equal(t, 1, signals, "a change is told once")
	require.Equal(t, []string{"5"}, rowsOf[string](t, b, "SELECT amount::text FROM received_payments"))
	require.ErrorIs(t, b.store.SimulatePayment(t.Context(), b.charge(t, s, config.Live), 5, 0, b.clock.Now()), postgres.ErrNotFound)
}

// simulatedCharge inserts a pending simulated charge.
func (b *bench) simulatedCharge(t *testing.T, s shop) string {
	t.Helper()
	id := secret.NewID("ch_")
	wallet := charge.SimulatedWalletOf(id)
	require.NoError(t, b.store.MakeSimulatedAddress(t.Context(), db.MakeSimulatedAddressParams{
		WalletID: wallet, ChargeID: id, Address: "address of " + id, Height: charge.SimulatedFirstBlocks,
		TopHash: charge.SimulatedBlockHash(wallet, charge.SimulatedFirstBlocks-1, nil), Now: b.clock.Now(),
	}))
	now := b.clock.Now()
	pgtest.InsertCharge(t, b.store, db.InsertChargeParams{
		ID: id, MerchantID: s.id, Mode: string(config.Sandbox), Source: "api", WalletID: wallet, SubaddressIndex: 1, Subaddress: "address of " + id,
		Amount: money.MustDecimal("1"), Currency: "XMR", AmountPiconero: money.OneXMR, ConfirmFromPiconero: money.OneXMR,
		ConfirmationsRequired: 10, Metadata: `{}`, Fields: []string{}, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	})
	return id
}
