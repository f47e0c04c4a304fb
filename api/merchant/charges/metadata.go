package charges

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/internal/rawjson"
)

// maxOrderText is the longest order ID, in bytes, that is indexed as it is.
const maxOrderText = 200

// metadata is what a charge keeps of a metadata object: the object itself,
// digit for digit, and what its reserved keys say.
type metadata struct {
	text        string
	orderID     *string
	description *string
	returnURL   *string
}

// parseMetadata reads a JSON object; nothing and null are the empty object. A
// return_url that is not an http(s) URL is dropped.
func parseMetadata(raw []byte) (metadata, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return metadata{text: "{}"}, nil
	}
	members, err := rawjson.Members(raw)
	if err != nil {
		return metadata{}, answer.BadRequest("metadata must be an object")
	}
	var m metadata
	kept := members[:0]
	for _, member := range members {
		switch member.Name {
		case "order_id":
			m.orderID = orderIDOf(member.Value)
		case "description":
			m.description = description(textOf(member.Value))
		case "return_url":
			m.returnURL = returnURL(textOf(member.Value))
			if m.returnURL == nil {
				continue
			}
		}
		kept = append(kept, member)
	}
	m.text = rawjson.Object(kept)
	return m, nil
}

// textOf is the text of a JSON string; empty for anything else.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// orderIDOf is the order ID that a metadata value names: a string, or the
// digits of a number as they were sent.
func orderIDOf(raw json.RawMessage) *string {
	text := textOf(raw)
	if text == "" {
		var n json.Number
		if raw[0] == '"' || json.Unmarshal(raw, &n) != nil || n == "" {
			return nil
		}
		text = n.String()
	}
	key := orderKey(text)
	return &key
}

// orderKey is the form under which an order ID is stored and looked up: the
// text, or a digest of one that the index cannot hold.
func orderKey(orderID string) string {
	if len(orderID) <= maxOrderText && !strings.ContainsRune(orderID, 0) {
		return orderID
	}
	sum := sha256.Sum256([]byte(orderID))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// description is what a merchant tells its customers: as it was sent, "Size <
// 5" and "<b>" alike, since pages escape what they show. It is cut at 500
// characters; nil when there is nothing to read. U+0000, which cannot be
// stored, is left away.
func description(s string) *string {
	text := strings.ReplaceAll(s, "\x00", "")
	if utf8.RuneCountInString(text) > checkout.MaxDescription {
		text = string([]rune(text)[:checkout.MaxDescription])
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return &text
}

// returnURL is an absolute http or https URL; nil for anything else.
func returnURL(s string) *string {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil
	}
	return &s
}
