package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// TestRefundInTwoClaims refunds a charge in two parts. The buyer gets each exactly, the
// rest of the payments goes to the payout address, and the books say so to the piconero.
func TestRefundInTwoClaims(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	charges := s.payable(t, "0.2", "0.3")
	buyer, err := s.testbed.Customer.NewAccount(within(t))
	require.NoError(t, err)
	requireRefused(t, "more than was received", func(ctx context.Context) error {
		_, err := s.CreateRefund(ctx, charges[0].ID, "0.200000000001")
		return err
	})
	r, err := s.CreateRefund(within(t), charges[0].ID, "0.2")
	require.NoError(t, err)
	requireRefused(t, "refunds hold all that was received", func(ctx context.Context) error {
		_, err := s.CreateRefund(ctx, charges[0].ID, "0.000000000001")
		return err
	})
	token := r.Link[strings.LastIndex(r.Link, "/")+1:]
	_, err = s.ClaimRefund(within(t), r.ID, token[1:]+"0", buyer.Address, 0)
	require.Equal(t, 404, clients.Status(err), "the secret of the link is needed")

	claim := func(amount money.Piconero) string {
		return asked(t, "the claim is taken", func(ctx context.Context) (string, error) {
			return s.ClaimRefund(ctx, r.ID, token, buyer.Address, amount)
		})
	}
	first := claim(xmr("0.05"))
	require.Equal(t, first, claim(xmr("0.05")), "the same again is the same claim")
	claim(0)
	r = asked(t, "the claims are approved", func(ctx context.Context) (clients.Refund, error) { return s.ApproveRefund(ctx, r.ID) })
	require.Len(t, r.Claims, 2)

	s.grow(t, 30, "both claims are paid", func(ctx context.Context) error {
		r, err = s.Refund(ctx, r.ID)
		if err == nil && r.Status != "completed" {
			err = fmt.Errorf("it is %s: %+v", r.Status, r.Claims)
		}
		return err
	})
	s.checkRefund(t, r, buyer, xmr("0.2"), xmr("0.3"))
}

// checkRefund compares a refund with the payouts that paid it and with what arrived.
// gross are the payments that they took, in any order: those of one block are as old as
// each other.
func (s *shop) checkRefund(t *testing.T, r clients.Refund, buyer fixture.Account, gross ...money.Piconero) {
	t.Helper()
	receipts, err := buyer.Receipts(within(t))
	require.NoError(t, err)
	require.Len(t, receipts, len(r.Claims))
	page := s.pageAt(t, r.Link)
	require.Contains(t, page, "Your refund is paid")
	var took []money.Piconero
	for _, c := range r.Claims {
		p, err := s.payout(within(t), *c.PayoutID)
		require.NoError(t, err)
		require.Equal(t, *c.TxHash, *p.TxHash)
		require.NotEmpty(t, *c.TxKey)
		require.True(t, strings.HasPrefix(*c.TxProof, "OutProofV2"))
		require.Contains(t, page, *c.TxHash)
		require.Equal(t, c.AmountXMR, p.RefundXMR)
		took = append(took, p.AmountXMR+p.RefundXMR+p.FeeXMR+p.NetworkFeeXMR)
		require.Positive(t, p.AmountXMR)
		require.Less(t, p.FeeXMR, p.NetworkFeeXMR/50, "no share of a merchant without a rate, beside the margin of the chain's fee")
		at := -1
		for j, receipt := range receipts {
			if receipt.TxHash == *c.TxHash {
				at = j
			}
		}
		require.GreaterOrEqual(t, at, 0, "claim %s arrived", c.ID)
		require.Equal(t, c.AmountXMR, receipts[at].Amount)
	}
	require.ElementsMatch(t, gross, took)
}

// pageAt is what a buyer sees at a link.
func (s *shop) pageAt(t *testing.T, link string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), http.MethodGet, link, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(body)
}
