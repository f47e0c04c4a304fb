package merchant_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMerchantSaysWhichRefundsNeedNoApproval checks that every refund needs approval until the
// merchant sets an amount.
func TestMerchantSaysWhichRefundsNeedNoApproval(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	shown := func() any {
		account, ok := b.as(t, s.shop, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK).field(t, "merchant").(map[string]any)
		require.True(t, ok)
		return account["refundAutoUpToXmr"]
	}
	put := func(body string) answer { return b.as(t, s.shop, http.MethodPut, "/api/account/refunds", body) }
	require.Nil(t, shown())
	for _, bad := range []string{"{}", `{"auto_up_to_xmr":null}`, `{"auto_up_to_xmr":"0.1"}`, `{"auto_up_to_xmr":-1}`, `{"auto_up_to_xmr":0.0000000000001}`, `{"auto_up_to_xmr":1e30}`} {
		put(bad).require(t, http.StatusBadRequest, bad)
	}
	require.Nil(t, shown())
	for range 2 {
		require.Equal(t, json.Number("0.1"), put(`{"auto_up_to_xmr":0.1}`).require(t, http.StatusOK).field(t, "auto_up_to_xmr"))
		require.Equal(t, json.Number("0.1"), shown())
	}
	b.send(t, http.MethodPut, "/api/account/refunds", key(s.live), `{"auto_up_to_xmr":9}`).require(t, http.StatusUnauthorized)
	put(`{"auto_up_to_xmr":0}`).require(t, http.StatusOK)
	require.Nil(t, shown())
	require.Equal(t, false, put(`{"auto_up_to_xmr":0}`).field(t, "approve_by_key"))
	require.Equal(t, true, put(`{"auto_up_to_xmr":0,"approve_by_key":true}`).field(t, "approve_by_key"))
	require.Equal(t, true, put(`{"auto_up_to_xmr":0}`).field(t, "approve_by_key"), "it stays")
}

// TestAStolenKeyApprovesNoRefund checks that the account's own key can only pay to the payout
// address, unless the merchant allows it to approve.
func TestAStolenKeyApprovesNoRefund(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	before := b.digest(t)
	b.send(t, http.MethodPost, "/api/refunds/"+s.refund+"/approve", key(s.live), "{}").require(t, http.StatusForbidden)
	b.send(t, http.MethodPost, "/api/account/refunds/"+s.refund+"/approve", key(s.live), "{}").require(t, http.StatusUnauthorized)
	require.Equal(t, before, b.digest(t))
}
