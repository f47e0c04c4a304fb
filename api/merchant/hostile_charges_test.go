package merchant_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/operator"
)

// TestHostileCreations simulates floods of charges with the rate limits on.
func TestHostileCreations(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t, withLimits)
	t.Run("share of a client", func(t *testing.T) { t.Parallel(); testShareOfAClient(t) })
	t.Run("share of Tor", func(t *testing.T) { t.Parallel(); testShareOfTor(t, b) })
	t.Run("visits are creations", func(t *testing.T) { t.Parallel(); testVisitsAreCreations(t, b) })
	t.Run("pending charges", func(t *testing.T) { t.Parallel(); testPendingCap(t, b) })
	t.Run("standard cap", func(t *testing.T) { t.Parallel(); testStandardCap(t, b) })
}

func (b *bench) button(t *testing.T, s shop) answer {
	t.Helper()
	return b.send(t, http.MethodPost, "/api/charges/button", anonymous(), fmt.Sprintf(`{"merchant_id":%q,"amount":1}`, s.id))
}

// One visitor can have as many of a merchant's button charges pending as it may create in a
// minute, and no more later. Buttons and pages count together. Other visitors are not affected,
// and charges of other merchants are not counted.
func testShareOfAClient(t *testing.T) {
	limits := &clock{now: time.Now().UTC()}
	b := setupWithTemporal(t, limitsAt(limits.Now))
	here := b.elsewhere("127.0.1.1")
	s, other := here.signup(t), here.signup(t)
	id := b.requested(t, s.live, `{"amount":1}`)
	for range 15 { // 30 in total
		here.button(t, s).require(t, http.StatusOK)
		require.Equal(t, http.StatusSeeOther, here.send(t, http.MethodGet, "/pay/"+id, anonymous(), "").status)
	}
	limits.advance(2 * time.Minute)
	refused := here.button(t, s).require(t, http.StatusTooManyRequests)
	require.Equal(t, "60", refused.header.Get("Retry-After"))
	page := here.send(t, http.MethodGet, "/pay/"+id, anonymous(), "")
	require.Equal(t, http.StatusTooManyRequests, page.status)
	require.NotEmpty(t, page.header.Get("Retry-After"))
	here.button(t, other).require(t, http.StatusOK)
	b.elsewhere("127.0.1.2").button(t, s).require(t, http.StatusOK)
	here.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusOK, "the merchant's own are not a visitor's")
}

// All clients that come through Tor share half of the total, no matter how many circuits they
// open.
func testShareOfTor(t *testing.T, b *bench) {
	here := b.elsewhere("127.0.1.3")
	s := here.signup(t)
	push := request{http.MethodPost, "/api/charges/button", anonymous(), fmt.Sprintf(`{"merchant_id":%q,"amount":1}`, s.id)}
	made := 0
	for circuit := range 28 {
		switch status := b.through(t, 7000+circuit, push).status; status {
		case http.StatusOK:
			made++
		default:
			require.Equal(t, http.StatusTooManyRequests, status)
		}
	}
	require.Equal(t, charge.MaxPendingOfCrowd, made)
	here.button(t, s).require(t, http.StatusOK, "clearnet has the other half")
}

// A visit that creates a charge counts as a creation, at most 30 a minute. Reading does not
// count: HEAD, a page that asks for fields, and a visitor who returns to their charge.
func testVisitsAreCreations(t *testing.T, b *bench) {
	here := b.elsewhere("127.0.1.4")
	var shops [4]shop
	var links [4]string
	for i := range shops {
		shops[i] = here.signup(t)
		links[i] = "/pay/" + b.requested(t, shops[i].live, `{"amount":1}`)
	}
	asks := "/pay/" + b.requested(t, shops[0].live, `{"amount":1,"fields":["email"]}`)
	first := here.send(t, http.MethodGet, links[0], anonymous(), "")
	require.Equal(t, http.StatusSeeOther, first.status)
	for range 10 {
		require.Equal(t, http.StatusOK, here.send(t, http.MethodHead, links[1], anonymous(), "").status)
		require.Equal(t, http.StatusOK, here.send(t, http.MethodGet, asks, anonymous(), "").status)
		back := as{"Cookie", first.header.Get("Set-Cookie")}
		require.Equal(t, first.header.Get("Location"), here.send(t, http.MethodGet, links[0], back, "").header.Get("Location"))
	}
	for n := range 29 {
		a := here.send(t, http.MethodGet, links[(n+1)/10], anonymous(), "")
		require.Equal(t, http.StatusSeeOther, a.status, "visit %d: %s", n+2, a.body)
	}
	refused := here.send(t, http.MethodGet, links[3], anonymous(), "")
	require.Equal(t, http.StatusTooManyRequests, refused.status)
	require.Equal(t, "60", refused.header.Get("Retry-After"))
	here.button(t, shops[3]).require(t, http.StatusTooManyRequests)
	require.Equal(t, http.StatusOK, here.send(t, http.MethodGet, asks, anonymous(), "").status, "looking goes on")
	require.Equal(t, http.StatusSeeOther, b.elsewhere("127.0.1.5").send(t, http.MethodGet, links[3], anonymous(), "").status)
}

// A merchant can have as many pending charges as the operator allows, in each mode. When one
// ends, there is room for another. Other merchants are not affected.
func testPendingCap(t *testing.T, b *bench) {
	here := b.elsewhere("127.0.1.6")
	s, other := here.signup(t), here.signup(t)
	most := int32(5)
	_, err := b.operators().SetTerms(t.Context(), "cli:test", s.id, operator.Terms{PendingMax: operator.Setting[int32]{Given: true, To: &most}})
	require.NoError(t, err)
	create := func(k string) answer { return b.send(t, http.MethodPost, "/api/charges", key(k), `{"amount":1}`) }
	for range 5 {
		create(s.test).require(t, http.StatusOK)
		create(s.live).require(t, http.StatusOK)
	}
	for _, k := range []string{s.live, s.test} {
		refused := create(k).require(t, http.StatusTooManyRequests)
		require.Equal(t, "60", refused.header.Get("Retry-After"))
	}
	here.button(t, s).require(t, http.StatusTooManyRequests)
	create(other.live).require(t, http.StatusOK)
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE charges SET status = 'expired' WHERE id = (SELECT min(id) FROM charges WHERE merchant_id = $1 AND mode = 'live')", s.id)
	require.NoError(t, err)
	create(s.live).require(t, http.StatusOK)
	create(s.live).require(t, http.StatusTooManyRequests)
	most++
	_, err = b.operators().SetTerms(t.Context(), "cli:test", s.id, operator.Terms{PendingMax: operator.Setting[int32]{Given: true, To: &most}})
	require.NoError(t, err)
	create(s.live).require(t, http.StatusOK)
	_, err = b.operators().SetTerms(t.Context(), "cli:test", s.id, operator.Terms{PendingMax: operator.Setting[int32]{Given: true}})
	require.NoError(t, err)
	create(s.live).require(t, http.StatusOK)
}

// A merchant without their own limit may have 10,000.
func testStandardCap(t *testing.T, b *bench) {
	s := b.elsewhere("127.0.1.7").signup(t)
	_, err := b.store.Pool().Exec(t.Context(), "INSERT INTO pending_charges (merchant_id, mode, shard, charges) VALUES ($1, 'live', 3, 9000), ($1, 'live', 9, 999)", s.id)
	require.NoError(t, err)
	create := func() answer { return b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`) }
	create().require(t, http.StatusOK)
	create().require(t, http.StatusTooManyRequests)
}
