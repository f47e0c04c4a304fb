package coin

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"filippo.io/edwards25519"
	"github.com/btcsuite/btcd/btcutil/base58"
	"golang.org/x/crypto/sha3"

	"github.com/durapay/durapay/internal/monero"
)

// maxAddress is more characters than any address has. The longest addresses are
// those of Litecoin's extension blocks with 117.
const maxAddress = 128

// errNull refuses an address that stands for all zeros, because it has no known
// private key.
var errNull = fmt.Errorf("%w: nobody can spend from it", ErrAddress)

// family is a format of addresses. Coins on the same network share it.
type family uint8

const (
	familyNone family = iota
	familyMonero
	familyBitcoin
	familyLitecoin
	familyDogecoin
	familyBitcoinCash
	familyEthereum
	familyTron
	familySolana
)

func (f family) check(address string, net Net) error {
	switch f {
	case familyMonero:
		return checkMonero(address)
	case familyBitcoin, familyLitecoin, familyDogecoin:
		return checkTransparent(address, transparentForms(f, net))
	case familyBitcoinCash:
		return checkCashaddr(address, cashaddrPrefix(net))
	case familyEthereum:
		return checkEthereum(address)
	case familyTron:
		return checkTron(address)
	case familySolana:
		return checkSolana(address)
	case familyNone:
	}
	return fmt.Errorf("%w: no such coin", ErrAddress)
}

// checkMonero accepts all three kinds of addresses of the main network. Private
// chains use the same addresses.
func checkMonero(address string) error {
	a, err := monero.ParseAddress(address)
	switch {
	case errors.Is(err, monero.ErrAddressChecksum):
		return errChecksum
	case err != nil:
		return fmt.Errorf("%w: not a Monero address", ErrAddress)
	case a.Network != monero.Mainnet:
		return errNetwork
	}
	return nil
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

const (
	tronVersion   = 0x41
	solanaKeyLen  = 32
	solanaMaxText = 44 // characters of 32 bytes in base58
)

// checkEthereum accepts 0x and 40 hexadecimal digits. Digits in mixed case
// carry a checksum (EIP-55), which must be right. Digits in one case carry
// none.
func checkEthereum(address string) error {
	digits, ok := strings.CutPrefix(address, "0x")
	if !ok || len(digits) != 2*hashLen {
		return errForm
	}
	raw, err := hex.DecodeString(digits)
	if err != nil {
		return errForm
	}
	if allZero(raw) {
		return errNull
	}
	lower := strings.ToLower(digits)
	if digits != lower && digits != strings.ToUpper(digits) && digits != eip55(lower) {
		return errChecksum
	}
	return nil
}

// eip55 returns the text with the checksum: a letter is in upper case where the
// hash of the lower-case text has a digit of 8 or more.
func eip55(lower string) string {
	h := sha3.NewLegacyKeccak256()
	h.Write([]byte(lower))
	marks := hex.EncodeToString(h.Sum(nil))
	out := []byte(lower)
	for i := range out {
		if out[i] >= 'a' && marks[i] >= '8' {
			out[i] -= 'a' - 'A'
		}
	}
	return string(out)
}

func checkTron(address string) error { return checkBase58(address, []byte{tronVersion}) }

// checkSolana accepts the address of a person's wallet: a public key of 32
// bytes that is a point on the curve. Solana's addresses carry no checksum, so
// this check is also the one that catches half of all typing mistakes.
// Addresses of programs (token accounts, vaults) lie off the curve and are
// refused. All zeros is the address of the system program and is refused too.
func checkSolana(address string) error {
	if len(address) > solanaMaxText {
		return errForm
	}
	raw := base58.Decode(address)
	if len(raw) != solanaKeyLen {
		return errForm
	}
	if allZero(raw) {
		return errNull
	}
	if _, err := new(edwards25519.Point).SetBytes(raw); err != nil {
		return errCurve
	}
	return nil
}
