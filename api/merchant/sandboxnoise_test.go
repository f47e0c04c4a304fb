package merchant_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/permission"
)

// TestTheSandboxDoesNotStopSales checks that pending charges of the sandbox do not count towards
// the limit of live charges.
func TestTheSandboxDoesNotStopSales(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	b.exec(t, "UPDATE merchants SET pending_charges_max = 3 WHERE merchant_id = $1", s.id)
	for range 3 {
		b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":1}`).require(t, http.StatusOK)
	}
	b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":1}`).require(t, http.StatusTooManyRequests)
	b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusOK, "a live sale")
}

// simulatedShop is a shop with a simulated sandbox. The watcher's findings reach its charges at
// once, without workflows.
type simulatedShop struct {
	*bench
	shop

	look func()
}

func (b *bench) simulatedShop(t *testing.T) simulatedShop {
	t.Helper()
	made := incoming.Charges{Charges: makesCharges(t, b.store, true)}
	watch := b.simulatedWatch(t, func(ctx context.Context, w outbox.Wakeup) error {
		_, err := made.AdvanceCharge(ctx, incoming.AdvanceCharge{ChargeID: w.ID, Now: b.clock.Now()})
		return err
	})
	watch.Clock = b.clock.Now
	scan, err := watch.Scanner(charge.SimulatedWallet)
	require.NoError(t, err)
	return simulatedShop{b, b.signup(t), func() {
		_, err := scan(t.Context())
		require.NoError(t, err)
	}}
}

func isSimulated(t *testing.T) func(*merchant.Deps) {
	t.Helper()
	return func(d *merchant.Deps) {
		d.Charges, d.SimulatedSandbox = makesCharges(t, d.Store, true), true
	}
}

// paid creates a charge of an amount in XMR and pays it.
func (s simulatedShop) paid(t *testing.T, xmr string) string {
	t.Helper()
	id := s.send(t, http.MethodPost, "/api/charges", key(s.shop.test), `{"amount":`+xmr+`,"currency":"XMR"}`).require(t, http.StatusOK).text(t, "id")
	amount, err := money.ParseXMR(xmr)
	require.NoError(t, err)
	require.NoError(t, s.store.SimulatePayment(t.Context(), id, amount, 10, s.clock.Now()))
	s.look()
	require.Equal(t, "confirmed", s.send(t, http.MethodGet, "/api/charges/"+id, key(s.shop.test), "").text(t, "status"))
	return id
}

// TestTheSandboxRaisesNoAlert checks that operators get no alert about money that never existed.
func TestTheSandboxRaisesNoAlert(t *testing.T) {
	t.Parallel()
	s := setup(t, isSimulated(t)).simulatedShop(t)
	require.NoError(t, s.store.SimulateReorganization(t.Context(), s.paid(t, "2"), true)) // like POST /api/test/charges/{id}/reorg
	s.look()
	require.Equal(t, []string{"true"}, rowsOf[string](t, s.bench, "SELECT unbacked::text FROM charges"))
	require.Empty(t, rowsOf[string](t, s.bench, "SELECT kind || ' ' || subject FROM alerts"))
}

// TestTheOverviewHasRoomForEveryAmount uses the highest amount of a charge: 10,000,000 XMR.
func TestTheOverviewHasRoomForEveryAmount(t *testing.T) {
	t.Parallel()
	s := setup(t, isSimulated(t)).simulatedShop(t)
	s.paid(t, "10000000")
	s.send(t, http.MethodGet, "/api/overview", key(s.shop.test), "").require(t, http.StatusOK)
}

// TestASimulatedChargeHasABoundOfPayments checks the limit, because every answer, event and page
// of the charge contains all of its payments.
func TestASimulatedChargeHasABoundOfPayments(t *testing.T) {
	t.Parallel()
	b := setup(t, isSimulated(t))
	s := b.signup(t)
	id := b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":2,"currency":"XMR"}`).require(t, http.StatusOK).text(t, "id")
	require.Equal(t, []string{charge.SimulatedWalletOf(id)}, rowsOf[string](t, b, "SELECT wallet_id FROM charges"))
	var refused error
	for range 3000 {
		if refused = b.store.SimulatePayment(t.Context(), id, 1, 0, b.clock.Now()); refused != nil {
			break
		}
	}
	require.Error(t, refused, "3000 payments of one charge")
}

// TestATriggerThatIsRefusedMakesNothing checks that the answer is 409 if the sandbox is paid on
// a wallet's chain.
func TestATriggerThatIsRefusedMakesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	before := b.digest(t)
	b.send(t, http.MethodPost, "/api/test/webhooks/trigger", key(s.test), `{"type":"charge.created"}`).require(t, http.StatusConflict)
	require.Equal(t, before, b.digest(t))
}

// TestACashierSeesTodayAlone checks that a cashier does not find an earlier charge, not even by
// its address.
func TestACashierSeesTodayAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, isSimulated(t))
	s, person := b.signup(t), b.signup(t)
	b.employ(t, s, person, permission.Cashier)
	id := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":2,"currency":"XMR"}`).require(t, http.StatusOK).text(t, "id")
	v := b.worksFor(t, person, s)
	require.Equal(t, http.StatusOK, v.send(t, http.MethodGet, "/charges/"+id, nil).status)
	b.exec(t, "UPDATE charges SET created_at = created_at - interval '3 days' WHERE id = $1", id)
	require.Equal(t, http.StatusNotFound, v.send(t, http.MethodGet, "/charges/"+id, nil).status)
}

// TestAllThatPeopleChangeIsWrittenDown checks that joining and leaving are recorded too.
func TestAllThatPeopleChangeIsWrittenDown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, person := b.own(t), b.signup(t)
	operations := func() []string {
		return rowsOf[string](t, b, "SELECT operation FROM actions WHERE merchant_id = '"+s.id+"'")
	}
	token := b.invited(t, s.shop, `{"role":"owner"}`)
	before := len(operations())
	b.send(t, http.MethodPost, "/api/account/shops", session(person.token), `{"token":"`+token+`"}`).require(t, http.StatusOK)
	b.send(t, http.MethodPost, "/api/account/shops/"+s.id+"/leave", session(person.token), "").require(t, http.StatusOK)
	require.Greater(t, len(operations()), before, "an owner came and went")
}

// TestRefusedActionsAreFew checks that a shop keeps only the first refused actions of a day,
// because refused requests cost a caller nothing. Successful actions are still recorded, and
// reads are not.
func TestRefusedActionsAreFew(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s, other := b.signup(t), b.signup(t)
	noted := func(of shop) int {
		return len(rowsOf[string](t, b, "SELECT path FROM actions WHERE merchant_id = '"+of.id+"'"))
	}
	junk := "/api/account/staff/invites/" + strings.Repeat("x", 280) + "/revoke"
	for range 120 {
		b.send(t, http.MethodPost, junk, session(s.token), "").require(t, http.StatusNotFound)
	}
	require.Equal(t, 100, noted(s))
	b.send(t, http.MethodPost, junk, session(other.token), "").require(t, http.StatusNotFound)
	require.Equal(t, 1, noted(other), "another shop has its own")
	b.send(t, http.MethodPost, "/api/account/shops/invitation", session(s.token), `{"token":"`+strings.Repeat("a", 64)+`"}`).require(t, http.StatusNotFound)
	require.Equal(t, 100, noted(s), "nothing is changed by reading")
	b.send(t, http.MethodPost, "/api/account/staff/invites", session(s.token), `{"role":"cashier"}`).require(t, http.StatusOK)
	require.Equal(t, 101, noted(s))
	for _, path := range rowsOf[string](t, b, "SELECT path FROM actions WHERE merchant_id = '"+s.id+"'") {
		require.LessOrEqual(t, len(path), 120)
	}
}
