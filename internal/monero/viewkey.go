package monero

import (
	"errors"
	"fmt"

	"filippo.io/edwards25519"
)

// ErrWeakKey means that a key of an address has no owner, or that everyone is its owner.
var ErrWeakKey = errors.New("a key of the address is not one that a wallet makes")

// CheckWatched returns ErrWeakKey if a wallet must not be watched with these keys, although they
// fit each other: the view key is zero, or the spend key is outside of the group that keys of
// wallets are in.
func (d *Deriver) CheckWatched() error {
	if d.view.Equal(edwards25519.NewScalar()) == 1 {
		return fmt.Errorf("%w: the view key is zero", ErrWeakKey)
	}
	identity := edwards25519.NewIdentityPoint()
	// (ℓ-1)·B + B is the identity only for a point of the group.
	minusOne := new(edwards25519.Scalar).Negate(one())
	sum := new(edwards25519.Point).ScalarMult(minusOne, d.spendPoint)
	if d.spendPoint.Equal(identity) == 1 || sum.Add(sum, d.spendPoint).Equal(identity) != 1 {
		return fmt.Errorf("%w: the spend key is not in the group", ErrWeakKey)
	}
	return nil
}

func one() *edwards25519.Scalar {
	var b [32]byte
	b[0] = 1
	s, err := new(edwards25519.Scalar).SetCanonicalBytes(b[:])
	if err != nil {
		panic(err) // one is canonical
	}
	return s
}
