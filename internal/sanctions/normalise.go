package sanctions

import (
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"

	"github.com/durapay/durapay/internal/monero"
)

// bech32Alphabet contains the characters after the prefix of a bech32 address,
// and all characters of a cash address.
const bech32Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// minBech32 is less than the length of any bech32 address after its prefix.
const minBech32 = 38

// The first bytes of Litecoin's script addresses in base58: the current one,
// and the former one, which is also Bitcoin's.
const scriptVersion, oldScriptVersion = 0x32, 0x05

// spellings returns the spellings in which a list may contain an address.
func spellings(address string) []string {
	normal := Normalise(address)
	hash, version, err := base58.CheckDecode(normal)
	if err != nil || version != scriptVersion {
		return []string{normal}
	}
	return []string{normal, base58.CheckEncode(hash, oldScriptVersion)}
}

// Normalise converts an address to the spelling in which addresses are
// compared. Addresses in the format of Ethereum and bech32 addresses are in
// lower case. Cash addresses are in lower case without their prefix. Monero's
// integrated addresses lose the payment ID, because the owner of the primary
// address owns them too. All other texts, including base58 and unknown formats,
// stay as they are, without surrounding space.
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

// withoutPaymentID returns the primary address inside an integrated one. It
// returns any other text unchanged.
func withoutPaymentID(address string) string {
	a, err := monero.ParseAddress(address)
	if err != nil || a.Kind != monero.KindIntegrated {
		return address
	}
	a.Kind = monero.KindStandard
	return a.String()
}
