package coin

import (
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/btcutil/bech32"
)

// cashaddrAlphabet is the alphabet of cash addresses, which is also that of
// bech32.
const cashaddrAlphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

const (
	cashaddrSum     = 8   // characters of checksum
	cashaddrMaxText = 112 // characters after the prefix: 64 bytes of hash
	cashaddrPubKey  = 0   // type: hash of a key
	cashaddrScript  = 1   // type: hash of a script
)

func cashaddrPrefix(net Net) string {
	if net == Regtest {
		return "bchreg"
	}
	return "bitcoincash"
}

// checkCashaddr accepts the address format of Bitcoin Cash, with or without its
// prefix. It refuses the older base58 format, because such an address is letter
// for letter one of Bitcoin. It also refuses the types that announce tokens,
// because not every wallet can pay them.
//
// https://github.com/bitcoincashorg/bitcoincash.org/blob/master/spec/cashaddr.md
func checkCashaddr(address, prefix string) error {
	lower := strings.ToLower(address)
	if address != lower && address != strings.ToUpper(address) {
		return errForm
	}
	text := lower
	if before, after, found := strings.Cut(lower, ":"); found {
		if before != prefix {
			return errNetwork
		}
		text = after
	}
	data, ok := cashaddrDigits(text)
	if !ok {
		return errForm
	}
	if cashaddrPolymod(prefix, data) != 0 {
		return errChecksum
	}
	return checkCashHash(data[:len(data)-cashaddrSum])
}

func cashaddrDigits(text string) ([]byte, bool) {
	if len(text) <= cashaddrSum || len(text) > cashaddrMaxText {
		return nil, false
	}
	data := make([]byte, len(text))
	for i := range len(text) {
		digit := strings.IndexByte(cashaddrAlphabet, text[i])
		if digit < 0 {
			return nil, false
		}
		data[i] = byte(digit)
	}
	return data, true
}

// cashaddrPolymod returns the checksum over GF(32) of the prefix and the digits.
// It is 0 for a valid address.
func cashaddrPolymod(prefix string, data []byte) uint64 {
	sum := uint64(1)
	for i := range len(prefix) {
		sum = cashaddrStep(sum, prefix[i]&0x1f)
	}
	sum = cashaddrStep(sum, 0)
	for _, digit := range data {
		sum = cashaddrStep(sum, digit)
	}
	return sum ^ 1
}

func cashaddrStep(sum uint64, digit byte) uint64 {
	top := byte(sum >> 35)
	sum = (sum&0x07ffffffff)<<5 ^ uint64(digit)
	for bit, generator := range [...]uint64{0x98f2bc8e61, 0x79b76d99e2, 0xf33e5fb3c4, 0xae2eabe2a8, 0x1e4f43e470} {
		if top>>bit&1 == 1 {
			sum ^= generator
		}
	}
	return sum
}

// checkCashHash checks the version byte and the hash: 20 bytes for a key or a
// script, or 32 bytes for a script.
func checkCashHash(digits []byte) error {
	payload, err := bech32.ConvertBits(digits, 5, 8, false)
	if err != nil || len(payload) == 0 {
		return errForm
	}
	kind, size, hash := payload[0]>>3, payload[0]&7, payload[1:]
	switch {
	case (kind == cashaddrPubKey || kind == cashaddrScript) && size == 0 && len(hash) == hashLen:
	case kind == cashaddrScript && size == 3 && len(hash) == scriptHashLen:
	default:
		return fmt.Errorf("%w: unknown kind", ErrAddress)
	}
	if allZero(hash) {
		return errNull
	}
	return nil
}
