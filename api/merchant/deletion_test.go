package merchant_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
)

func (b *bench) deleteAccount(t *testing.T, s shop, password string) answer {
	t.Helper()
	return b.send(t, http.MethodPost, "/api/account/delete", session(s.token), fmt.Sprintf(`{"password":%q}`, password))
}

func (b *bench) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// payment inserts a payment of one XMR for a charge, as the watcher would.
func (b *bench) payment(t *testing.T, s shop, chargeID string) {
	t.Helper()
	c, err := b.store.Charge(t.Context(), chargeID, b.clock.Now())
	require.NoError(t, err)
	require.NoError(t, b.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
		WalletID: c.Charge.WalletID, TxHash: chargeID, SubaddressIndex: c.Charge.SubaddressIndex, ChargeID: &chargeID, MerchantID: &s.id,
		Amount: money.OneXMR, Outputs: 1, FirstSeenAt: b.clock.Now(),
	}))
}

func TestDeletionWaitsForMoney(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	b.send(t, http.MethodPost, "/api/account/delete", session(s.token), `{}`).require(t, http.StatusBadRequest)
	b.deleteAccount(t, s, "").require(t, http.StatusBadRequest)
	b.deleteAccount(t, s, "wrong").require(t, http.StatusForbidden)

	id := b.charge(t, s, config.Live)
	b.payment(t, s, id)
	require.Contains(t, b.deleteAccount(t, s, password).require(t, http.StatusBadRequest).body, "being confirmed")
	b.exec(t, "UPDATE charges SET status = 'expired' WHERE id = $1", id)
	b.deleteAccount(t, s, password).require(t, http.StatusBadRequest, "it may still confirm late")
	b.exec(t, "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", id)
	require.Contains(t, b.deleteAccount(t, s, password).require(t, http.StatusBadRequest).body, "not paid out")

	const payout = "po_0123456789abcdef01234567"
	require.NoError(t, b.store.InsertPayout(t.Context(), db.InsertPayoutParams{
		ID: payout, MerchantID: s.id, WalletID: "live-1", AddressSealed: []byte{1}, AddressMasked: "48DCHZ…3FaS4u",
		Gross: money.OneXMR, ChargesPaid: 1, Outputs: 1, CreatedAt: b.clock.Now(),
	}))
	b.exec(t, "UPDATE received_payments SET payout_id = $1", payout)
	for _, status := range []string{"building", "broadcast"} {
		b.exec(t, "UPDATE payouts SET status = $1, sent_at = now(), tx_hash = 'h'", status)
		require.Contains(t, b.deleteAccount(t, s, password).require(t, http.StatusBadRequest).body, "payout", status)
	}
	b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK, "nothing was deleted meanwhile")
	b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK)
	b.exec(t, "UPDATE payouts SET status = 'confirmed'")
	require.JSONEq(t, `{"ok":true}`, b.deleteAccount(t, s, password).require(t, http.StatusOK).body)
	b.deleteAccount(t, s, password).require(t, http.StatusUnauthorized)

	row, err := b.store.GetPayout(t.Context(), payout)
	require.NoError(t, err, "the books stay")
	require.Equal(t, s.id, row.MerchantID)
	for _, path := range []string{"/api/charges/" + id + "/public"} {
		b.send(t, http.MethodGet, path, anonymous(), "").require(t, http.StatusOK, "a payment that was made stays visible to its customer")
	}
}

func TestDeletionEndsTheAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g, other := b.guard(t), b.signup(t)
	s := g.shop
	s.token = b.loginWith(t, g, "backup_code", g.backup[0]).text(t, "token")
	b.send(t, http.MethodPut, "/api/account/profile", session(s.token), `{"contact":"Street of the owner 1"}`).require(t, http.StatusOK)
	put := fmt.Sprintf(`{"address":%q,"totp_code":%q}`, payoutAddress, b.code(t, g.secret, 0))
	b.send(t, http.MethodPut, "/api/account/payout", session(s.token), put).require(t, http.StatusOK)
	b.webhook(t, s, `{"url":"https://owner.example.com/hook"}`).require(t, http.StatusOK)
	gone := b.webhook(t, s, `{"url":"https://former.owner.example.com/hook"}`).require(t, http.StatusOK).text(t, "id")
	b.send(t, http.MethodDelete, "/api/webhooks/"+gone, session(s.token), "").require(t, http.StatusOK)
	request := b.send(t, http.MethodPost, "/api/payment-requests", key(s.live), `{"amount":1}`).require(t, http.StatusOK).text(t, "id")
	open, sandbox := b.charge(t, s, config.Live), b.charge(t, s, config.Sandbox)
	b.payment(t, s, sandbox)
	theirs := b.charge(t, other, config.Live)

	b.deleteAccount(t, s, password).require(t, http.StatusOK)
	b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusUnauthorized)
	for _, k := range []string{s.live, s.test} {
		b.send(t, http.MethodGet, "/api/charges", key(k), "").require(t, http.StatusUnauthorized)
	}
	wrong := b.login(t, s.email, password).require(t, http.StatusUnauthorized)
	require.Equal(t, b.login(t, "unknown@example.com", password).body, wrong.body)
	b.send(t, http.MethodPost, "/api/charges/button", anonymous(), fmt.Sprintf(`{"merchant_id":%q,"amount":1}`, s.id)).require(t, http.StatusNotFound)
	b.send(t, http.MethodGet, "/api/payment-requests/"+request+"/public", anonymous(), "").require(t, http.StatusGone)
	b.send(t, http.MethodGet, "/api/charges/"+open+"/public", anonymous(), "").require(t, http.StatusGone, "nobody is asked to pay any more")
	b.send(t, http.MethodGet, "/api/charges/"+theirs+"/public", anonymous(), "").require(t, http.StatusOK)
	b.send(t, http.MethodGet, "/api/auth/me", session(other.token), "").require(t, http.StatusOK)

	var dump string
	err := b.store.Pool().QueryRow(t.Context(), `SELECT (SELECT json_agg(m) FROM merchants m WHERE merchant_id = $1)::text
		|| (SELECT json_agg(w) FROM webhooks w WHERE merchant_id = $1)::text`, s.id).Scan(&dump)
	require.NoError(t, err)
	var remaining int
	err = b.store.Pool().QueryRow(t.Context(), `SELECT count(*) FROM (SELECT merchant_id FROM api_keys UNION ALL SELECT merchant_id FROM backup_codes) x
		WHERE merchant_id = $1`, s.id).Scan(&remaining)
	require.NoError(t, err)
	require.Zero(t, remaining, "keys and codes")
	for _, personal := range []string{"Street of the owner", "Example Shop", "owner.example.com", "argon2id"} {
		require.NotContains(t, dump, personal)
	}
	row, err := b.store.GetMerchant(t.Context(), s.id)
	require.NoError(t, err)
	require.Nil(t, row.EmailSealed)
	require.Nil(t, row.EmailIndex)
	require.Nil(t, row.TotpSecretSealed)
	require.NotNil(t, row.PayoutAddressSealed, "where late money belongs")

	fresh := b.send(t, http.MethodPost, "/api/auth/signup", anonymous(), fmt.Sprintf(`{"email":%q,"password":%q,"businessName":"New"}`, strings.ToUpper(s.email), password)).
		require(t, http.StatusOK)
	require.NotEqual(t, s.id, fresh.text(t, "merchant.merchant_id"))
	b.login(t, s.email, password).require(t, http.StatusOK)
}

// TestDeletionBeginsAgainAfterADeadlock lets a charge expire during a deletion. The expiry locks
// the charge before the account, while the deletion locks the account first. A gate stops the
// deletion between its two locks, so that it is the last to wait, for the charge. PostgreSQL
// rolls back the transaction whose deadlock_timeout ends first.
func TestDeletionBeginsAgainAfterADeadlock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live)
	begin := func(sql string, args ...any) pgx.Tx {
		tx, err := b.store.Pool().Begin(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
		_, err = tx.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
		return tx
	}
	expires := begin("SELECT 1 FROM charges WHERE id = $1 FOR UPDATE", id)
	_, err := expires.Exec(t.Context(), "SET LOCAL deadlock_timeout = '10min'")
	require.NoError(t, err)
	gate := begin("SELECT 1 FROM api_keys WHERE merchant_id = $1 FOR UPDATE", s.id)
	status, expired := make(chan int, 1), make(chan error, 1)
	go func() {
		status <- b.statusOf(t.Context(), "/api/account/delete", session(s.token), fmt.Sprintf(`{"password":%q}`, password))
	}()
	pgtest.AwaitBlocked(t, b.store, gate, 1)
	go func() { // like the count of pending charges
		_, err := expires.Exec(t.Context(), "SELECT 1 FROM merchants WHERE merchant_id = $1 FOR KEY SHARE", s.id)
		expired <- errors.Join(err, expires.Commit(t.Context()))
	}()
	pgtest.AwaitBlocked(t, b.store, gate, 2)
	require.NoError(t, gate.Rollback(t.Context()))
	require.NoError(t, await(t, expired))
	require.Equal(t, http.StatusOK, await(t, status))
	b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusUnauthorized)
}
