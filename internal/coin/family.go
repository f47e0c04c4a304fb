package coin

import (
	"errors"
	"fmt"

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

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
