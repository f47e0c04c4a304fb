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
	// ErrAddress means that a text is not a Monero address that can be paid.
	ErrAddress = errors.New("not a Monero address")
	// ErrAddressChecksum means that the address has the right form but was
	// mistyped.
	ErrAddressChecksum = fmt.Errorf("%w: checksum does not match", ErrAddress)
	// ErrAddressNetwork means that the address belongs to no known network.
	ErrAddressNetwork = fmt.Errorf("%w: unknown network", ErrAddress)
	// ErrAddressKey means that a public key in the address is not on the curve.
	ErrAddressKey = fmt.Errorf("%w: invalid public key", ErrAddress)
)

// Network is the chain to which an address belongs. Private (regtest) chains
// use the addresses of Mainnet.
type Network uint8

// The networks, Mainnet first.
const (
	Mainnet Network = iota
	Testnet
	Stagenet
)

// String returns the network's name for people.
func (n Network) String() string { return [...]string{"main network", "testnet", "stagenet"}[n] }

// Kind is the kind of an address: a wallet's primary address, a subaddress or
// an integrated address.
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
	// maxAddressText is the length of the longest addresses, which are the
	// integrated ones.
	maxAddressText = 106
)

// Address is a Monero address that was checked.
type Address struct {
	Network Network
	Kind    Kind
	// Spend and View are the public keys, both valid curve points.
	Spend, View [keyLen]byte
	// PaymentID is set for KindIntegrated addresses only.
	PaymentID [paymentIDLen]byte
}

// prefix returns the byte with which addresses of this network and kind start.
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

// ParseAddress reads an address and checks its form, its checksum, its network
// byte and both keys. It returns ErrAddress or one of the more precise errors
// that wrap it. None of them repeats the text.
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
		if _, err := ParsePoint(key[:]); err != nil {
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

// String returns the address's base58 text: 95 characters, or 106 for
// KindIntegrated.
func (a Address) String() string {
	raw := make([]byte, 0, addressLen+paymentIDLen)
	raw = append(raw, prefix(a.Network, a.Kind))
	raw = append(raw, a.Spend[:]...)
	raw = append(raw, a.View[:]...)
	raw = append(raw, a.PaymentID[:a.paymentIDLen()]...)
	return base58Encode(append(raw, addressChecksum(raw)...))
}

// ParsePoint reads a curve point. Like Monero, it refuses encodings that are
// not canonical, with ErrAddressKey.
func ParsePoint(b []byte) (*edwards25519.Point, error) {
	p, err := new(edwards25519.Point).SetBytes(b)
	if err != nil || !bytes.Equal(p.Bytes(), b) {
		return nil, ErrAddressKey
	}
	return p, nil
}

func addressChecksum(body []byte) []byte { return Keccak(body)[:checksumLen] }

// Keccak returns the 256-bit Keccak hash that Monero uses. It differs from
// SHA-3 in its padding.
func Keccak(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// UnspendableAddress returns a subaddress of a network without known keys: they are
// random and are forgotten.
func UnspendableAddress(n Network) Address {
	return Address{Network: n, Kind: KindSubaddress, Spend: randomPoint(), View: randomPoint()}
}

func randomPoint() [keyLen]byte {
	return [keyLen]byte(new(edwards25519.Point).ScalarBaseMult(randomScalar()).Bytes())
}
