package main

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// shop compares the service's promises to a merchant with the rows and events.
func (c *counter) shop(ctx context.Context, s *shop) {
	events := c.delivered(ctx, s.Webhook, s.path, merchants(s.Webhook.Secret))
	invoices := c.delivered(ctx, s.plugin, s.pluginPath(), plugins(s.plugin.Secret))
	swept := map[string]money.Piconero{}
	c.made[chargesMade] += len(s.promised)
	for _, promised := range s.promised {
		now, err := s.Charge(ctx, promised.ID)
		if clients.Status(err) == http.StatusNotFound {
			c.addf(fixture.ChargeMissing, promised.ID, "%v", err)
			continue
		}
		fixture.Do(err)
		c.charge(promised, now, events[now.ID], invoices[now.ID])
		if now.PayoutID != nil {
			swept[*now.PayoutID] += now.AmountReceivedXMR
		}
	}
	c.refunds(ctx, s)
	c.payouts(ctx, s, events, swept)
}

func (c *counter) charge(promised, now clients.Charge, events, invoice []string) {
	if now.Subaddress != promised.Subaddress || now.AmountXMR != promised.AmountXMR {
		c.addf(fixture.ChargeMissing, now.ID, "it is another one now: %+v", now)
	}
	c.give(now.Subaddress, now.ID)
	sent := c.xmr[now.Subaddress].amount
	if sent >= now.AmountXMR {
		c.made[chargesPaid]++
		if now.Status != "confirmed" {
			c.addf(fixture.NotConfirmed, now.ID, "%s, with %s XMR of %s XMR", now.Status, now.AmountReceivedXMR, sent)
			return
		}
	}
	c.faults = append(c.faults, fixture.ChargeFaults(now, events, sent)...)
	c.faults = append(c.faults, fixture.InvoiceFaults(now, invoice)...)
}

// payouts compares the payouts with their charges, their events, and with what
// arrived at the merchant's wallet.
func (c *counter) payouts(ctx context.Context, s *shop, events map[string][]string, swept map[string]money.Piconero) {
	payouts := fixture.Must(s.Payouts(ctx))
	for _, p := range payouts {
		c.faults = append(c.faults, fixture.PayoutFaults(p, events[p.PayoutID], false)...)
		if p.Status != "broadcast" && p.Status != "confirmed" {
			continue
		}
		c.made[sweepsMade]++
		if gross := p.AmountXMR + p.RefundXMR + p.FeeXMR + p.NetworkFeeXMR; gross != swept[p.PayoutID] {
			c.addf(fixture.PaidOutBeside, p.PayoutID, "%s XMR of charges of %s XMR", gross, swept[p.PayoutID])
		}
	}
	c.faults = append(c.faults, fixture.PaidOutTo(payouts, c.paid.At(s.Wallet))...)
}

// refunds compares a merchant's refunds with what arrived at their buyers: each claim once
// where it is completed, and nothing else.
func (c *counter) refunds(ctx context.Context, s *shop) {
	for _, back := range s.back {
		now, err := s.Refund(ctx, back.id)
		if clients.Status(err) == http.StatusNotFound {
			c.addf(fixture.ChargeMissing, back.id, "%v", err)
			continue
		}
		fixture.Do(err)
		arrived := c.paid.To(back.payee)
		for _, claim := range now.Claims {
			switch claim.Status {
			case "completed":
				c.made[claimsPaid]++
				if amount, came := arrived[*claim.TxHash]; !came || amount.Cmp(claim.AmountXMR.Decimal()) != 0 {
					c.addf(fixture.RefundBeside, claim.ID, "%s XMR in the books, %s XMR arrived in %s", claim.AmountXMR, amount, *claim.TxHash)
				}
				delete(arrived, *claim.TxHash)
			case "in_progress":
				c.addf(fixture.RefundBeside, claim.ID, "it is being paid")
			}
		}
		for hash, amount := range arrived {
			c.addf(fixture.RefundBeside, back.id, "%s XMR arrived in %s for no claim", amount, hash)
		}
	}
}
