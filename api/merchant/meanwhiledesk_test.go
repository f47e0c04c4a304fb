package merchant_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/secret"
)

// TestACashierDoesNotUseUpTheShopsRequests checks that requests of people at the desk are
// counted separately from those of the shop's own machines with their key.
func TestACashierDoesNotUseUpTheShopsRequests(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s, person := b.signup(t), b.signup(t)
	b.employ(t, s, person, permission.Cashier)
	v := b.worksFor(t, person, s)
	code := formCode.FindStringSubmatch(v.page(t, "/till"))[1]
	for range 31 {
		v.send(t, http.MethodPost, "/till", url.Values{"form": {code}, "amount": {"1"}, "currency": {"EUR"}, "once": {secret.NewID("desk-")}})
	}
	b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusOK, "the web shop sells nothing")
}

// TestNoChargeIsMadeForAnAccountThatIsDeletedMeanwhile checks that the creation of a charge
// waits for the account's row, and then finds that the account is deleted.
func TestNoChargeIsMadeForAnAccountThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	made, makes := make(chan error, 1), makesCharges(t, b.store, false)
	err := pgx.BeginFunc(t.Context(), b.store.Pool(), func(deletion pgx.Tx) error { // like POST /api/account/delete
		q := b.store.WithTx(deletion)
		if _, err := q.LockMerchantForDeletion(t.Context(), s.id); err != nil {
			return err
		}
		go func() {
			_, err := makes.Create(context.WithoutCancel(t.Context()), chargestore.New{
				ChargeID: secret.NewID("ch_"), MerchantID: s.id, Mode: config.Live, Source: charge.FromAPI, Amount: money.MustDecimal("1"), Currency: money.XMR,
				Metadata: "{}", Now: b.clock.Now(),
			})
			made <- err
		}()
		pgtest.AwaitBlocked(t, b.store, deletion, 1)
		return q.EraseMerchant(t.Context(), db.EraseMerchantParams{MerchantID: s.id, Now: b.clock.Now()})
	})
	require.NoError(t, err)
	require.Error(t, <-made)
	require.Equal(t, []string{"0"}, rowsOf[string](t, b, "SELECT count(*)::text FROM charges"))
}

// TestWhoWasRemovedDoesNotComeBack checks that a person who was removed from the staff cannot
// return with an older invite. Here a reload of the page had created that invite.
func TestWhoWasRemovedDoesNotComeBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, person := b.signup(t), b.signup(t)
	first, second := b.invited(t, s, `{"role":"owner"}`), b.invited(t, s, `{"role":"owner"}`)
	join := func(token string) answer {
		return b.send(t, http.MethodPost, "/api/account/shops", session(person.token), `{"token":"`+token+`"}`)
	}
	join(first).require(t, http.StatusOK)
	b.send(t, http.MethodPost, "/api/account/staff/"+person.id+"/remove", session(s.token), "").require(t, http.StatusOK)
	require.NotEqual(t, http.StatusOK, join(second).status)
	require.NotContains(t, strings.Join(rowsOf[string](t, b, "SELECT person_id FROM staff"), " "), person.id)
}

// TestAnotherRoleEndsInvites checks that a former owner who is now a cashier cannot leave and
// return with an older invite. Another limit for the same role ends no invite.
func TestAnotherRoleEndsInvites(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, person := b.signup(t), b.signup(t)
	b.employ(t, s, person, permission.Support)
	b.invited(t, s, `{"role":"owner"}`)
	remainingInvites := func(role string) string {
		b.send(t, http.MethodPut, "/api/account/staff/"+person.id, session(s.token), role).require(t, http.StatusOK)
		return rowsOf[string](t, b, "SELECT count(*)::text FROM staff_invites")[0]
	}
	require.Equal(t, "1", remainingInvites(`{"role":"support","refunds_a_day_xmr":1}`))
	require.Equal(t, "0", remainingInvites(`{"role":"cashier"}`))
}

// TestTheListOfUnbackedChargesIsOfRealMoney checks that the list shows live charges whose money
// has disappeared. Older rows of the sandbox must not push them off the list.
func TestTheListOfUnbackedChargesIsOfRealMoney(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	long := time.Date(2000, 1, 2, 0, 0, 0, 0, time.UTC)
	for range 201 {
		b.charge(t, s, config.Sandbox)
	}
	live := b.charge(t, s, config.Live)
	b.exec(t, "UPDATE charges SET status = 'confirmed', unbacked = true, confirmed_at = $1 WHERE mode = 'sandbox'", long)
	b.exec(t, "UPDATE charges SET status = 'confirmed', unbacked = true, confirmed_at = now() WHERE id = $1", live)
	a := b.send(t, http.MethodGet, "/api/admin/stuck", session(b.admin(t).token), "").require(t, http.StatusOK)
	require.Contains(t, a.body, live)
}

// TestACashierSeesASaleThroughMidnight checks a sale across midnight in UTC, which is evening in
// New York. The cashier must see a customer pay who is still standing at the till.
func TestACashierSeesASaleThroughMidnight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, person := b.signup(t), b.signup(t)
	b.employ(t, s, person, permission.Cashier)
	b.clock.advance(permission.DayOf(b.clock.Now()).Add(24*time.Hour - 10*time.Second).Sub(b.clock.Now()))
	v := b.worksFor(t, person, s)
	rung := v.postFrom(t, "/till", "/till", url.Values{"amount": {"5"}, "currency": {"EUR"}, "once": {secret.NewID("desk-")}})
	require.Equal(t, http.StatusSeeOther, rung.status)
	sale := rung.header.Get("Location")
	require.Contains(t, v.page(t, sale), "qr.png")
	b.clock.advance(20 * time.Second)
	require.Equal(t, http.StatusOK, v.send(t, http.MethodGet, sale, nil).status, "the page reloads itself while the customer pays")
}

// TestAPageThatWaitsShowsNothingOfAnAccountThatIsClosedMeanwhile ends the session while a page
// waits for quotes, which takes providers some seconds.
func TestAPageThatWaitsShowsNothingOfAnAccountThatIsClosedMeanwhile(t *testing.T) {
	t.Parallel()
	waited := func(t *testing.T, change string) answer {
		t.Helper()
		var b *bench
		var account atomic.Value // the account to change when the provider is asked, once it exists
		var asked atomic.Bool
		b = quoting(t, inAggregator(t, "house", func(w http.ResponseWriter, r *http.Request) {
			if id, there := account.Load().(string); there {
				_, err := b.store.Pool().Exec(context.WithoutCancel(t.Context()), "UPDATE merchants SET "+change+" WHERE merchant_id = $1", id)
				assert.NoError(t, err)
				asked.Store(true)
			}
			providertest.Answer(http.StatusOK, aggregatorRate)(w, r)
		}))
		s := b.signup(t)
		v := b.enterShop(t, s, "")
		account.Store(s.id)
		a := v.send(t, http.MethodGet, "/swaps?to=ltc&amount=1.5", nil)
		require.True(t, asked.Load(), "the page has waited")
		return a
	}
	t.Run("nothing happens", func(t *testing.T) {
		t.Parallel()
		a := waited(t, "merchant_id = merchant_id")
		require.Equal(t, http.StatusOK, a.status)
		require.Contains(t, a.body, "2.93999 LTC")
	})
	t.Run("its sessions end", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, http.StatusSeeOther, waited(t, "token_version = token_version + 1").status)
	})
	t.Run("it is suspended", func(t *testing.T) {
		t.Parallel()
		a := waited(t, "suspended_at = now()")
		require.NotEqual(t, http.StatusOK, a.status)
		require.NotContains(t, a.body, " LTC")
	})
}
