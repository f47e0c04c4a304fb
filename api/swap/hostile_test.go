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

// withLimits switches the rate limits on, as they are served. Their clock
// stands still: no window ends or slides meanwhile.
func withLimits(d *swap.Deps) {
	at, store := d.Clock(), d.Store
	d.Counter = func(bucket string) httprate.LimitCounter {
		return ratelimit.New(store, bucket, slog.New(slog.DiscardHandler),
			ratelimit.At(func() time.Time { return at }), ratelimit.Within(time.Minute))
	}
}

// from makes the requests of a test from another address of this machine.
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

// An address that makes keys for affiliates takes no more of the inventory with
// all of them than without any. Partners count by their key.
func TestManyKeysOfOneAddressKeepWhatOneClientMay(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t, func(d *swap.Deps) { d.Quoter.UnfundedPercent, d.Quoter.ClientPercent = 50, 20 }, withLimits)
	made := 0
	for k := range 4 {
		who := with("API-Key", b.key(t, "affiliate"))
		for n := range 7 {
			a := b.get(t, "new_trade", wanted("amount_from", "20"), who, with("Idempotency-Key", strconv.Itoa(k)+"-"+strconv.Itoa(n)))
			if a.status == http.StatusCreated {
				made++
				continue
			}
			a.requireError(t, http.StatusServiceUnavailable, "route_unavailable")
			break
		}
	}
	require.Equal(t, 5, made, "a fifth of the inventory, whatever key")
	a := b.get(t, "new_trade", wanted("amount_from", "20"), with("Idempotency-Key", "none"))
	a.requireError(t, http.StatusServiceUnavailable, "route_unavailable")
	target := "/api/v1/new_trade?" + wanted("amount_from", "20").Encode()
	stranger := b.from(t, "127.0.0.77")
	require.Equal(t, http.StatusCreated, stranger(http.MethodGet, target, with("Idempotency-Key", "stranger"), with("API-Key", b.key(t, "affiliate"))))
	a = b.get(t, "new_trade", wanted("amount_from", "20"), with("Idempotency-Key", "partner"), with("API-Key", b.key(t, "partner")))
	require.Equal(t, http.StatusCreated, a.status, "a partner at the same address: %s", a.body)
}

// Keys of affiliates have the limits of one key together where they come from
// one address. A partner there, and a key elsewhere, are not held up.
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

// Nobody makes a stock of keys: an address gets three in a day, and what comes
// through Tor ten times as many together, however many circuits it opens.
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

// Keys of affiliates that come through Tor are bounded together as well: a
// circuit costs as little as a key.
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

// Keys that do not exist are looked up 60 times in a minute for an address, and
// then no more: the database does not see them. A key that was used there
// before goes on, and so does everybody elsewhere.
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
	// Reads without a key are used up, too; writes are not.
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

// The note of a key's use is written once a day, not with every request.
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
