package main

import (
	"context"
	"errors"
	"strings"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// refundActions give a part of an order's money back by a link.
func (d *demo) refundActions(s *sale) []action {
	with := func(f func(context.Context, *sale) error) func(context.Context) error {
		return func(ctx context.Context) error { return f(ctx, s) }
	}
	return []action{
		{"The customer sends half of it back: the plugin makes a refund", with(d.refundOrder)},
		{"The customer opens the link and says where the money should go", with(d.claimRefund)},
		{"The merchant approves, and the money is sent", with(d.approveRefund)},
		{"Blocks are mined, and the refund has arrived", with(d.refundArrived)},
	}
}

func (d *demo) refundOrder(ctx context.Context, s *sale) (err error) {
	if s.pull, err = s.plugin.Refund(ctx, s.invoice.ID, "50"); err != nil {
		return err
	}
	fixture.Sayf("%q gives back %s %s", s.pull.Name, s.pull.Amount, s.pull.Currency)
	fixture.Sayf("the customer's page: %s", s.pull.ViewLink)
	return nil
}

// claimRefund uses the page alone, in the browser without script.
func (d *demo) claimRefund(ctx context.Context, s *sale) (err error) {
	if s.buyer, err = d.Customer.NewAccount(ctx); err != nil {
		return err
	}
	err = errors.Join(d.browser.Visit(s.pull.ViewLink), d.browser.Type("#address", s.buyer.Address),
		d.browser.Click("form button"), d.browser.Await("section.claims"))
	if err != nil {
		return err
	}
	title, err := d.browser.Text("h1")
	if err == nil {
		fixture.Sayf("the page says: %s", title)
	}
	return err
}

func (d *demo) approveRefund(ctx context.Context, s *sale) error {
	id, _, _ := strings.Cut(s.pull.ID, "-")
	approved, err := d.shop.ApproveRefund(ctx, id)
	if err != nil {
		return err
	}
	if err := fixture.Check(len(approved.Claims) == 1, "the refund has %d claims", len(approved.Claims)); err != nil {
		return err
	}
	fixture.Sayf("claim %s of %s XMR is approved", approved.Claims[0].ID, approved.Claims[0].AmountXMR)
	if err := d.Chain.Mine(ctx, fixture.UnlockBlocks); err != nil { // the order's money has to be spendable
		return err
	}
	err = fixture.Until(ctx, "the refund is sent", func() (bool, error) {
		s.refund, err = d.shop.Refund(ctx, id)
		return len(s.refund.Claims) == 1 && s.refund.Claims[0].TxHash != nil, err
	})
	if err != nil {
		return err
	}
	hash := *s.refund.Claims[0].TxHash
	found, err := d.Chain.Where(ctx, hash)
	if err != nil {
		return err
	}
	fixture.Sayf("the daemon has transaction %s, %s", hash, place(found))
	return fixture.Check(found.State != monero.Missed, "the daemon does not know it")
}

func (d *demo) refundArrived(ctx context.Context, s *sale) error {
	if err := d.Chain.MineInto(ctx, *s.refund.Claims[0].TxHash); err != nil {
		return err
	}
	err := fixture.Until(ctx, "the refund is confirmed", func() (bool, error) {
		if err := d.Chain.Mine(ctx, 1); err != nil {
			return false, err
		}
		now, err := d.shop.Refund(ctx, s.refund.ID)
		s.refund = now
		return now.Status == "completed", err
	})
	if err != nil {
		return err
	}
	receipts, err := s.buyer.Receipts(ctx)
	if err != nil {
		return err
	}
	promised, err := money.ParseXMR(s.pull.Amount)
	if err != nil {
		return err
	}
	if err := fixture.Check(len(receipts) == 1 && receipts[0].TxHash == *s.refund.Claims[0].TxHash && receipts[0].Amount == promised,
		"the customer received %v", receipts); err != nil {
		return err
	}
	fixture.Sayf("on the chain the customer's address received %s XMR, as promised", receipts[0].Amount)
	if err := d.restArrived(ctx, s.refund.Claims[0]); err != nil {
		return err
	}
	if err := d.browser.Visit(s.pull.ViewLink); err != nil {
		return err
	}
	title, err := d.browser.Text("h1")
	if err == nil {
		fixture.Sayf("the customer's page says: %s", title)
	}
	return err
}

// restArrived compares what the refund's transaction left for the merchant with the
// payout that made it.
func (d *demo) restArrived(ctx context.Context, claim clients.RefundClaim) error {
	payouts, err := d.shop.Payouts(ctx)
	if err != nil {
		return err
	}
	receipts, err := d.shop.Wallet.Receipts(ctx)
	if err != nil {
		return err
	}
	for _, p := range payouts {
		for _, r := range receipts {
			if p.PayoutID == *claim.PayoutID && r.TxHash == *claim.TxHash && r.Amount == p.AmountXMR {
				fixture.Sayf("the same transaction paid the rest to the merchant: %s XMR", r.Amount)
				return nil
			}
		}
	}
	return errors.New("the rest did not go to the payout address as booked")
}
