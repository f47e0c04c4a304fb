package checkout

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/web"
)

// MaxOrderText is the longest order ID, in bytes, that is indexed as it is.
const MaxOrderText = 200

// TextOf is the text of a JSON string; empty for anything else.
func TextOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// OrderText is the order that a metadata value names, as it was sent: a string, or the
// digits of a number; empty for none.
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

// OrderIDOf is the OrderKey of the order that a metadata value names; nil for none.
func OrderIDOf(raw json.RawMessage) *string {
	text := OrderText(raw)
	if text == "" {
		return nil
	}
	key := OrderKey(text)
	return &key
}

// OrderKey is the form under which an order ID is stored and looked up: the
// text, or a digest of one that the index cannot hold.
func OrderKey(orderID string) string {
	if len(orderID) <= MaxOrderText && !strings.ContainsRune(orderID, 0) {
		return orderID
	}
	sum := sha256.Sum256([]byte(orderID))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Description is what a merchant tells its customers: as it was sent, "Size <
// 5" and "<b>" alike, since pages escape what they show. It is cut at 500
// characters; nil when there is nothing to read. U+0000, which cannot be
// stored, is left away.
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

// ReturnURL is an address that a page may lead to, see web.Link; nil for anything else.
func ReturnURL(s string) *string {
	link := web.Link(s)
	if link == "" {
		return nil
	}
	return &link
}
