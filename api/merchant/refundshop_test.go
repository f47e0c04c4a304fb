package merchant_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/monero/scan/scantest"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/webhook"
)

// paidBench is a bench whose daemon has the payments of shops.
func paidBench(t *testing.T) (*bench, *scantest.Daemon) {
	t.Helper()
	node := scantest.NewDaemon(t)
	b, _ := refundBench(t, func(*merchant.Deps) {})
	payer, is := b.payer.(*payouts.Handler)
	require.True(t, is)
	payer.Daemon = node.Client(t)
	return b, node
}

// owes makes a refund of 0.01 XMR of a charge that was paid to the shop's own wallet, and a claim.
func (b *bench) owes(t *testing.T, s shop, node *scantest.Daemon) (id, claim, link string) {
	t.Helper()
	charge := b.gained(t, s, money.OneXMR/100)
	b.exec(t, "UPDATE charges SET wallet_id = $2 WHERE id = $1", charge, b.ownWallet(t, s))
	made := b.send(t, http.MethodPost, "/api/charges/"+charge+"/refunds", key(s.live), `{"variant":"RateThen"}`).require(t, http.StatusOK)
	require.Equal(t, "own", made.text(t, "custody"))
	require.Equal(t, false, made.field(t, "automatic"))
	id, link = made.text(t, "id"), made.text(t, "link")
	body := fmt.Sprintf(`{"token":%q,"address":%q}`, link[strings.LastIndex(link, "/")+1:], node.Address)
	claim = b.send(t, http.MethodPost, "/api/refunds/"+id+"/claims", anonymous(), body).require(t, http.StatusOK).text(t, "claim_id")
	return id, claim, strings.TrimPrefix(link, publicURL)
}

// ownWallet returns the shop's own wallet.
func (b *bench) ownWallet(t *testing.T, s shop) string {
	t.Helper()
	id := "own_" + s.id
	b.exec(t, `INSERT INTO wallets (id, chain_id, role, primary_address, merchant_id, view_key_index)
		SELECT $1, chain_id, 'own', $1, $2, sha256(convert_to($1, 'UTF8')) FROM wallets WHERE id = 'live-1' ON CONFLICT DO NOTHING`, id, s.id)
	return id
}

func paymentOf(p scantest.Payment) string {
	return fmt.Sprintf(`{"tx_hash":%q,"tx_key":%q}`, p.Hash, p.Key)
}

// TestAShopProvesThatItPaidARefund goes from the buyer's claim to the proof on the buyer's page, by
// the API and by the desk without script.
func TestAShopProvesThatItPaidARefund(t *testing.T) {
	t.Parallel()
	b, node := paidBench(t)
	s := b.signup(t)
	b.lets(t, s, "1") // which is about payouts
	id, claim, page := b.owes(t, s, node)
	path := "/api/refunds/" + id + "/claims/" + claim + "/payment"
	give := func(body string) answer { return b.as(t, s, http.MethodPost, path, body) }

	shown := b.send(t, http.MethodGet, "/api/refunds/"+id, key(s.live), "").require(t, http.StatusOK).body
	require.Contains(t, shown, `"waits_for":"shop_payment"`)
	require.Contains(t, shown, `"payment_address":"`+node.Address+`"`)
	require.Contains(t, shown, `"payment_uri":"monero:`+node.Address+`?tx_amount=0.01"`)
	for _, list := range []answer{
		b.send(t, http.MethodGet, "/api/refunds?attention=to_approve", key(s.live), "").require(t, http.StatusOK),
		b.send(t, http.MethodGet, page, anonymous(), "").require(t, http.StatusOK),
	} {
		require.Contains(t, list.body, "own wallet")
		require.NotContains(t, list.body, node.Address, "only the refund itself shows the whole address")
	}
	owner := b.enterShop(t, s, "")
	desk := owner.page(t, "/refunds/"+id)
	for _, part := range []string{"monero:" + node.Address, "data:image/png;base64,", node.Address, `action="/refunds/` + id + `/payment"`, claim} {
		require.Contains(t, desk, part)
	}
	require.Contains(t, owner.page(t, "/refunds"), `href="/refunds/`+id+`"`)
	b.as(t, s, http.MethodPost, "/api/account/refunds/"+id+"/approve", "{}").require(t, http.StatusBadRequest, "from its own wallet")

	form := url.Values{"claim_id": {claim}, "tx_hash": {node.Paid.Hash}, "tx_key": {node.Paid.Key}}
	refused := owner.postFrom(t, "/refunds/"+id, "/refunds/"+id+"/payment", form)
	require.Contains(t, refused.problem(t), "does not know this transaction")
	require.Contains(t, refused.body, node.Paid.Key, "what was typed stays")
	node.Pool(node.Paid)
	for range 2 {
		owner.postFrom(t, "/refunds", "/refunds/"+id+"/payment", form).leads(t, "/refunds/"+id+"?done=1")
		given := give(paymentOf(node.Paid)).require(t, http.StatusOK)
		require.Contains(t, given.body, node.Paid.Hash)
		give(fmt.Sprintf(`{"tx_hash":%q,"tx_key":%q}`, strings.ToUpper(node.Paid.Hash), node.Paid.Key)).require(t, http.StatusOK)
	}
	node.Mine(990, node.Paid)
	require.NoError(t, b.store.WakeUnsettledRefunds(t.Context(), "live-1"))
	require.Eventually(t, func() bool {
		return b.send(t, http.MethodGet, "/api/refunds/"+id, key(s.live), "").text(t, "status") == "completed"
	}, maxWait, 1)
	require.Equal(t, []string{webhook.EventRefundClaimed, webhook.EventRefundConfirmed, webhook.EventRefundCreated, webhook.EventRefundSent},
		rowsOf[string](t, b, "SELECT type FROM events WHERE type LIKE 'refund.%' ORDER BY type"))
	buyer := b.send(t, http.MethodGet, page, anonymous(), "").require(t, http.StatusOK).body
	for _, proof := range []string{node.Paid.Hash, node.Paid.Key, "OutProofV2"} {
		require.Contains(t, buyer, proof)
	}
	require.NotContains(t, owner.page(t, "/refunds/"+id), `action="/refunds/`+id+`/payment"`)
	give(paymentOf(node.Again)).require(t, http.StatusBadRequest, "another transaction that you gave")
}

// TestPaymentsThatTheAPIRefuses gives what proves nothing. The answer says what is wrong, and nothing
// changes.
func TestPaymentsThatTheAPIRefuses(t *testing.T) {
	t.Parallel()
	b, node := paidBench(t)
	s := b.signup(t)
	id, claim, page := b.owes(t, s, node)
	path := "/api/refunds/" + id + "/claims/" + claim + "/payment"
	node.Pool(node.Paid, node.Again, node.Less, node.Elsewhere, node.Locked, node.SameKey)
	wrongKey := node.Paid
	wrongKey.Key = node.Again.Key
	before := b.digest(t)
	for text, body := range map[string]string{
		"tx_hash is required":             `{}`,
		"tx_key is required":              fmt.Sprintf(`{"tx_hash":%q}`, node.Paid.Hash),
		"tx_hash must be the hash":        `{"tx_hash":"aa","tx_key":"bb"}`,
		"tx_key must be the key":          fmt.Sprintf(`{"tx_hash":%q,"tx_key":"bb"}`, node.Paid.Hash),
		"tx_key":                          fmt.Sprintf(`{"tx_hash":%q,"tx_key":%q}`, node.Paid.Hash, strings.Repeat(node.Paid.Key, 40)),
		"is not known":                    paymentOf(node.Both),
		"0.009 XMR reach the address":     paymentOf(node.Less),
		"pays another address":            paymentOf(node.Elsewhere),
		"locked":                          paymentOf(node.Locked),
		"the key is not this transaction": paymentOf(wrongKey),
	} {
		b.as(t, s, http.MethodPost, path, body).require(t, http.StatusBadRequest, text)
	}
	after := b.digest(t) // apart from wakeups, which the workers take
	for _, table := range []string{"refunds", "refund_claims", "refund_payments", "events"} {
		require.Equal(t, before[table], after[table], table)
	}

	// Other people's.
	stranger, helper, owner := b.signup(t), b.signup(t), b.signup(t)
	b.employ(t, s, helper, permission.Support)
	b.employ(t, s, owner, permission.Owner)
	before = b.digest(t)
	b.as(t, stranger, http.MethodPost, path, paymentOf(node.Paid)).require(t, http.StatusNotFound)
	b.send(t, http.MethodPost, path, anonymous(), paymentOf(node.Paid)).require(t, http.StatusUnauthorized)
	b.send(t, http.MethodPost, path, key(s.live), paymentOf(node.Paid)).require(t, http.StatusUnauthorized)
	form := url.Values{"claim_id": {claim}, "tx_hash": {node.Paid.Hash}, "tx_key": {node.Paid.Key}}
	require.Equal(t, http.StatusForbidden, b.worksFor(t, helper, s).postFrom(t, "/shops", "/refunds/"+id+"/payment", form).status)
	for _, unknown := range []string{"rc_0123456789abcdef01234567", "rc_x", "x"} {
		b.as(t, s, http.MethodPost, "/api/refunds/"+id+"/claims/"+unknown+"/payment", paymentOf(node.Paid)).require(t, http.StatusNotFound)
	}
	require.Equal(t, before["refund_payments"], b.digest(t)["refund_payments"])

	// One output proves one claim.
	b.worksFor(t, owner, s).postFrom(t, "/shops", "/refunds/"+id+"/payment", form).leads(t, "/refunds/"+id+"?done=1")
	second, secondClaim, _ := b.owes(t, s, node)
	next := "/api/refunds/" + second + "/claims/" + secondClaim + "/payment"
	b.as(t, s, http.MethodPost, next, paymentOf(node.Paid)).require(t, http.StatusBadRequest, "proves another claim already")
	b.as(t, s, http.MethodPost, next, paymentOf(node.SameKey)).require(t, http.StatusBadRequest, "proves another claim already")
	b.as(t, s, http.MethodPost, "/api/refunds/"+second+"/claims/"+claim+"/payment", paymentOf(node.Paid)).require(t, http.StatusNotFound)

	// The shop declines, and the buyer sees it.
	declined := url.Values{"claim_id": {secondClaim}}
	b.enterShop(t, s, "").post(t, "/refunds/"+second+"/cancel", declined).leads(t, "/refunds?done=1")
	b.as(t, s, http.MethodPost, next, paymentOf(node.Again)).require(t, http.StatusBadRequest, "cancelled")
	require.Equal(t, []string{"cancelled"}, rowsOf[string](t, b, "SELECT status FROM refund_claims WHERE id = '"+secondClaim+"'"))
	require.Equal(t, []string{"open"}, rowsOf[string](t, b, "SELECT status FROM refunds WHERE id = '"+second+"'"), "the amount can be claimed again")
	require.NotContains(t, b.send(t, http.MethodGet, page, anonymous(), "").body, "Cancelled by the shop")
}

// TestAnOldSessionGivesNoPayment: a payment asks for the password again, as an approval does.
func TestAnOldSessionGivesNoPayment(t *testing.T) {
	t.Parallel()
	b := setup(t, withStepUp)
	s := b.own(t)
	b.clock.advance(account.StepUpLife)
	path := "/api/refunds/" + s.refund + "/claims/" + s.claim() + "/payment"
	a := b.as(t, s.shop, http.MethodPost, path, `{"tx_hash":"aa","tx_key":"bb"}`).require(t, http.StatusForbidden)
	require.NotEmpty(t, a.header.Get("WWW-Authenticate"))
	b.stepUp(t, s.token, passwordProof()).require(t, http.StatusOK)
	b.as(t, s.shop, http.MethodPost, path, `{"tx_hash":"aa","tx_key":"bb"}`).require(t, http.StatusBadRequest, "tx_hash")
}
