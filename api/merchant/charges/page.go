package charges

import (
	"context"
	"slices"

	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/rawjson"
)

// PublicCharge reads a charge for its hosted page. It implements pages.Charges.
func (h *Handler) PublicCharge(ctx context.Context, id string) (pages.View, error) {
	found, err := h.Store.ChargePage(ctx, id, h.Clock())
	if postgres.IsNotFound(err) {
		return pages.View{}, pages.ErrNotFound
	}
	if err != nil {
		return pages.View{}, err
	}
	return pages.View{
		PublicView:   charge.PublicViewOf(found.Charge, found.Facts, h.PublicURL),
		BusinessName: found.BusinessName, Sandbox: found.Charge.Sandbox,
		Unpayable: charge.Unpayable(found.Charge, found.Facts), RivalSeen: found.Facts.Rival == charge.RivalSeen,
		FieldsGiven: hasBuyerInfo(found.Charge.Metadata),
	}, nil
}

// hasBuyerInfo reports whether the metadata holds a buyer's values.
func hasBuyerInfo(metadata []byte) bool {
	members, err := rawjson.Members(metadata)
	return err == nil && slices.ContainsFunc(members, func(m rawjson.Member) bool { return m.Name == checkout.BuyerInfoKey })
}
