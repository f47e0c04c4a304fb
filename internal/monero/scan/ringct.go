package scan

import (
	"encoding/binary"
	"fmt"
	"slices"

	"filippo.io/edwards25519"

	"github.com/durapay/durapay/internal/monero"
)

// ringKind is the type of a transaction's RingCT part (rctTypes.h).
type ringKind byte

// The kinds that exist. Apart from rewards, the network now mines bulletproofPlus alone.
const (
	ringNull            ringKind = 0 // a reward, and version 1
	ringFull            ringKind = 1
	ringSimple          ringKind = 2
	ringBulletproof     ringKind = 3
	ringBulletproof2    ringKind = 4
	ringCLSAG           ringKind = 5
	ringBulletproofPlus ringKind = 6
)

// short reports whether the kind seals an amount in 8 bytes, with the mask derived.
func (k ringKind) short() bool { return k >= ringBulletproof2 }

// sealedLen is the number of bytes of a sealed amount.
func (k ringKind) sealedLen() int {
	if k.short() {
		return 8
	}
	return 2 * len(Key{})
}

// ringCT is the base of the RingCT part (serialize_rctsig_base).
type ringCT struct {
	kind ringKind
	// sealed and commitments have an entry for each output, one after another. An entry of
	// sealed is the amount of 8 bytes, or mask and amount of 32 bytes each.
	sealed, commitments []byte
}

func (c *ringCT) read(r *monero.BlobReader, tx *Tx) error {
	c.kind = ringKind(first(r.Bytes(1)))
	switch {
	case r.Failed():
		return nil
	case c.kind > ringBulletproofPlus, tx.Reward != (c.kind == ringNull):
		return fmt.Errorf("%w: RingCT type %d, reward %t", ErrForm, c.kind, tx.Reward)
	case c.kind == ringNull:
		return nil
	}
	r.Varint() // fee
	if c.kind == ringSimple {
		r.Bytes(tx.inputs * len(Key{})) // commitments to the inputs
	}
	c.sealed = slices.Clone(r.Bytes(len(tx.Outputs) * c.kind.sealedLen()))
	c.commitments = slices.Clone(r.Bytes(len(tx.Outputs) * len(Key{})))
	return nil
}

// amount returns the piconero of an output whose secret scalar is known. It returns false
// if the amount is not the one to which the output commits, because a sender could else
// invent money (decodeRctSimple in rctSigs.cpp).
func (tx *Tx) amount(output int, secret Key) (uint64, bool) {
	if tx.ringCT.kind == ringNull {
		return tx.Outputs[output].Amount, true
	}
	open := openLong
	if tx.ringCT.kind.short() {
		open = openShort
	}
	size := tx.ringCT.kind.sealedLen()
	units, mask, ok := open(tx.ringCT.sealed[output*size:][:size], secret)
	return units, ok && slices.Equal(commit(units, mask), tx.ringCT.commitments[output*len(Key{}):][:len(Key{})])
}

// openShort is ecdhDecode with v2 (rctOps.cpp).
func openShort(sealed []byte, secret Key) (uint64, *edwards25519.Scalar, bool) {
	pad := monero.Keccak([]byte("amount"), secret[:])
	units := binary.LittleEndian.Uint64(sealed) ^ binary.LittleEndian.Uint64(pad)
	return units, monero.ToScalar(monero.Keccak([]byte("commitment_mask"), secret[:])), true
}

// openLong is ecdhDecode without v2: mask and amount are scalars, each with another one
// added.
func openLong(sealed []byte, secret Key) (uint64, *edwards25519.Scalar, bool) {
	one := monero.ToScalar(monero.Keccak(secret[:]))
	two := monero.ToScalar(monero.Keccak(one.Bytes()))
	mask := monero.ToScalar(sealed[:32])
	mask.Subtract(mask, one)
	amount := monero.ToScalar(sealed[32:])
	units := amount.Subtract(amount, two).Bytes()
	fits := slices.Equal(units[8:], make([]byte, len(units)-8))
	return binary.LittleEndian.Uint64(units), mask, fits
}

// commit returns mask·G + units·H.
func commit(units uint64, mask *edwards25519.Scalar) []byte {
	number := monero.ToScalar(binary.LittleEndian.AppendUint64(nil, units))
	return new(edwards25519.Point).VarTimeDoubleScalarBaseMult(number, amountBase(), mask).Bytes()
}

// amountBase returns H, the base point of amounts (rctTypes.h).
func amountBase() *edwards25519.Point {
	point, err := monero.ParsePoint([]byte{
		0x8b, 0x65, 0x59, 0x70, 0x15, 0x37, 0x99, 0xaf, 0x2a, 0xea, 0xdc, 0x9f, 0xf1, 0xad, 0xd0, 0xea,
		0x6c, 0x72, 0x51, 0xd5, 0x41, 0x54, 0xcf, 0xa9, 0x2c, 0x17, 0x3a, 0x0d, 0xd3, 0x9c, 0x1f, 0x94,
	})
	if err != nil {
		panic(err) // it is a constant
	}
	return point
}
