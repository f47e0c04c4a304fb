package main

import (
	"context"
	"errors"
	"strings"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

func (s *sale) refundOrder(ctx context.Context) {
	s.pull = fixture.Must(s.plugin.Refund(ctx, s.invoice.ID, "50"))
	fixture.Sayf("%q gives back %s %s", s.pull.Name, s.pull.Amount, s.pull.Currency)
	fixture.Sayf("the customer's page: %s", s.pull.ViewLink)
}

// claimRefund uses the page alone, in the browser without script.
func (s *sale) claimRefund(ctx context.Context) {
	s.buyer = fixture.Must(s.Customer.NewAccount(ctx))
	fixture.Do(errors.Join(s.browser.Visit(s.pull.ViewLink), s.browser.Type("#address", s.buyer.Address),
		s.browser.Click("form button"), s.browser.Await("section.claims")))
	fixture.Sayf("the page says: %s", fixture.Must(s.browser.Text("h1")))
}

func (s *sale) approveRefund(ctx context.Context) {
	id, _, _ := strings.Cut(s.pull.ID, "-")
	approved := fixture.Must(s.shop.ApproveRefund(ctx, id))
	fixture.Requiref(len(approved.Claims) == 1, "the refund has %d claims", len(approved.Claims))
	fixture.Sayf("claim %s of %s XMR is approved", approved.Claims[0].ID, approved.Claims[0].AmountXMR)
	fixture.Do(s.Chain.Mine(ctx, fixture.UnlockBlocks)) // the order's money has to be spendable
	fixture.Wait(ctx, "the refund is sent", func() bool {
		s.refund = fixture.Must(s.shop.Refund(ctx, id))
		return len(s.refund.Claims) == 1 && s.refund.Claims[0].TxHash != nil
	})
	s.known(ctx, *s.refund.Claims[0].TxHash)
}

func (s *sale) refundArrived(ctx context.Context) {
	fixture.Do(s.Chain.MineInto(ctx, *s.refund.Claims[0].TxHash))
	fixture.Wait(ctx, "the refund is confirmed", func() bool {
		fixture.Do(s.Chain.Mine(ctx, 1))
		s.refund = fixture.Must(s.shop.Refund(ctx, s.refund.ID))
		return s.refund.Status == "completed"
	})
	receipts := fixture.Must(s.buyer.Receipts(ctx))
	promised := fixture.Must(money.ParseXMR(s.pull.Amount))
	fixture.Requiref(len(receipts) == 1 && receipts[0].TxHash == *s.refund.Claims[0].TxHash && receipts[0].Amount == promised,
		"the customer received %v", receipts)
	fixture.Sayf("on the chain the customer's address received %s XMR, as promised", receipts[0].Amount)
	s.restArrived(ctx, s.refund.Claims[0])
	fixture.Do(s.browser.Visit(s.pull.ViewLink))
	fixture.Sayf("the customer's page says: %s", fixture.Must(s.browser.Text("h1")))
}

// restArrived compares what the refund's transaction left for the merchant with the
// payout that made it.
func (d *demo) restArrived(ctx context.Context, claim clients.RefundClaim) {
	payouts := fixture.Must(d.shop.Payouts(ctx))
	receipts := fixture.Must(d.shop.Wallet.Receipts(ctx))
	for _, p := range payouts {
		for _, r := range receipts {
			if p.PayoutID == *claim.PayoutID && r.TxHash == *claim.TxHash && r.Amount == p.AmountXMR {
				fixture.Sayf("the same transaction paid the rest to the merchant: %s XMR", r.Amount)
				return
			}
		}
	}
	fixture.Failf("the rest did not go to the payout address as booked")
}
