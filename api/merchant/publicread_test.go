package merchant_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
)

// holding returns the header of a client that already has answers with these tags.
func holding(tags string) as { return as{"If-None-Match", tags} }

// TestAPublicReadIsAnsweredOnlyWhereItChanged lets clients that have an answer ask again. They
// get a body if, and only if, the answer has changed.
func TestAPublicReadIsAnsweredOnlyWhereItChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	ends := b.clock.Now().Add(time.Minute)
	id := b.charge(t, s, config.Live)
	path := "/api/charges/" + id + "/public"
	first := b.send(t, http.MethodGet, path, anonymous(), "").require(t, http.StatusOK)
	tag := first.header.Get("ETag")
	require.Regexp(t, `^"[A-Za-z0-9_-]{22}"$`, tag)
	require.Equal(t, "private, no-cache", first.header.Get("Cache-Control"))
	require.Equal(t, "application/json", first.header.Get("Content-Type"))

	for _, tags := range []string{tag, "W/" + tag, `"another", ` + tag, "*", `"another",W/` + tag + `,"third"`} {
		same := b.send(t, http.MethodGet, path, holding(tags), "").require(t, http.StatusNotModified, tags)
		require.Empty(t, same.body)
		require.Equal(t, tag, same.header.Get("ETag"))
	}
	for _, tags := range []string{`"another"`, `""`, ",", `W/`, tag[:len(tag)-2] + `"`} {
		require.Equal(t, first.body, b.send(t, http.MethodGet, path, holding(tags), "").require(t, http.StatusOK, tags).body)
	}
	require.Equal(t, http.StatusNotModified, b.send(t, http.MethodHead, path, holding(tag), "").status)

	b.payment(t, s, id)
	paid := b.send(t, http.MethodGet, path, holding(tag), "").require(t, http.StatusOK, "a payment was seen")
	require.NotEqual(t, tag, paid.header.Get("ETag"))
	require.NotEqual(t, first.body, paid.body)

	// A link can expire without any other change, and then the cached answer is no longer valid.
	short := "/api/charges/" + b.charge(t, s, config.Live, func(p *db.InsertChargeParams) { p.LinkExpiresAt = &ends }) + "/public"
	held := b.send(t, http.MethodGet, short, anonymous(), "").require(t, http.StatusOK).header.Get("ETag")
	b.clock.advance(time.Minute - time.Millisecond)
	b.send(t, http.MethodGet, short, holding(held), "").require(t, http.StatusNotModified)
	b.clock.advance(time.Millisecond)
	gone := b.send(t, http.MethodGet, short, holding(held), "").require(t, http.StatusGone)
	require.Empty(t, gone.header.Get("ETag"))
	require.Equal(t, "no-store", gone.header.Get("Cache-Control"))
	b.send(t, http.MethodGet, "/api/charges/ch_0123456789abcdef01234567/public", holding("*"), "").require(t, http.StatusNotFound)
}
