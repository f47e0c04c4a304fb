package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// refundInvoice gives half of a settled invoice back: the plugin makes the refund, the
// buyer claims it, the merchant approves it by the account's own key, and it arrives.
// BTCPay's client makes every call that it knows.
func (s *shop) refundInvoice(t *testing.T, dir string, key clients.PluginKey, made clients.Invoice) {
	t.Helper()
	s.unlock(t)
	shop := &clients.Plugin{BaseURL: s.testbed.url, Key: key}
	pull, err := shop.Refund(within(t), made.ID, "50")
	require.NoError(t, err)
	require.Equal(t, "Refund "+made.ID, pull.Name)
	require.NotEmpty(t, pull.ViewLink)
	_, err = shop.Refund(within(t), made.ID, "0")
	require.ErrorContains(t, err, "422", "more than is left of what was received")

	buyer, err := s.testbed.Customer.NewAccount(within(t))
	require.NoError(t, err)
	visitor := startNode(t, dir, s.testbed.url, "")
	var seen clients.PullPayment
	visitor.call(t, &seen, "PullPaymentsPublicService", "pullPaymentsGetPullPayment", of{"pullPaymentId": pull.ID})
	require.Equal(t, pull, seen)
	var claim clients.PluginPayout
	claims := of{"pullPaymentId": pull.ID, "requestBody": of{"destination": buyer.Address, "paymentMethod": "XMR-CHAIN"}}
	visitor.call(t, &claim, "PullPaymentsPublicService", "pullPaymentsCreatePayout", claims)
	require.Equal(t, "AwaitingApproval", claim.State)

	approval := of{"storeId": key.StoreID, "payoutId": claim.ID, "requestBody": of{"revision": 0}}
	plugged := startNode(t, dir, s.testbed.url, key.APIKey)
	require.Equal(t, refusal{403, "missing-permission"}, plugged.refused(t, "PullPaymentsManagementService", "pullPaymentsApprovePayout", approval))
	require.NoError(t, s.LetKeyApprove(within(t)))
	owner := startNode(t, dir, s.testbed.url, s.Account.APIKeys.Production)
	owner.call(t, nil, "PullPaymentsManagementService", "pullPaymentsApprovePayout", approval)
	s.grow(t, 11, "the refund is confirmed", func(context.Context) error {
		var list []clients.PluginPayout
		visitor.call(t, &list, "PullPaymentsPublicService", "pullPaymentsGetPayouts", of{"pullPaymentId": pull.ID})
		require.Len(t, list, 1)
		if claim = list[0]; claim.State != "Completed" {
			return fmt.Errorf("it is %s", claim.State)
		}
		return nil
	})
	requireRefunded(t, claim, pull, buyer)
	s.archivePull(t, plugged, owner, key.StoreID)
}

// requireRefunded compares a claim that is paid with what the buyer received.
func requireRefunded(t *testing.T, claim clients.PluginPayout, pull clients.PullPayment, buyer fixture.Account) {
	t.Helper()
	require.Equal(t, pull.ID, claim.PullPaymentID)
	require.NotNil(t, claim.PaymentProof)
	require.NotEmpty(t, *claim.PaymentProof.TxKey)
	receipts, err := buyer.Receipts(within(t))
	require.NoError(t, err)
	require.Len(t, receipts, 1)
	require.Equal(t, claim.PaymentProof.ID, receipts[0].TxHash)
	require.Equal(t, claim.PayoutAmount, receipts[0].Amount.String())
	require.Equal(t, pull.Amount, claim.PayoutAmount)
}

// archivePull makes a refund that names no invoice, as WooCommerce's button does, and
// takes it back.
func (s *shop) archivePull(t *testing.T, plugged, owner *nodeClient, store string) {
	t.Helper()
	c := s.payable(t, "0.05")[0]
	var pull clients.PullPayment
	plugged.call(t, &pull, "PullPaymentsManagementService", "pullPaymentsCreatePullPayment", of{"storeId": store, "requestBody": of{
		"name": "Refund of order 101", "amount": "0.01", "currency": "XMR", "period": nil, "startsAt": nil, "expiresAt": nil, "paymentMethods": []string{},
	}})
	require.Equal(t, "0.01", pull.Amount)
	require.Less(t, xmr(pull.Amount), c.AmountXMR)
	var list []clients.PullPayment
	listed := of{"storeId": store, "includeArchived": false}
	owner.call(t, &list, "PullPaymentsManagementService", "pullPaymentsGetPullPayments", listed)
	require.Contains(t, list, pull)
	owner.call(t, nil, "PullPaymentsManagementService", "pullPaymentsArchivePullPayment", of{"storeId": store, "pullPaymentId": pull.ID})
	owner.call(t, &list, "PullPaymentsManagementService", "pullPaymentsGetPullPayments", listed)
	require.NotContains(t, list, pull)
}
