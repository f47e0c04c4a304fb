package monero

import (
	"crypto/rand"

	"filippo.io/edwards25519"
)

// UnspendableAddress returns a subaddress of a network without known keys: they are
// random and are forgotten.
func UnspendableAddress(n Network) Address {
	return Address{Network: n, Kind: KindSubaddress, Spend: randomPoint(), View: randomPoint()}
}

func randomPoint() [keyLen]byte {
	var wide [64]byte
	_, _ = rand.Read(wide[:]) // it never fails: the process would crash instead
	scalar, err := new(edwards25519.Scalar).SetUniformBytes(wide[:])
	if err != nil {
		panic(err) // 64 bytes are always accepted
	}
	return [keyLen]byte(new(edwards25519.Point).ScalarBaseMult(scalar).Bytes())
}
