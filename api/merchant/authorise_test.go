package merchant_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/secret"
)

// attempt is a call that must be refused.
type attempt struct {
	name string
	who  as
	want int
}

// signed returns a session token with these claims.
func signed(t *testing.T, method jwt.SigningMethod, signingKey any, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, claims).SignedString(signingKey)
	require.NoError(t, err)
	return token
}

// badTokens returns invalid session tokens for the shop.
func (b *bench) badTokens(t *testing.T, s shop) map[string]string {
	t.Helper()
	now := b.clock.Now()
	claims := func(change map[string]any) jwt.MapClaims {
		c := jwt.MapClaims{"sub": s.id, "ver": 1, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "jti": rand.Text()}
		m, err := b.store.GetMerchant(t.Context(), s.id)
		require.NoError(t, err)
		c["ver"] = m.TokenVersion
		for name, value := range change {
			if value == nil {
				delete(c, name)
			} else {
				c[name] = value
			}
		}
		return c
	}
	ours := []byte(strings.Repeat("k", 32))
	old, err := account.NewTokens(ours, func() time.Time { return now.Add(-account.TokenLife) })
	require.NoError(t, err)
	m, err := b.store.GetMerchant(t.Context(), s.id)
	require.NoError(t, err)
	expired, err := old.Issue(account.Session{MerchantID: s.id, Version: m.TokenVersion})
	require.NoError(t, err)
	hs := jwt.SigningMethodHS256
	good := session(signed(t, hs, ours, claims(nil)))
	b.send(t, http.MethodGet, "/api/auth/me", good, "").require(t, http.StatusOK, "the others differ from it in one thing")
	return map[string]string{
		"expired":          expired,
		"of another key":   signed(t, hs, []byte(strings.Repeat("x", 32)), claims(nil)),
		"unsigned":         signed(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, claims(nil)),
		"another method":   signed(t, jwt.SigningMethodHS512, ours, claims(nil)),
		"without an end":   signed(t, hs, ours, claims(map[string]any{"exp": nil})),
		"from the future":  signed(t, hs, ours, claims(map[string]any{"iat": now.Add(time.Hour).Unix()})),
		"of nobody":        signed(t, hs, ours, claims(map[string]any{"sub": nil})),
		"of an unknown":    signed(t, hs, ours, claims(map[string]any{"sub": secret.NewMerchantID()})),
		"of a past login":  signed(t, hs, ours, claims(map[string]any{"ver": m.TokenVersion - 1})),
		"changed":          s.token[:len(s.token)-6] + "AAAAAA",
		"two thirds":       s.token[:strings.LastIndexByte(s.token, '.')],
		"a text":           "x",
		"nothing":          "",
		"with a line":      s.token + ".x",
		"named by its key": secret.NewSecret(),
	}
}

// badKeys returns invalid API keys; dead is one that was replaced.
func badKeys(live, dead string) map[string]string {
	return map[string]string{
		"nothing": "", "unknown": secret.NewAPIKey(true), "dead": dead, "in upper case": strings.ToUpper(live),
		"of the other prefix": strings.Replace(live, "cm_live_", "cm_test_", 1), "too short": live[:len(live)-1],
		"too long": live + "0", "without prefix": live[len("cm_live_"):], "followed by another": live + "," + live,
	}
}

// refusals returns all attempts that must be refused because of the credential alone.
func (b *bench) refusals(t *testing.T, o operation, s, suspended belongings, dead string, tokens map[string]string) []attempt {
	t.Helper()
	all := []attempt{
		{"no credential", anonymous(), http.StatusUnauthorized},
		{"a suspended merchant", suspended.merchantCredential(o), http.StatusForbidden},
		{"basic", as{"Authorization", "Basic " + s.token}, http.StatusUnauthorized},
		{"no scheme", as{"Authorization", s.token}, http.StatusUnauthorized},
		{"a key as a token", session(s.live), http.StatusUnauthorized},
		{"a token as a key", key(s.token), http.StatusUnauthorized},
	}
	if o.kind == keyKind {
		all = append(all, attempt{"a session instead of a key", session(s.token), http.StatusUnauthorized})
		for name, value := range badKeys(s.live, dead) {
			all = append(all, attempt{"key: " + name, key(value), http.StatusUnauthorized})
		}
		return all
	}
	all = append(all, attempt{"a key instead of a session", key(s.live), http.StatusUnauthorized})
	for name, value := range tokens {
		all = append(all, attempt{"token: " + name, session(value), http.StatusUnauthorized})
	}
	if o.admin() {
		all = append(all, attempt{"a merchant who is not an operator", session(s.token), http.StatusForbidden})
	}
	return all
}

// foreign returns attempts to reach another merchant's resources, which must not be found.
func foreign(t *testing.T, o operation, s, other belongings) []attempt {
	t.Helper()
	if !o.owned() || o.kind == "" || o.admin() {
		return nil
	}
	all := []attempt{{"another merchant", other.credential(t, o), http.StatusNotFound}}
	if o.kind == keyKind && !sampleOf(t, o, s).anyMode {
		mode := attempt{"the other mode", key(s.test), http.StatusNotFound}
		if o.inSandbox() {
			mode = attempt{"the other mode", key(s.live), http.StatusForbidden}
		}
		all = append(all, mode)
	}
	return all
}

func TestEveryOperationRefusesOtherCredentialsAndChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other, suspended := b.own(t), b.own(t), b.own(t)
	b.suspend(t, suspended.shop)
	dead := s.live
	s.live = b.send(t, http.MethodPost, "/api/account/keys/regenerate", session(s.token), `{"type":"production"}`).require(t, http.StatusOK).text(t, "apiKey")
	tokens := b.badTokens(t, s.shop)
	checked := 0
	for _, o := range operations(document()) {
		if o.kind == "" {
			continue
		}
		before := b.digest(t)
		body := sampleOf(t, o, s).body
		for _, a := range append(b.refusals(t, o, s, suspended, dead, tokens), foreign(t, o, s, other)...) {
			got := b.send(t, o.Method, s.pathOf(t, o), a.who, body).require(t, a.want, o, a.name)
			require.Len(t, got.header.Get("X-Request-Id"), 24)
			otherMode := a.name == "the other mode" && a.want == http.StatusNotFound
			require.Equal(t, otherMode, strings.Contains(got.body, "it exists in live mode"), "%s: only its owner learns that it exists: %s", o, got.body)
			o.documented(t, got.status)
			checked++
		}
		require.Equal(t, before, b.digest(t), "%s: a refused call has changed something", o)
	}
	require.Greater(t, checked, 300)
}

func TestSuspendedOwnersThingsAreRefusedBeforeTheyAreLookedUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, suspended := b.own(t), b.own(t)
	b.suspend(t, suspended.shop)
	for _, o := range operations(document()) {
		if o.kind != "" && o.owned() && !o.admin() {
			b.send(t, o.Method, s.pathOf(t, o), suspended.credential(t, o), sampleOf(t, o, s).body).require(t, http.StatusForbidden, o)
		}
	}
}

func TestUnknownIdentifiersAreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	for _, o := range operations(document()) {
		if !o.owned() {
			continue
		}
		body, before := sampleOf(t, o, s).body, b.digest(t)
		for _, id := range []string{
			"ch_0123456789abcdef01234567", "pr_0123456789abcdef01234567", "wh_0123456789abcdef01234567", "whd_0123456789abcdef01234567",
			"x", "%00", "%ff", "%2e%2e", "'", "ch_0123456789ABCDEF01234567", "wh_" + strings.Repeat("a", 2000), "null", "%F0%9F%98%80",
		} {
			path := parameter.ReplaceAllLiteralString(o.Path, id)
			b.send(t, o.Method, path, s.credential(t, o), body).require(t, http.StatusNotFound, o, id)
		}
		require.Equal(t, before, b.digest(t), "%s", o)
	}
}

func TestPublicOperationsIgnoreCredentials(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, o := range operations(document()) {
		if o.kind != "" || !strings.HasPrefix(o.Path, "/api/") {
			continue
		}
		for _, who := range []as{anonymous(), key("x"), session("x"), {"Authorization", "Basic eDp5"}} {
			s := b.own(t)
			a := b.send(t, o.Method, s.pathOf(t, o), who, sampleOf(t, o, s).ready(t, b, s))
			require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, a.status, "%s: %s", o, a.body)
		}
	}
}

// digest returns a digest of every table's content by the table's name, without the counts of
// the rate limits.
func (b *bench) digest(t *testing.T) map[string]string {
	t.Helper()
	// Refused actions of people are recorded too, so the table actions is left out.
	names := rowsOf[string](t, b, "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('rate_counts', 'actions') ORDER BY 1")
	require.Greater(t, len(names), 15)
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("SELECT '%s ' || count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM %s t",
			name, pgx.Identifier{name}.Sanitize())
	}
	all := map[string]string{}
	for _, line := range rowsOf[string](t, b, strings.Join(parts, " UNION ALL ")) {
		name, content, _ := strings.Cut(line, " ")
		all[name] = content
	}
	return all
}

func rowsOf[T any](t *testing.T, b *bench, sql string) []T {
	t.Helper()
	rows, err := b.store.Pool().Query(context.WithoutCancel(t.Context()), sql)
	require.NoError(t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[T])
	require.NoError(t, err)
	return all
}
