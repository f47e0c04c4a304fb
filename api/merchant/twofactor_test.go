package merchant_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/secret"
)

// guarded is a shop with two-factor authentication on.
type guarded struct {
	shop
	secret string
	backup []string
}

// later is long enough for all codes used so far to expire.
const later = 2 * time.Minute

// guard signs a shop up and turns two-factor authentication on.
func (b *bench) guard(t *testing.T) guarded {
	t.Helper()
	return b.guardOf(t, b.signup(t))
}

// guardOf turns two-factor authentication on for a shop.
func (b *bench) guardOf(t *testing.T, s shop) guarded {
	t.Helper()
	g := guarded{shop: s}
	setup := b.send(t, http.MethodPost, "/api/auth/2fa/setup", session(g.token), "").require(t, http.StatusOK)
	g.secret = setup.text(t, "secret")
	codes, ok := setup.field(t, "backupCodes").([]any)
	require.True(t, ok)
	for _, c := range codes {
		g.backup = append(g.backup, c.(string))
	}
	a := b.send(t, http.MethodPost, "/api/auth/2fa/verify", session(g.token), fmt.Sprintf(`{"code":%q}`, b.code(t, g.secret, 0)))
	require.Equal(t, true, a.require(t, http.StatusOK).field(t, "enabled"))
	b.clock.advance(later)
	return g
}

// code returns the code that an authenticator shows at the time off from now.
func (b *bench) code(t *testing.T, secret string, off time.Duration) string {
	t.Helper()
	c, err := totp.GenerateCode(secret, b.now().Add(off))
	require.NoError(t, err)
	return c
}

// wrongCode returns a code that is not valid at any time near now.
func (b *bench) wrongCode(t *testing.T, secret string) string {
	t.Helper()
	near := map[string]bool{}
	for off := -3; off <= 3; off++ {
		near[b.code(t, secret, time.Duration(off)*30*time.Second)] = true
	}
	for n := 0; ; n++ {
		if c := fmt.Sprintf("%06d", n); !near[c] {
			return c
		}
	}
}

// loginWith logs in with a second factor: "totp_code" or "backup_code".
func (b *bench) loginWith(t *testing.T, g guarded, kind, code string) answer {
	t.Helper()
	return b.send(t, http.MethodPost, "/api/auth/login", anonymous(), fmt.Sprintf(`{"email":%q,"password":%q,%q:%q}`, g.email, password, kind, code))
}

func TestTwoFactorEnrolment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	post := func(path, body string) answer { return b.send(t, http.MethodPost, path, session(s.token), body) }
	status := func() string {
		return strings.TrimSpace(b.send(t, http.MethodGet, "/api/auth/2fa/status", session(s.token), "").require(t, http.StatusOK).body)
	}
	require.JSONEq(t, `{"enabled":false,"backupCodesLeft":0}`, status())
	post("/api/auth/2fa/verify", `{"code":"123456"}`).require(t, http.StatusBadRequest, "nothing was set up")
	post("/api/auth/2fa/disable", `{"code":"123456"}`).require(t, http.StatusBadRequest, "nothing to disable")

	first := post("/api/auth/2fa/setup", "").require(t, http.StatusOK)
	second := post("/api/auth/2fa/setup", "").require(t, http.StatusOK)
	key := second.text(t, "secret")
	require.NotEqual(t, first.text(t, "secret"), key)
	require.Len(t, second.field(t, "backupCodes"), 10)
	uri, err := otp.NewKeyFromURL(scan(t, second.text(t, "qrCode")))
	require.NoError(t, err)
	require.Equal(t, key, uri.Secret())
	require.Equal(t, "Durapay", uri.Issuer())
	require.Equal(t, s.email, uri.AccountName())
	require.JSONEq(t, `{"enabled":false,"backupCodesLeft":0}`, status())
	b.login(t, s.email, password).require(t, http.StatusOK).text(t, "token")

	for _, body := range []string{`{}`, `{"code":""}`, `{"code":null}`, `{"code":123456}`} {
		post("/api/auth/2fa/verify", body).require(t, http.StatusBadRequest, body)
	}
	post("/api/auth/2fa/verify", fmt.Sprintf(`{"code":%q}`, b.code(t, first.text(t, "secret"), 0))).require(t, http.StatusForbidden, "the replaced secret")
	code := b.code(t, key, 0)
	require.JSONEq(t, `{"enabled":true}`, post("/api/auth/2fa/verify", fmt.Sprintf(`{"code":%q}`, code)).require(t, http.StatusOK).body)
	require.JSONEq(t, `{"enabled":true,"backupCodesLeft":10}`, status())
	require.Equal(t, true, b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").field(t, "merchant.twoFactorEnabled"))
	post("/api/auth/2fa/setup", "").require(t, http.StatusBadRequest, "enabled already")
	post("/api/auth/2fa/verify", fmt.Sprintf(`{"code":%q}`, b.code(t, key, 30*time.Second))).require(t, http.StatusBadRequest, "enabled already")

	row, err := b.store.GetMerchant(t.Context(), s.id)
	require.NoError(t, err)
	require.NotContains(t, string(row.TotpSecretSealed), key)
	plain, err := b.box.Unseal(row.TotpSecretSealed, secret.AD{Table: "merchants", Column: "totp_secret", ID: s.id})
	require.NoError(t, err)
	require.Equal(t, key, string(plain))
}

// scan returns the text of a QR code.
func scan(t *testing.T, dataURL string) string {
	t.Helper()
	encoded, ok := strings.CutPrefix(dataURL, "data:image/png;base64,")
	require.True(t, ok)
	raw, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	image, err := png.Decode(bytes.NewReader(raw))
	require.NoError(t, err)
	bitmap, err := gozxing.NewBinaryBitmapFromImage(image)
	require.NoError(t, err)
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true})
	require.NoError(t, err)
	return result.GetText()
}

func TestLoginWithASecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.guard(t)
	require.JSONEq(t, `{"requires_2fa":true}`, b.login(t, g.email, password).require(t, http.StatusOK).body)
	require.JSONEq(t, `{"requires_2fa":true}`, b.loginWith(t, g, "totp_code", "").require(t, http.StatusOK).body)
	wrong := b.login(t, g.email, "wrong").require(t, http.StatusUnauthorized)
	unknown := b.login(t, "unknown@example.com", "wrong").require(t, http.StatusUnauthorized)
	require.Equal(t, unknown.body, wrong.body, "two-factor authentication shows to who has the password only")
	b.send(t, http.MethodPost, "/api/auth/login", anonymous(), fmt.Sprintf(`{"email":%q,"password":"wrong","totp_code":%q}`, g.email, b.code(t, g.secret, 0))).
		require(t, http.StatusUnauthorized)

	for off, want := range map[time.Duration]int{
		-60 * time.Second: http.StatusUnauthorized, -30 * time.Second: http.StatusOK, 0: http.StatusOK,
		30 * time.Second: http.StatusOK, 60 * time.Second: http.StatusUnauthorized,
	} {
		b.loginWith(t, g, "totp_code", b.code(t, g.secret, off)).require(t, want, off)
	}
	b.loginWith(t, g, "totp_code", b.code(t, g.secret, 0)).require(t, http.StatusUnauthorized, "a code works once")
	b.clock.advance(later)
	a := b.loginWith(t, g, "totp_code", b.code(t, g.secret, 0)).require(t, http.StatusOK)
	b.send(t, http.MethodGet, "/api/auth/me", session(a.text(t, "token")), "").require(t, http.StatusOK)
	require.Equal(t, g.email, a.text(t, "merchant.email"))
}

func TestBackupCodesWorkOnceEach(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g, other := b.guard(t), b.guard(t)
	b.loginWith(t, g, "backup_code", other.backup[0]).require(t, http.StatusUnauthorized)
	b.loginWith(t, g, "backup_code", g.backup[0]).require(t, http.StatusOK)
	b.loginWith(t, g, "backup_code", g.backup[0]).require(t, http.StatusUnauthorized)
	b.loginWith(t, g, "backup_code", strings.ToUpper(strings.ReplaceAll(g.backup[1], "-", " "))).require(t, http.StatusOK, "as people write it")
	require.JSONEq(t, `{"enabled":true,"backupCodesLeft":8}`, b.send(t, http.MethodGet, "/api/auth/2fa/status", session(g.token), "").body)
	b.loginWith(t, other, "backup_code", other.backup[0]).require(t, http.StatusOK)

	var dump string
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT (SELECT json_agg(c) FROM backup_codes c)::text").Scan(&dump))
	require.NotContains(t, dump, fmt.Sprintf("%x", g.backup[2]))
	require.NotContains(t, dump, fmt.Sprintf("%x", strings.ReplaceAll(g.backup[2], "-", "")))
}

// atOnce sends the same request several times at once. The test holds the merchant's row until
// all requests wait for it. atOnce returns how many requests got each status.
func (b *bench) atOnce(t *testing.T, merchantID string, times int, request func() answer) map[int]int {
	t.Helper()
	held, err := b.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer held.Rollback(context.WithoutCancel(t.Context())) // for the case that the test fails earlier
	_, err = held.Exec(t.Context(), "SELECT 1 FROM merchants WHERE merchant_id = $1 FOR UPDATE", merchantID)
	require.NoError(t, err)
	counts := map[int]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range times {
		all.Go(func() {
			status := request().status
			mu.Lock()
			defer mu.Unlock()
			counts[status]++
		})
	}
	pgtest.AwaitBlocked(t, b.store, held, times)
	require.NoError(t, held.Rollback(t.Context()))
	all.Wait()
	return counts
}

// TestOneCodeOfTwoLogins sends one code several times at once. Only one login succeeds.
func TestOneCodeOfTwoLogins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for kind, code := range map[string]func(guarded) string{
		"totp_code":   func(g guarded) string { return b.code(t, g.secret, 0) },
		"backup_code": func(g guarded) string { return g.backup[3] },
	} {
		g := b.guard(t)
		once := code(g)
		counts := b.atOnce(t, g.id, 4, func() answer { return b.loginWith(t, g, kind, once) })
		require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusUnauthorized: 3}, counts, kind)
	}
}

// TestAPasswordAloneDoesNotClearFailedCodes checks that a correct password alone does not reset
// the count of failures. Otherwise a person who knows the password could guess at codes without
// end.
func TestAPasswordAloneDoesNotClearFailedCodes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.guard(t)
	for n := range account.MaxFailures {
		require.JSONEq(t, `{"requires_2fa":true}`, b.login(t, g.email, password).require(t, http.StatusOK, n).body)
		kind := map[bool]string{true: "totp_code", false: "backup_code"}[n%2 == 0]
		b.loginWith(t, g, kind, b.wrongCode(t, g.secret)).require(t, http.StatusUnauthorized, n)
	}
	a := b.loginWith(t, g, "totp_code", b.code(t, g.secret, 0)).require(t, http.StatusLocked)
	require.Equal(t, "900", a.header.Get("Retry-After"))
	b.login(t, g.email, password).require(t, http.StatusLocked)
	b.clock.advance(account.LockTime)
	b.loginWith(t, g, "totp_code", b.code(t, g.secret, 0)).require(t, http.StatusOK)
}

// TestGuessesAtOnceDoNotOutrunTheLock sends more wrong codes at once than are allowed.
func TestGuessesAtOnceDoNotOutrunTheLock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.guard(t)
	body := fmt.Sprintf(`{"type":"sandbox","totp_code":%q}`, b.wrongCode(t, g.secret))
	counts := b.atOnce(t, g.id, account.MaxFailures+1, func() answer {
		return b.send(t, http.MethodPost, "/api/account/keys/regenerate", session(g.token), body)
	})
	require.Equal(t, map[int]int{http.StatusForbidden: account.MaxFailures, http.StatusLocked: 1}, counts)
}

func TestWrongCodesCountForTheAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	shops := []guarded{b.guard(t), b.guard(t), b.guard(t), b.guard(t), b.guard(t)}
	for n := range account.MaxIPFailures {
		g := shops[n%len(shops)]
		b.loginWith(t, g, "totp_code", b.wrongCode(t, g.secret)).require(t, http.StatusUnauthorized, n)
	}
	b.loginWith(t, shops[0], "totp_code", b.code(t, shops[0].secret, 0)).require(t, http.StatusForbidden)
}

func TestCodeOnChangesOfTheAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.guard(t)
	for _, c := range []struct{ method, path, body string }{
		{http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q`, payoutAddress)},
		{http.MethodPost, "/api/account/keys/regenerate", `{"type":"production"`},
		{http.MethodPut, "/api/merchants/auto-swap", fmt.Sprintf(`{"enabled":true,"currency":"ltc","address":%q`, litecoinAddress)},
		{http.MethodPut, "/api/merchants/auto-swap", `{"enabled":false`},
		{http.MethodPut, "/api/account/refunds", `{"auto_up_to_xmr":0.1`},
	} {
		send := func(code string) answer {
			return b.send(t, c.method, c.path, session(g.token), c.body+code+"}")
		}
		for _, missing := range []string{"", `,"totp_code":""`, `,"totp_code":null`, `,"totp_code":123456`} {
			send(missing).require(t, http.StatusBadRequest, c.path, missing)
		}
		for _, wrong := range []string{b.wrongCode(t, g.secret), "abc", g.backup[0]} {
			send(fmt.Sprintf(`,"totp_code":%q`, wrong)).require(t, http.StatusForbidden, c.path, wrong)
		}
		good := b.code(t, g.secret, 0)
		b.send(t, c.method, c.path, session(g.token), fmt.Sprintf(`{"totp_code":%q}`, good)).require(t, http.StatusBadRequest, "a bad request burns no code")
		send(fmt.Sprintf(`,"totp_code":%q`, good)).require(t, http.StatusOK, c.path)
		send(fmt.Sprintf(`,"totp_code":%q`, good)).require(t, http.StatusForbidden, c.path, "used")
		b.clock.advance(later)
		send(fmt.Sprintf(`,"totp_code":%q`, b.code(t, g.secret, 0))).require(t, http.StatusOK, c.path, "which ends the row of failures")
		b.clock.advance(later)
	}
	b.send(t, http.MethodGet, "/api/charges", key(g.live), "").require(t, http.StatusUnauthorized, "the key was replaced")

	wrong := fmt.Sprintf(`{"type":"sandbox","totp_code":%q}`, b.wrongCode(t, g.secret))
	for range account.MaxFailures {
		b.send(t, http.MethodPost, "/api/account/keys/regenerate", session(g.token), wrong).require(t, http.StatusForbidden)
	}
	right := fmt.Sprintf(`{"address":%q,"totp_code":%q}`, payoutAddress, b.code(t, g.secret, 0))
	locked := b.send(t, http.MethodPut, "/api/account/payout", session(g.token), right).require(t, http.StatusLocked, "guesses are limited")
	require.Equal(t, "900", locked.header.Get("Retry-After"))
	b.send(t, http.MethodPut, "/api/account/email", session(g.token), fmt.Sprintf(`{"email":%q,"password":%q}`, g.email, password)).require(t, http.StatusOK)
	b.send(t, http.MethodPut, "/api/account/payout", session(g.token), right).require(t, http.StatusLocked, "a right password clears no guesses at codes")
	b.send(t, http.MethodGet, "/api/charges", key(g.test), "").require(t, http.StatusOK, "the sandbox key was not replaced")
	b.loginWith(t, g, "totp_code", b.code(t, g.secret, 0)).require(t, http.StatusOK, "a login is counted apart")
}

func TestTwoFactorIsDisabledWithACode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, code := range map[string]func(guarded) string{
		"TOTP":        func(g guarded) string { return b.code(t, g.secret, 0) },
		"backup code": func(g guarded) string { return g.backup[0] },
	} {
		g := b.guard(t)
		disable := func(body string) answer {
			return b.send(t, http.MethodPost, "/api/auth/2fa/disable", session(g.token), body)
		}
		for _, body := range []string{`{}`, `{"code":""}`, `{"code":1}`} {
			disable(body).require(t, http.StatusBadRequest, body)
		}
		disable(fmt.Sprintf(`{"code":%q}`, b.wrongCode(t, g.secret))).require(t, http.StatusForbidden)
		disable(`{"code":"abcd-efgh-2345-ijkl"}`).require(t, http.StatusForbidden)
		disable(fmt.Sprintf(`{"code":%q}`, code(g))).require(t, http.StatusOK, name)
		require.JSONEq(t, `{"enabled":false,"backupCodesLeft":0}`, b.send(t, http.MethodGet, "/api/auth/2fa/status", session(g.token), "").body)
		b.login(t, g.email, password).require(t, http.StatusOK).text(t, "token")
		again := b.send(t, http.MethodPost, "/api/auth/2fa/setup", session(g.token), "").require(t, http.StatusOK)
		require.NotEqual(t, g.secret, again.text(t, "secret"))
	}
}
