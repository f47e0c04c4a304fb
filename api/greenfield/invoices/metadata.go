package invoices

import (
	"github.com/durapay/durapay/api/greenfield/problem"
	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/internal/rawjson"
)

// metadata is what an invoice keeps of a metadata object: the object itself, digit
// for digit, and what its known keys say.
type metadata struct {
	text string
	// order is the text of the order, orderID the key that it is found by.
	order       string
	orderID     *string
	description *string
}

// readMetadata reads a JSON object; nothing and null are the empty object.
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
			m.order, m.orderID = checkout.OrderText(member.Value), checkout.OrderIDOf(member.Value)
		case "itemDesc":
			m.description = checkout.Description(checkout.TextOf(member.Value))
		}
	}
	return m, nil
}
