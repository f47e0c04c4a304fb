package charges

import (
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/wire"
)

// metadata is the part of a metadata object that a charge stores: the object itself, digit for
// digit, and the values of its reserved keys.
type metadata struct {
	text        string
	orderID     *string
	description *string
	returnURL   *string
}

// parseMetadata reads a JSON object. A missing value and null become the empty object. It drops
// a return_url that is not an http(s) URL, and refuses a buyer_info that is not an object (400).
func parseMetadata(raw []byte) (metadata, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return metadata{text: "{}"}, nil
	}
	members, err := wire.Members(raw)
	if err != nil {
		return metadata{}, httpapi.BadRequest("metadata must be an object")
	}
	var m metadata
	kept := members[:0]
	for _, member := range members {
		switch member.Name {
		case service.BuyerInfoKey:
			if !wire.IsObject(member.Value) {
				return metadata{}, httpapi.BadRequest("%s", service.ErrBuyerInfo)
			}
		case "order_id":
			m.orderID = charge.OrderIDOf(member.Value)
		case "description":
			m.description = service.Description(wire.TextOf(member.Value))
		case "return_url":
			m.returnURL = service.ReturnURL(wire.TextOf(member.Value))
			if m.returnURL == nil {
				continue
			}
		}
		kept = append(kept, member)
	}
	m.text = wire.Object(kept)
	return m, nil
}
