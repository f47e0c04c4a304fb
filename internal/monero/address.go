package monero

import (
	"bytes"
	"errors"
	"fmt"

	"filippo.io/edwards25519"
	"golang.org/x/crypto/sha3"
)

// Errors of ParseAddress. Each of them is an ErrAddress.
var (
	// ErrAddress says that a text is not a Monero address that can be paid.
	ErrAddress = errors.New("not a Monero address")
	// ErrAddressChecksum says that the address has the right form but was mistyped.
	ErrAddressChecksum = fmt.Errorf("%w: checksum does not match", ErrAddress)
	// ErrAddressNetwork says that the address belongs to no known network.
	ErrAddressNetwork = fmt.Errorf("%w: unknown network", ErrAddress)
	// ErrAddressKey says that a public key in the address is not on the curve.
	ErrAddressKey = fmt.Errorf("%w: invalid public key", ErrAddress)
)

// Network is the chain that an address belongs to. Private (regtest) chains
// use the addresses of Mainnet.
type Network uint8

// The networks, Mainnet first.
const (
	Mainnet Network = iota
	Testnet
	Stagenet
)

// String is its name, for people.
func (n Network) String() string { return [...]string{"main network", "testnet", "stagenet"}[n] }

// Kind tells a wallet's primary address from the others.
type Kind uint8

// The kinds of address.
const (
	// KindStandard is a primary address: account 0, index 0.
	KindStandard Kind = iota
	// KindSubaddress is any other address of a wallet.
	KindSubaddress
	// KindIntegrated is a primary address with an 8-byte payment id inside.
	KindIntegrated
)

const (
	keyLen       = 32
	checksumLen  = 4
	paymentIDLen = 8
	addressLen   = 1 + 2*keyLen + checksumLen
	// maxAddressText is the length of an integrated address, the longest.
	maxAddressText = 106
)

// Address is a checked Monero address.
type Address struct {
	Network Network
	Kind    Kind
	// Spend and View are the public keys, both valid curve points.
	Spend, View [keyLen]byte
	// PaymentID is set for KindIntegrated addresses only.
	PaymentID [paymentIDLen]byte
}

// prefix is the byte that an address of this network and kind starts with.
func prefix(n Network, k Kind) byte {
	return [...][3]byte{
		Mainnet:  {KindStandard: 18, KindSubaddress: 42, KindIntegrated: 19},
		Testnet:  {KindStandard: 53, KindSubaddress: 63, KindIntegrated: 54},
		Stagenet: {KindStandard: 24, KindSubaddress: 36, KindIntegrated: 25},
	}[n][k]
}

func parsePrefix(b byte) (Network, Kind, bool) {
	for n := Mainnet; n <= Stagenet; n++ {
		for k := KindStandard; k <= KindIntegrated; k++ {
			if prefix(n, k) == b {
				return n, k, true
			}
		}
	}
	return 0, 0, false
}

// ParseAddress reads an address and checks its form, checksum, network byte
// and both keys. The errors are ErrAddress and the more precise ones beside
// it; none of them repeats the text.
func ParseAddress(s string) (Address, error) {
	if len(s) > maxAddressText {
		return Address{}, ErrAddress
	}
	raw, ok := base58Decode(s)
	if !ok || len(raw) < addressLen {
		return Address{}, ErrAddress
	}
	body, sum := raw[:len(raw)-checksumLen], raw[len(raw)-checksumLen:]
	if !bytes.Equal(addressChecksum(body), sum) {
		return Address{}, ErrAddressChecksum
	}
	return parseBody(body)
}

func parseBody(body []byte) (Address, error) {
	network, kind, ok := parsePrefix(body[0])
	if !ok {
		return Address{}, ErrAddressNetwork
	}
	a := Address{Network: network, Kind: kind}
	keys := body[1:]
	copy(a.Spend[:], keys)
	copy(a.View[:], keys[keyLen:])
	rest := keys[2*keyLen:]
	if len(rest) != a.paymentIDLen() {
		return Address{}, ErrAddress
	}
	copy(a.PaymentID[:], rest)
	for _, key := range [][keyLen]byte{a.Spend, a.View} {
		if _, err := parsePoint(key[:]); err != nil {
			return Address{}, err
		}
	}
	return a, nil
}

func (a Address) paymentIDLen() int {
	if a.Kind == KindIntegrated {
		return paymentIDLen
	}
	return 0
}

// String is the address's base58 text: 95 characters, 106 when KindIntegrated.
func (a Address) String() string {
	raw := make([]byte, 0, addressLen+paymentIDLen)
	raw = append(raw, prefix(a.Network, a.Kind))
	raw = append(raw, a.Spend[:]...)
	raw = append(raw, a.View[:]...)
	raw = append(raw, a.PaymentID[:a.paymentIDLen()]...)
	return base58Encode(append(raw, addressChecksum(raw)...))
}

// parsePoint reads a curve point and, as Monero does, refuses encodings that
// are not canonical.
func parsePoint(b []byte) (*edwards25519.Point, error) {
	p, err := new(edwards25519.Point).SetBytes(b)
	if err != nil || !bytes.Equal(p.Bytes(), b) {
		return nil, ErrAddressKey
	}
	return p, nil
}

func addressChecksum(body []byte) []byte { return keccak(body)[:checksumLen] }

// keccak is the 256-bit Keccak that Monero uses, older than SHA-3's padding.
func keccak(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}
