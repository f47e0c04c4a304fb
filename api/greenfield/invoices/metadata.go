package invoices

import (
	"github.com/durapay/durapay/api/greenfield/problem"
	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/rawjson"
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
		return metadata{text: rawjson.Object(nil)}, nil
	}
	members, err := rawjson.Members(raw)
	if err != nil {
		return metadata{}, problem.Invalid("metadata", "metadata must be an object")
	}
	m := metadata{text: rawjson.Object(members)}
	for _, member := range members {
		switch member.Name {
		case checkout.BuyerInfoKey:
			if !rawjson.IsObject(member.Value) {
				return metadata{}, problem.Invalid("metadata.buyer_info", "%s", checkout.ErrBuyerInfo)
			}
		case "orderId":
			m.order, m.orderID = charge.OrderText(member.Value), charge.OrderIDOf(member.Value)
		case "itemDesc":
			m.description = checkout.Description(rawjson.Text(member.Value))
		}
	}
	return m, nil
}
