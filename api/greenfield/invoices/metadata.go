package invoices

import (
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/wire"
)

// metadata is the metadata of an invoice: the object itself with all digits, and the values of
// its known keys.
type metadata struct {
	text string
	// order is the text of the order; orderID is the key for searches.
	order       string
	orderID     *string
	description *string
}

// readMetadata reads a JSON object. No value and null are the empty object.
func readMetadata(raw []byte) (metadata, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return metadata{text: wire.Object(nil)}, nil
	}
	members, err := wire.Members(raw)
	if err != nil {
		return metadata{}, dialect.Invalid("metadata", "metadata must be an object")
	}
	m := metadata{text: wire.Object(members)}
	for _, member := range members {
		switch member.Name {
		case service.BuyerInfoKey:
			if !wire.IsObject(member.Value) {
				return metadata{}, dialect.Invalid("metadata.buyer_info", "%s", service.ErrBuyerInfo)
			}
		case "orderId":
			m.order, m.orderID = charge.OrderText(member.Value), charge.OrderIDOf(member.Value)
		case "itemDesc":
			m.description = service.Description(wire.TextOf(member.Value))
		}
	}
	return m, nil
}
