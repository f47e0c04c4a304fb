package sanctions

import (
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"

	"github.com/durapay/durapay/internal/monero"
)

// bech32Alphabet are the characters after the prefix of a bech32 address, and
// all of a cash address.
const bech32Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// minBech32 is fewer characters than any bech32 address has after its prefix.
const minBech32 = 38

// The first bytes of Litecoin's scripts in base58: as they are written now, and
// as they were, which is Bitcoin's way.
const scriptVersion, oldScriptVersion = 0x32, 0x05

// spellings are those in which a list may name an address.
func spellings(address string) []string {
	one := Normalise(address)
	hash, version, err := base58.CheckDecode(one)
	if err != nil || version != scriptVersion {
		return []string{one}
	}
	return []string{one, base58.CheckEncode(hash, oldScriptVersion)}
}

// Normalise brings an address into the one spelling in which addresses are
// compared: addresses of Ethereum's kind and bech32 in lower case, cash
// addresses in lower case without their prefix, Monero's integrated addresses
// without the payment ID, since whoever has the address has them all.
// Everything else, base58 and texts of unknown form included, stays exactly as
// it is, without the space around it.
func Normalise(address string) string {
	address = strings.TrimSpace(address)
	lower := strings.ToLower(address)
	if isEVM(lower) {
		return lower
	}
	if address != lower && address != strings.ToUpper(address) {
		return withoutPaymentID(address) // mixed case is part of a base58 address
	}
	if _, text, found := strings.Cut(lower, ":"); found && isBech32Text(text) {
		return text
	}
	if isBech32Text(lower) || isBech32Text(lower[strings.LastIndexByte(lower, '1')+1:]) {
		return lower
	}
	return address
}

func isEVM(lower string) bool {
	digits, ok := strings.CutPrefix(lower, "0x")
	return ok && len(digits) == 40 && strings.Trim(digits, "0123456789abcdef") == ""
}

func isBech32Text(text string) bool {
	return len(text) >= minBech32 && strings.Trim(text, bech32Alphabet) == ""
}

// withoutPaymentID is the primary address inside of an integrated one; any
// other text stays as it is.
func withoutPaymentID(address string) string {
	a, err := monero.ParseAddress(address)
	if err != nil || a.Kind != monero.KindIntegrated {
		return address
	}
	a.Kind = monero.KindStandard
	return a.String()
}
