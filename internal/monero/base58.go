package monero

import (
	"bytes"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// Monero's base58 encodes in blocks: 8 bytes become 11 characters. A shorter
// last block has a fixed length for each number of bytes.
const (
	base58Block     = 8
	base58TextBlock = 11
)

// base58TextLens returns the number of characters of a block, by its number of bytes.
func base58TextLens() []int { return []int{0, 2, 3, 5, 6, 7, 9, 10, 11} }

func base58Encode(data []byte) string {
	var text strings.Builder
	for block := range slices.Chunk(data, base58Block) {
		digits := base58.Encode(bytes.TrimLeft(block, "\x00"))
		text.WriteString(strings.Repeat("1", base58TextLens()[len(block)]-len(digits)) + digits)
	}
	return text.String()
}

// base58Decode is the inverse of base58Encode. It returns false for any text
// that base58Encode could not have written.
func base58Decode(text string) ([]byte, bool) {
	var data []byte
	for len(text) > 0 {
		n := min(len(text), base58TextBlock)
		digits := strings.TrimLeft(text[:n], "1") // 1 is the digit 0
		size, block := slices.Index(base58TextLens(), n), base58.Decode(digits)
		if len(block) > size || (len(block) == 0 && digits != "") {
			return nil, false
		}
		data = append(append(data, make([]byte, size-len(block))...), block...)
		text = text[n:]
	}
	return data, true
}
