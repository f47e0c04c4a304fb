package merchant_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/greenfield"
	"github.com/durapay/durapay/api/merchant"
)

// lasting returns the operations of both surfaces whose effects outlast a change of the owner:
// they grant access to the account, move money or keep the owner out.
func lasting() []string {
	return []string{
		"approveRefund", "createApplicationKey", "createWebhook", "inviteStaff", "joinShop", "payClaim", "setAutoSwap", "setPayoutAddress", "setRefundApproval",
		"setRole", "setWallet", "setupTwoFactor", "verifyTwoFactor", "Webhooks_CreateWebhook", "Webhooks_UpdateWebhook",
	}
}

// passing returns the operations that the person who opened an account may use before the
// address is confirmed. Their effects end with the keys and the sessions, or they take something
// away, or they are the shop's daily work.
func passing() []string {
	return []string{
		// These use charges and payment requests, with the keys from the sign-up.
		"createCharge", "toggleChargeLink", "acceptUnderpaid", "createPaymentRequest", "togglePaymentRequest", "deletePaymentRequest",
		"Invoices_CreateInvoice", "Invoices_UpdateInvoice", "Invoices_MarkInvoiceStatus", "Invoices_UpdateInvoiceWithoutStore", "Invoices_MarkInvoiceStatusWithoutStore",
		"sandboxPay", "sandboxConfirm", "sandboxReorg", "sandboxExpire", "sandboxTrigger", "sandboxRetry",
		// Refunds are paid out only if there is a payout address, and such an account cannot approve
		// them.
		"createRefund", "cancelRefund", "approveRefundByKey", "PullPayments_CreatePullPayment", "PullPayments_ArchivePullPayment", "Invoices_RefundInvoice",
		"Payouts_ApprovePayout", "Payouts_CancelPayout", "Payouts_MarkPayoutPaid",
		// These send money to the payout address, and such an account has none.
		"sweep", "createSwap",
		// These act on existing webhooks, keys and staff.
		"deleteWebhook", "testWebhook", "redeliver", "Webhooks_DeleteWebhook", "Webhooks_RedeliverWebhookDelivery",
		"revokeApplicationKey", "ApiKeys_DeleteCurrentApiKey", "removeStaff", "revokeStaffInvite", "readStaffInvite", "leaveShop",
		// These change the account itself. A reset of the password ends their effects.
		"setPassword", "setEmail", "setProfile", "setReporting", "setNotices", "deleteAccount", "regenerateKey", "stepUp", "disableTwoFactor",
	}
}

// strict returns the same service with verification of addresses on, for accounts that were
// opened while it was off.
func (b *bench) strict(t *testing.T, d merchant.Deps) *bench {
	t.Helper()
	d.VerifyEmail = true
	handler, err := merchant.NewHandler(d)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	same := *b
	same.url, same.handler = server.URL, handler
	return &same
}

// TestAnUnconfirmedAccountPlantsNothing sends every change of both surfaces from an account with
// an unconfirmed address, and from one with a confirmed address.
func TestAnUnconfirmedAccountPlantsNothing(t *testing.T) {
	t.Parallel()
	var deps *merchant.Deps
	open := setup(t, func(d *merchant.Deps) { deps = d })
	squatter, owner := open.signup(t), open.signup(t)
	open.exec(t, "UPDATE merchants SET email_verified_at = now() WHERE merchant_id = $1", owner.id)
	b := open.strict(t, *deps)
	const refused = "the email address is not verified yet"
	tried := map[string]bool{}
	try := func(method, path, id string, credential func(shop) as) {
		require.NotEqual(t, slices.Contains(lasting(), id), slices.Contains(passing(), id), "%s: say whether what it does outlasts a change of the owner", id)
		tried[id] = true
		send := func(s shop) answer {
			return b.send(t, method, strings.ReplaceAll(path, "{storeId}", s.id), credential(s), "{}")
		}
		if !slices.Contains(lasting(), id) {
			require.NotContains(t, send(squatter).body, refused, id)
			return
		}
		before := b.digest(t)
		a := send(squatter)
		require.Equal(t, http.StatusForbidden, a.status, "%s: %s", id, a.body)
		require.Contains(t, a.body, refused, id)
		require.Equal(t, before, b.digest(t), id)
		require.NotContains(t, send(owner).body, refused, id)
	}
	for _, o := range operations(document()) {
		if o.Method != http.MethodGet && o.kind != "" && !o.admin() {
			try(o.Method, o.Path, o.OperationID, func(s shop) as {
				if o.kind == keyKind {
					return key(s.live)
				}
				return session(s.token)
			})
		}
	}
	for path, item := range greenfield.API("").OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Post, item.Put, item.Delete} {
			if op != nil && len(op.Security) > 0 {
				try(op.Method, path, op.OperationID, func(s shop) as { return token(s.live) })
			}
		}
	}
	for _, id := range slices.Concat(lasting(), passing()) {
		require.True(t, tried[id], "there is no %s", id)
	}
}
