package charges

import (
	"context"
	"slices"

	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/rawjson"
)

// PublicCharge reads a charge for its hosted page. It implements
// pages.Charges.
func (h *Handler) PublicCharge(ctx context.Context, id string) (pages.View, error) {
	found, err := h.Store.ChargePage(ctx, id, h.Clock())
	if postgres.IsNotFound(err) {
		return pages.View{}, pages.ErrNotFound
	}
	if err != nil {
		return pages.View{}, err
	}
	v := charge.PublicViewOf(found.Charge, found.Facts, h.PublicURL)
	return pages.View{
		ID: v.ID, Amount: v.Amount, Currency: string(v.Currency), AmountXMR: v.AmountXMR, Subaddress: v.Subaddress,
		PaymentURI: v.PaymentURI, Status: pages.Status(v.Status), Confirmations: int(v.Confirmations),
		ConfirmationsRequired: int(v.ConfirmationsRequired), ExpiresAt: found.Charge.ExpiresAt,
		ConfirmedAt: found.Charge.ConfirmedAt, Description: web.OrEmpty(v.Description), ReturnURL: web.OrEmpty(v.ReturnURL),
		BusinessName: found.BusinessName, Active: v.Active, LinkState: pages.LinkState(v.LinkState),
		AmountReceived: v.AmountReceivedXMR, AmountDue: v.AmountDueXMR, PaymentState: pages.PaymentState(v.PaymentState),
		Late: v.Late, Sandbox: found.Charge.Sandbox,
		PaymentSeen: found.Charge.SeenAt != nil || len(found.Facts.Payments) > 0,
		Fields:      v.Fields, FieldsGiven: hasBuyerInfo(found.Charge.Metadata),
	}, nil
}

// hasBuyerInfo tells whether a buyer has sent values.
func hasBuyerInfo(metadata []byte) bool {
	members, err := rawjson.Members(metadata)
	return err == nil && slices.ContainsFunc(members, func(m rawjson.Member) bool { return m.Name == checkout.BuyerInfoKey })
}
