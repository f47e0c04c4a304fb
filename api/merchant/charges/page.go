package charges

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/wire"
)

// PublicCharge reads a charge for its hosted page. It implements pages.Charges.
func (h *Charges) PublicCharge(ctx context.Context, id string) (pages.View, error) {
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
		FieldsGiven: hasBuyerInfo(found.Charge.Metadata), Lock: lockOf(found), Order: orderOf(found.Charge),
	}, nil
}

// lockOf is the payer's lock that a charge waits for; nil for none.
func lockOf(found postgres.ChargeFacts) *pages.Lock {
	p := charge.LockedBy(found.Charge, found.Facts)
	if p == nil {
		return nil
	}
	return &pages.Lock{At: p.UnlockAt, Height: p.UnlockHeight}
}

// maxOrder bounds the number of an order on the page, in bytes.
const maxOrder = 200

// orderOf is the number of the order that a plugin wrote into an invoice's metadata, as
// BTCPay's page shows it. Metadata of other charges is the merchant's alone.
func orderOf(c charge.Charge) string {
	if c.Checkout == nil {
		return ""
	}
	members, err := wire.Members(c.Metadata)
	if err != nil {
		return ""
	}
	for _, m := range members {
		var order string
		if m.Name == "orderId" && json.Unmarshal(m.Value, &order) == nil && len(order) <= maxOrder {
			return order
		}
	}
	return ""
}

// hasBuyerInfo reports whether the metadata holds a buyer's values.
func hasBuyerInfo(metadata []byte) bool {
	members, err := wire.Members(metadata)
	return err == nil && slices.ContainsFunc(members, func(m wire.Member) bool { return m.Name == service.BuyerInfoKey })
}
