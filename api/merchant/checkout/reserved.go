package checkout

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/web"
)

// MaxOrderText is the maximum length in bytes of an order ID that is indexed unchanged.
const MaxOrderText = 200

// TextOf returns the text of a JSON string; empty for any other value.
func TextOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// OrderText returns the order ID in a metadata value as it was sent: a string, or the digits of
// a number; empty for any other value.
func OrderText(raw json.RawMessage) string {
	if text := TextOf(raw); text != "" {
		return text
	}
	var n json.Number
	if raw[0] == '"' || json.Unmarshal(raw, &n) != nil {
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
	key := OrderKey(text)
	return &key
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

// Description returns the text that a merchant shows to its customers, as it was sent: "Size <
// 5" and "<b>" stay, because pages escape their output. It cuts the text at 500 characters and
// removes U+0000, which cannot be stored. It returns nil if the text is empty or blank.
func Description(s string) *string {
	text := strings.ReplaceAll(s, "\x00", "")
	if utf8.RuneCountInString(text) > MaxDescription {
		text = string([]rune(text)[:MaxDescription])
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return &text
}

// ReturnURL returns an address that a page may link to, see web.Link; nil for any other text.
func ReturnURL(s string) *string {
	link := web.Link(s)
	if link == "" {
		return nil
	}
	return &link
}
