package merchant_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/secret"
)

func TestPayoutAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	put := func(body string) answer {
		return b.send(t, http.MethodPut, "/api/account/payout", session(s.token), body)
	}
	me := func(field string) any {
		return b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK).field(t, "merchant."+field)
	}
	require.Equal(t, false, me("hasPayoutAddress"))
	require.Nil(t, me("payoutAddress"))
	for _, bad := range []string{
		"", "x", payoutAddress + "a", payoutAddress[:94], payoutAddress[:94] + "v", "5" + payoutAddress[1:], " " + payoutAddress, strings.Repeat("4", 95),
	} {
		put(fmt.Sprintf(`{"address":%q}`, bad)).require(t, http.StatusBadRequest, bad)
	}
	for _, bad := range []string{`{}`, `{"address":null}`, `{"address":1}`} {
		put(bad).require(t, http.StatusBadRequest, bad)
	}
	for _, good := range []string{payoutAddress, subaddress} {
		a := put(fmt.Sprintf(`{"address":%q}`, good)).require(t, http.StatusOK)
		masked := good[:6] + "…" + good[89:]
		require.Equal(t, true, a.field(t, "ok"))
		require.Equal(t, masked, a.text(t, "payoutAddress"))
		require.Equal(t, masked, me("payoutAddress"))
		row, err := b.store.GetMerchant(t.Context(), s.id)
		require.NoError(t, err)
		require.NotContains(t, string(row.PayoutAddressSealed), good[:10])
		plain, err := b.box.Unseal(row.PayoutAddressSealed, secret.AD{Table: "merchants", Column: "payout_address", ID: s.id})
		require.NoError(t, err)
		require.Equal(t, good, string(plain))
	}
	require.Equal(t, true, me("hasPayoutAddress"))
}

func TestRegeneratedKeyReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for kind, old := range map[string]string{"production": s.live, "sandbox": s.test} {
		a := b.send(t, http.MethodPost, "/api/account/keys/regenerate", session(s.token), fmt.Sprintf(`{"type":%q}`, kind)).require(t, http.StatusOK)
		fresh := a.text(t, "apiKey")
		require.Equal(t, kind, a.text(t, "type"))
		require.Equal(t, old[:8], fresh[:8])
		b.send(t, http.MethodGet, "/api/charges", key(old), "").require(t, http.StatusUnauthorized)
		b.send(t, http.MethodGet, "/api/charges", key(fresh), "").require(t, http.StatusOK)
		shown := b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").text(t, "merchant.apiKeys."+kind+".prefix")
		require.True(t, strings.HasPrefix(fresh, shown))
	}
	for _, body := range []string{`{}`, `{"type":"live"}`, `{"type":null}`, `{"type":1}`} {
		b.send(t, http.MethodPost, "/api/account/keys/regenerate", session(s.token), body).require(t, http.StatusBadRequest, body)
	}
}

func TestMeShowsTheAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	a := b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK)
	require.Equal(t, s.email, a.text(t, "merchant.email"))
	require.Equal(t, s.id, a.text(t, "merchant.merchant_id"))
	for _, name := range []string{
		"id", "businessName", "contact", "emailVerified", "twoFactorEnabled", "reportingEnabled", "reportingCurrency", "feeRate",
		"autoSwap.enabled", "autoSwap.currency", "autoSwap.address", "apiKeys.production.createdAt", "apiKeys.sandbox.prefix", "createdAt",
	} {
		a.field(t, "merchant."+name)
	}
	require.NotContains(t, a.body, s.live)
}

func TestEmailsAndKeysAreNotStoredInTheClear(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.HashMemory = 0 })
	s := b.signup(t)
	var dump string
	err := b.store.Pool().QueryRow(t.Context(), "SELECT (SELECT json_agg(m) FROM merchants m)::text || (SELECT json_agg(k) FROM api_keys k)::text").Scan(&dump)
	require.NoError(t, err)
	require.Contains(t, dump, s.id)
	require.Contains(t, dump, fmt.Sprintf("$argon2id$v=19$m=%d,t=2,p=1$", account.HashMemory), "what guards passwords unless somebody says otherwise")
	for _, hidden := range []string{s.email, s.live, s.test, password} {
		require.NotContains(t, dump, hidden)
		require.NotContains(t, dump, fmt.Sprintf("%x", hidden))
	}
}
