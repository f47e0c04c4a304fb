package sanctions

import "strings"

// bech32Alphabet are the characters after the prefix of a bech32 address, and
// all of a cash address.
const bech32Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// minBech32 is fewer characters than any bech32 address has after its prefix.
const minBech32 = 38

// Normalise brings an address into the one spelling in which addresses are
// compared: addresses of Ethereum's kind and bech32 in lower case, cash
// addresses in lower case without their prefix. Everything else, base58 and
// texts of unknown form included, stays exactly as it is, without the space
// around it.
func Normalise(address string) string {
	address = strings.TrimSpace(address)
	lower := strings.ToLower(address)
	if isEVM(lower) {
		return lower
	}
	if address != lower && address != strings.ToUpper(address) {
		return address // mixed case is part of a base58 address
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
