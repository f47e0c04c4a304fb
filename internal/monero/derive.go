package monero

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"filippo.io/edwards25519"
)

// ErrViewKey means that a private view key is malformed or belongs to another
// address.
var ErrViewKey = errors.New("view key does not belong to the address")

// Deriver computes the subaddresses of one wallet from its private view key, so
// that addresses from a wallet process can be checked. It is immutable and safe
// for concurrent use. It holds a secret: never log it.
type Deriver struct {
	primary Address
	view    *edwards25519.Scalar
	// spendPoint is the public spend key B, and viewSpend is view·B. With them a
	// subaddress costs two multiplications of the base point, which has precomputed
	// multiples, and no multiplication of another point.
	spendPoint, viewSpend *edwards25519.Point
}

// NewDeriver makes a Deriver from a wallet's primary address and its private
// view key (64 hex digits). It returns ErrAddress if the address is not a
// primary one, and ErrViewKey if the key is not the address's.
func NewDeriver(primaryAddress, viewKeyHex string) (*Deriver, error) {
	primary, err := ParseAddress(primaryAddress)
	if err != nil {
		return nil, err
	}
	if primary.Kind != KindStandard {
		return nil, fmt.Errorf("%w: not a primary address", ErrAddress)
	}
	view, err := parseViewKey(viewKeyHex, primary)
	if err != nil {
		return nil, err
	}
	spend, err := ParsePoint(primary.Spend[:])
	if err != nil {
		return nil, err
	}
	viewSpend := new(edwards25519.Point).ScalarMult(view, spend)
	return &Deriver{primary: primary, view: view, spendPoint: spend, viewSpend: viewSpend}, nil
}

func parseViewKey(viewKeyHex string, primary Address) (*edwards25519.Scalar, error) {
	raw, err := hex.DecodeString(viewKeyHex)
	if err != nil {
		return nil, ErrViewKey
	}
	view, err := new(edwards25519.Scalar).SetCanonicalBytes(raw)
	if err != nil {
		return nil, ErrViewKey
	}
	public := new(edwards25519.Point).ScalarBaseMult(view).Bytes()
	if [keyLen]byte(public) != primary.View {
		return nil, ErrViewKey
	}
	return view, nil
}

// Primary returns the wallet's primary address.
func (d *Deriver) Primary() Address { return d.primary }

// Subaddress returns the address of an account and index; (0, 0) is the primary
// address.
func (d *Deriver) Subaddress(account, index uint32) string {
	if account == 0 && index == 0 {
		return d.primary.String()
	}
	m, spend := d.spend(account, index)
	view := new(edwards25519.Point).ScalarBaseMult(m.Multiply(m, d.view))
	view.Add(view, d.viewSpend)
	a := Address{Network: d.primary.Network, Kind: KindSubaddress}
	copy(a.Spend[:], spend.Bytes())
	copy(a.View[:], view.Bytes())
	return a.String()
}

// SpendKey returns the public spend key of the address of an account and index. It costs
// half of Subaddress.
func (d *Deriver) SpendKey(account, index uint32) [keyLen]byte {
	if account == 0 && index == 0 {
		return d.primary.Spend
	}
	_, spend := d.spend(account, index)
	return [keyLen]byte(spend.Bytes())
}

func (d *Deriver) spend(account, index uint32) (offset *edwards25519.Scalar, key *edwards25519.Point) {
	offset = d.offset(account, index)
	key = new(edwards25519.Point).ScalarBaseMult(offset)
	return offset, key.Add(key, d.spendPoint)
}

// offset returns the scalar that moves the primary spend key to the
// subaddress's.
func (d *Deriver) offset(account, index uint32) *edwards25519.Scalar {
	position := binary.LittleEndian.AppendUint32(nil, account)
	position = binary.LittleEndian.AppendUint32(position, index)
	return ToScalar(Keccak([]byte("SubAddr\x00"), d.view.Bytes(), position))
}

// SharedSecret returns the secret that the wallet shares with the maker of a transaction
// that has this public key: 8·view·key.
func (d *Deriver) SharedSecret(key *edwards25519.Point) [keyLen]byte {
	point := new(edwards25519.Point).ScalarMult(d.view, key)
	return [keyLen]byte(point.MultByCofactor(point).Bytes())
}
