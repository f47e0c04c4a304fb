package swap_test

import (
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/secret"
)

// withLimits switches the rate limits of the service on. Their clock is stopped, so no window
// ends or moves during the test.
func withLimits(d *swap.Deps) {
	at, store := d.Clock(), d.Store
	d.Counter = func(bucket string) httprate.LimitCounter {
		return ratelimit.New(store, bucket, slog.New(slog.DiscardHandler),
			ratelimit.At(func() time.Time { return at }), ratelimit.Within(time.Minute))
	}
}

// from sends the requests of a test from another address of this machine.
func (b *bench) from(t *testing.T, address string) func(method, target string, headers ...header) int {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	return func(method, target string, headers ...header) int {
		req, err := http.NewRequestWithContext(t.Context(), method, b.url+target, http.NoBody)
		require.NoError(t, err)
		for _, h := range headers {
			h(req.Header)
		}
		res, err := client.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
}

// An address that creates many affiliate keys can reserve no more of the inventory than one
// client without a key. Partners are counted by key.
func TestManyKeysOfOneAddressKeepWhatOneClientMay(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t, func(d *swap.Deps) { d.Quoter.UnfundedPercent, d.Quoter.ClientPercent = 50, 20 }, withLimits)
	made := 0
	for k := range 4 {
		who := with("API-Key", b.key(t, "affiliate"))
		for n := range 7 {
			a := b.get(t, "new_trade", tradeQuery("amount_from", "20"), who, with("Idempotency-Key", strconv.Itoa(k)+"-"+strconv.Itoa(n)))
			if a.status == http.StatusCreated {
				made++
				continue
			}
			a.requireError(t, http.StatusServiceUnavailable, "route_unavailable")
			break
		}
	}
	require.Equal(t, 5, made, "a fifth of the inventory, whatever key")
	a := b.get(t, "new_trade", tradeQuery("amount_from", "20"), with("Idempotency-Key", "none"))
	a.requireError(t, http.StatusServiceUnavailable, "route_unavailable")
	target := "/api/v1/new_trade?" + tradeQuery("amount_from", "20").Encode()
	stranger := b.from(t, "127.0.0.77")
	require.Equal(t, http.StatusCreated, stranger(http.MethodGet, target, with("Idempotency-Key", "stranger"), with("API-Key", b.key(t, "affiliate"))))
	a = b.get(t, "new_trade", tradeQuery("amount_from", "20"), with("Idempotency-Key", "partner"), with("API-Key", b.key(t, "partner")))
	require.Equal(t, http.StatusCreated, a.status, "a partner at the same address: %s", a.body)
}

// Affiliate keys used from one address share the limits of one key. A partner at that address,
// and a key at another address, are not limited by them.
func TestManyKeysOfOneAddressHaveTheLimitsOfOne(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, withLimits)
	keys := make([]string, 6)
	for i := range keys {
		keys[i] = b.key(t, "affiliate")
	}
	n := 0
	write := func() answer {
		n++
		return b.get(t, "new_trade", nil, with("API-Key", keys[n%len(keys)]))
	}
	for range 30 {
		write().requireError(t, http.StatusBadRequest, "invalid_parameter")
	}
	refused := write()
	refused.requireError(t, http.StatusTooManyRequests, "rate_limit_exceeded")
	require.Equal(t, "60", refused.header.Get("Retry-After"))
	b.get(t, "new_trade", nil, with("API-Key", b.key(t, "affiliate"))).requireError(t, http.StatusTooManyRequests, "rate_limit_exceeded")
	b.get(t, "new_trade", nil, with("API-Key", b.key(t, "partner"))).requireError(t, http.StatusBadRequest, "invalid_parameter")
	require.Equal(t, http.StatusBadRequest, b.from(t, "127.0.0.77")(http.MethodGet, "/api/v1/new_trade", with("API-Key", keys[0])))
	for range 300 {
		n++
		require.Equal(t, http.StatusOK, b.get(t, "coin", nil, with("API-Key", keys[n%len(keys)])).status)
	}
	b.get(t, "coin", nil, with("API-Key", keys[0])).requireError(t, http.StatusTooManyRequests, "rate_limit_exceeded")
}

// No client can collect many keys: an address gets three in a day, and all clients that come
// through Tor together get ten times as many, on any number of circuits.
func TestAnAddressGetsFewKeysADay(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, withLimits)
	for range 3 {
		require.Regexp(t, `aff_[0-9a-f]{48}`, b.call(t, http.MethodPost, "/affiliate").body)
	}
	refused := b.call(t, http.MethodPost, "/affiliate")
	refused.requireError(t, http.StatusTooManyRequests, "rate_limit_exceeded")
	require.Equal(t, "86400", refused.header.Get("Retry-After"))
	var keys int
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM swap_keys").Scan(&keys))
	require.Equal(t, 3, keys)
	require.Equal(t, http.StatusOK, b.from(t, "127.0.0.77")(http.MethodPost, "/affiliate"), "another address")
	require.Equal(t, http.StatusOK, b.call(t, http.MethodGet, "/affiliate").status, "the page itself is shown")
}

func TestAllOfTorGetsFewKeysADay(t *testing.T) {
	t.Parallel()
	b, address := limitedOnion(t)
	made := 0
	for circuit := range 45 {
		ask := throughTorBy(t, address, circuit+1, http.MethodPost)
		if ask("/affiliate") == http.StatusOK {
			made++
		}
	}
	require.Equal(t, 30, made)
	require.Regexp(t, `aff_[0-9a-f]{48}`, b.call(t, http.MethodPost, "/affiliate").body, "clearnet is not held up")
}

// Affiliate keys used through Tor also share one limit, because a circuit costs as little as a
// key.
func TestKeysThroughTorAreCountedTogether(t *testing.T) {
	t.Parallel()
	b, address := limitedOnion(t)
	made := 0
	for circuit := range 12 {
		ask := throughTor(t, address, circuit+1)
		who := with("API-Key", b.key(t, "affiliate"))
		for ask("/api/v1/new_trade", who) == http.StatusBadRequest {
			made++
		}
	}
	require.Equal(t, 300, made, "ten clients' worth")
	require.Equal(t, http.StatusBadRequest, throughTor(t, address, 99_999)("/api/v1/new_trade", with("API-Key", b.key(t, "partner"))))
}

// Unknown keys are looked up 60 times in a minute for each address. After that the service
// refuses them without a database query. A key that was used there earlier still works, and so
// do all keys at other addresses.
func TestMadeUpSwapKeysAreNotLookedUp(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, withLimits)
	mine := b.key(t, "partner")
	require.Equal(t, http.StatusOK, b.get(t, "coin", nil, with("API-Key", mine)).status)
	counts := map[int]int{}
	for range 100 {
		counts[b.get(t, "coin", nil, with("API-Key", secret.NewSwapKey(secret.AffiliateKeyPrefix))).status]++
	}
	require.Equal(t, map[int]int{http.StatusUnauthorized: 60, http.StatusTooManyRequests: 40}, counts)
	// The requests also count as reads without a key, but not as writes.
	madeUp := with("API-Key", secret.NewSwapKey(secret.PartnerKeyPrefix))
	_, err := b.store.Pool().Exec(t.Context(), "ALTER TABLE swap_keys RENAME TO away")
	require.NoError(t, err)
	refused := b.get(t, "new_trade", nil, madeUp)
	refused.requireError(t, http.StatusTooManyRequests, "rate_limit_exceeded")
	require.Equal(t, "60", refused.header.Get("Retry-After"))
	require.Equal(t, http.StatusInternalServerError, b.from(t, "127.0.0.77")(http.MethodGet, "/api/v1/coin", with("API-Key", mine)), "it is asked elsewhere")
	_, err = b.store.Pool().Exec(t.Context(), "ALTER TABLE away RENAME TO swap_keys")
	require.NoError(t, err)

	require.Equal(t, http.StatusOK, b.get(t, "coin", nil, with("API-Key", mine)).status, "who is known there goes on")
}

// The last use of a key is stored once a day, not with every request.
func TestUseOfAKeyIsNotedByDay(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	key := with("API-Key", b.key(t, "affiliate"))
	used := func() (at time.Time) {
		require.Equal(t, http.StatusOK, b.get(t, "coin", nil, key).status)
		require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT last_used_at FROM swap_keys").Scan(&at))
		return at
	}
	first := used()
	require.Equal(t, first, used())
	b.ahead.Add(int64(25 * time.Hour))
	require.True(t, used().After(first))
}
