package merchant_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/config"
)

// A payment that its payer locked for years is deep enough and counts nothing: the page
// says why, and the merchant's charge has the lock.
func TestAPayersLockIsShown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live)
	page := func() string { return b.send(t, http.MethodGet, "/pay/"+id+"?lang=en", anonymous(), "").body }
	payment := func() map[string]any {
		return b.send(t, http.MethodGet, "/api/charges/"+id, key(s.live), "").field(t, "payments").([]any)[0].(map[string]any)
	}
	b.exec(t, `UPDATE chains SET chain_height = 110 WHERE id = (SELECT w.chain_id FROM charges c JOIN wallets w ON w.id = c.wallet_id WHERE c.id = $1)`, id)
	b.exec(t, `INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, amount, outputs, first_seen_at, charge_id, merchant_id, height, mature_height, fresh)
		SELECT wallet_id, encode(sha256(id::bytea), 'hex'), subaddress, subaddress_index, amount_piconero, 1, now(), id, merchant_id, 90, 92, false FROM charges WHERE id = $1`, id)
	require.NotContains(t, page(), "locked this payment")
	require.NotContains(t, payment(), "unlock_height")
	require.NotContains(t, payment(), "unlock_at")

	b.exec(t, `UPDATE received_payments SET unlock_height = 900000 WHERE charge_id = $1`, id)
	require.Contains(t, page(), "Your wallet locked this payment until block 900000.")
	require.Equal(t, "900000", fmt.Sprint(payment()["unlock_height"]))

	b.exec(t, `UPDATE received_payments SET unlock_height = 0, unlock_at = '2099-01-02T03:04:05Z' WHERE charge_id = $1`, id)
	require.Regexp(t, `Your wallet locked this payment until [^.]*2099`, page())
	require.Equal(t, "2099-01-02T03:04:05.000Z", payment()["unlock_at"])
}

// The page of an invoice shows its order, as BTCPay's does. Metadata of other charges is
// their merchant's.
func TestThePageOfAnInvoiceShowsItsOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	k := b.scoped(t, s, "WooCommerce", "btcpay.store.cancreateinvoice")
	invoice := func(metadata string) string {
		made := b.send(t, http.MethodPost, "/api/v1/stores/"+s.id+"/invoices", token(k), `{"amount":"0.5","currency":"XMR","metadata":`+metadata+`}`)
		require.Equal(t, http.StatusOK, made.status, made.body)
		return b.send(t, http.MethodGet, "/pay/"+made.text(t, "id")+"?lang=en", anonymous(), "").body
	}
	require.Contains(t, invoice(`{"orderId":"A-1001 <b>"}`), "A-1001 &lt;b&gt;")
	for _, none := range []string{`{"orderId":700100200300}`, `{"order_id":"700100200300"}`, `null`} {
		require.NotContains(t, invoice(none), "700100200300")
	}
	made := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":0.5,"currency":"XMR","metadata":{"orderId":"A-1001","order_id":"A-1001"}}`)
	require.Equal(t, http.StatusOK, made.status, made.body)
	require.NotContains(t, b.send(t, http.MethodGet, "/pay/"+made.text(t, "id"), anonymous(), "").body, "A-1001")
}

// Who is sent to the service by a plugin may have no account yet, or no password.
func TestTheLoginOfAConnectionLeadsToTheDesk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change          func(*merchant.Deps)
		signUp, forgets bool
	}{
		"with a desk":    {func(d *merchant.Deps) { d.Desk = true }, true, true},
		"closed":         {func(d *merchant.Deps) { d.Desk, d.SignUp = true, config.SignUpClosed }, false, true},
		"without a desk": {func(d *merchant.Deps) { d.Desk = false }, false, false},
	} {
		v := &browser{b: setup(t, c.change)}
		page := v.open(t, woo(), nil).body
		require.Equal(t, c.signUp, strings.Contains(page, `href="/sign-up"`), name)
		require.Equal(t, c.forgets, strings.Contains(page, `href="/forgot-password"`), name)
	}
}
