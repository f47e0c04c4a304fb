package main

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/e2e/books"
	"github.com/durapay/durapay/e2e/clients"
)

// refunds compares a merchant's refunds with what arrived at their buyers: each claim once
// where it is completed, and nothing else.
func (c *counter) refunds(ctx context.Context, s *shop) error {
	for _, back := range s.back {
		now, err := s.Refund(ctx, back.id)
		if clients.Status(err) == http.StatusNotFound {
			c.addf(books.Missing, back.id, "%v", err)
			continue
		}
		if err != nil {
			return err
		}
		arrived := c.paid.To(back.payee)
		for _, claim := range now.Claims {
			switch claim.Status {
			case "completed":
				c.made[claimsPaid]++
				if amount, came := arrived[*claim.TxHash]; !came || amount.Cmp(claim.AmountXMR.Decimal()) != 0 {
					c.addf(books.RefundBeside, claim.ID, "%s XMR in the books, %s XMR arrived in %s", claim.AmountXMR, amount, *claim.TxHash)
				}
				delete(arrived, *claim.TxHash)
			case "in_progress":
				c.addf(books.RefundBeside, claim.ID, "it is being paid")
			}
		}
		for hash, amount := range arrived {
			c.addf(books.RefundBeside, back.id, "%s XMR arrived in %s for no claim", amount, hash)
		}
	}
	return nil
}
