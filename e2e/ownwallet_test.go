package e2e

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
)

// ownKeys returns the primary address and the private view key of a wallet that no process has.
func ownKeys(name string) (address monero.Address, viewKey string) {
	key := func(of string) *edwards25519.Scalar {
		return monero.ToScalar(monero.Keccak([]byte(of + " of " + name)))
	}
	view := key("view")
	copy(address.View[:], new(edwards25519.Point).ScalarBaseMult(view).Bytes())
	copy(address.Spend[:], new(edwards25519.Point).ScalarBaseMult(key("spend")).Bytes())
	return address, hex.EncodeToString(view.Bytes())
}

// TestChargeAndRefundOfAnOwnWallet sells with a wallet of which the service has the view key alone,
// kills the worker between payment and block, and refunds with a proof. The same output proves no
// other claim.
func TestChargeAndRefundOfAnOwnWallet(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s, err := w.SignUp(within(t), "Own wallet")
	require.NoError(t, err)
	primary, viewKey := ownKeys(s.Account.Merchant.MerchantID)
	require.NoError(t, s.SetWallet(within(t), primary.String(), viewKey))
	view, err := monero.NewDeriver(primary.String(), viewKey)
	require.NoError(t, err)

	c := asked(t, "the charge is made", func(ctx context.Context) (clients.Charge, error) { return s.Sell(ctx, "0.25") })
	require.Equal(t, []int{10, 1}, []int{c.SubaddressAccount, c.SubaddressIndex})
	require.Equal(t, view.Subaddress(10, 1), c.Subaddress)
	_, err = w.Customer.Pay(within(t), fixture.Output{Address: c.Subaddress, Amount: c.AmountXMR})
	require.NoError(t, err)
	require.NoError(t, w.Stack.Kill("worker"))
	require.NoError(t, w.Chain.Mine(within(t), 12))
	require.NoError(t, w.Stack.StartPart(within(t), "worker"))
	eventually(t, "the charge is confirmed", func(ctx context.Context) error {
		got, err := s.Charge(ctx, c.ID)
		if err == nil && got.Status != "confirmed" {
			err = fmt.Errorf("it is %s", got.Status)
		}
		return err
	})
	balance, err := s.Balance(within(t))
	require.NoError(t, err)
	require.Zero(t, balance.TotalXMR, "the service holds nothing of it")
	_, err = s.Sweep(within(t))
	require.Equal(t, 400, clients.Status(err))

	buyer, err := w.Customer.NewAccount(within(t))
	require.NoError(t, err)
	claim := func() (refundID, claimID string) {
		r, err := s.CreateRefund(within(t), c.ID, "0.1")
		require.NoError(t, err)
		token := r.Link[strings.LastIndex(r.Link, "/")+1:]
		return r.ID, asked(t, "the claim is taken", func(ctx context.Context) (string, error) { return s.ClaimRefund(ctx, r.ID, token, buyer.Address, 0) })
	}
	refund, paid := claim()
	sent, err := w.Customer.Pay(within(t), fixture.Output{Address: buyer.Address, Amount: xmr("0.1")})
	require.NoError(t, err)
	give := func(refundID, claimID string) (clients.Refund, error) {
		return s.GivePayment(within(t), refundID, claimID, sent.Hash, sent.Key)
	}
	for range 2 { // the same again is the same answer
		r, err := give(refund, paid)
		require.NoError(t, err)
		require.Equal(t, "in_progress", r.Status)
	}
	require.NoError(t, w.Chain.Mine(within(t), 10))
	eventually(t, "the refund is completed", func(ctx context.Context) error {
		r, err := s.Refund(ctx, refund)
		if err == nil && (r.Status != "completed" || !strings.HasPrefix(*r.Claims[0].TxProof, "OutProofV2")) {
			err = fmt.Errorf("it is %s", r.Status)
		}
		return err
	})
	_, err = give(claim())
	require.Equal(t, 400, clients.Status(err))
	require.ErrorContains(t, err, "another claim")
}
