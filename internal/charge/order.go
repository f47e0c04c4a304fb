package charge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/durapay/durapay/internal/wire"
)

// MaxOrderText is the maximum length in bytes of an order ID that is indexed unchanged.
const MaxOrderText = 200

// The fields of the metadata that hold the order ID.
const (
	orderField        = "order_id"
	orderFieldInvoice = "orderId"
)

// OrderText returns the order ID in a metadata value as it was sent: a string, or the digits of
// a number; empty for any other value.
func OrderText(raw json.RawMessage) string {
	if text := wire.TextOf(raw); text != "" {
		return text
	}
	var n json.Number
	if len(raw) == 0 || raw[0] == '"' || json.Unmarshal(raw, &n) != nil {
		return ""
	}
	return n.String()
}

// OrderIDOf returns the OrderKey of the order ID in a metadata value; nil if there is none.
func OrderIDOf(raw json.RawMessage) *string {
	text := OrderText(raw)
	if text == "" {
		return nil
	}
	return new(OrderKey(text))
}

// OrderKey returns the form under which an order ID is stored and looked up: the text itself, or
// a digest if the index cannot hold the text.
func OrderKey(orderID string) string {
	if len(orderID) <= MaxOrderText && !strings.ContainsRune(orderID, 0) {
		return orderID
	}
	sum := sha256.Sum256([]byte(orderID))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Order returns the order ID for people: the text that was sent, without U+0000, which cannot be
// stored. It returns nil if there is none.
func (c Charge) Order() *string {
	members, err := wire.Members(c.Metadata)
	if err != nil {
		return nil
	}
	field := orderField
	if c.Checkout != nil {
		field = orderFieldInvoice
	}
	for _, member := range members {
		if member.Name == field {
			if text := strings.ReplaceAll(OrderText(member.Value), "\x00", ""); text != "" {
				return &text
			}
		}
	}
	return nil
}
