package monero

import "math/bits"

// Monero's base58 encodes in blocks: 8 bytes become 11 characters. A shorter
// last block has a fixed length for each number of bytes.
const (
	base58Alphabet  = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	base58Block     = 8
	base58TextBlock = 11
)

// base58TextLen returns the number of characters of a block of i bytes.
func base58TextLen(i int) int {
	return [...]int{0, 2, 3, 5, 6, 7, 9, 10, 11}[i]
}

// base58ByteLen returns the number of bytes in a block of n characters, and
// false if no block has that length.
func base58ByteLen(n int) (int, bool) {
	for i := range base58Block + 1 {
		if base58TextLen(i) == n {
			return i, true
		}
	}
	return 0, false
}

func base58Encode(data []byte) string {
	var out []byte
	for len(data) > 0 {
		n := min(len(data), base58Block)
		out = appendBase58Block(out, data[:n])
		data = data[n:]
	}
	return string(out)
}

func appendBase58Block(out, block []byte) []byte {
	var v uint64
	for _, b := range block {
		v = v<<8 | uint64(b)
	}
	var text [base58TextBlock]byte
	n := base58TextLen(len(block))
	for i := n - 1; i >= 0; i-- {
		text[i] = base58Alphabet[v%58]
		v /= 58
	}
	return append(out, text[:n]...)
}

// base58Decode is the inverse of base58Encode. It returns false for any text
// that base58Encode could not have written.
func base58Decode(text string) ([]byte, bool) {
	out := make([]byte, 0, len(text)*base58Block/base58TextBlock+1)
	for len(text) > 0 {
		n := min(len(text), base58TextBlock)
		var ok bool
		if out, ok = appendBase58Bytes(out, text[:n]); !ok {
			return nil, false
		}
		text = text[n:]
	}
	return out, true
}

func appendBase58Bytes(out []byte, text string) ([]byte, bool) {
	size, ok := base58ByteLen(len(text))
	if !ok {
		return nil, false
	}
	var v uint64
	for i := range len(text) {
		digit, ok := base58Digit(text[i])
		hi, lo := bits.Mul64(v, 58)
		sum, carry := bits.Add64(lo, digit, 0)
		if !ok || hi != 0 || carry != 0 {
			return nil, false
		}
		v = sum
	}
	if size < base58Block && v>>(8*size) != 0 {
		return nil, false
	}
	for i := size - 1; i >= 0; i-- {
		out = append(out, byte(v>>(8*i)))
	}
	return out, true
}

func base58Digit(c byte) (uint64, bool) {
	for i := range len(base58Alphabet) {
		if base58Alphabet[i] == c {
			return uint64(i), true
		}
	}
	return 0, false
}
