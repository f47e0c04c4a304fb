package monero

import (
	"crypto/rand"

	"filippo.io/edwards25519"
)

// UnspendableAddress makes a subaddress of a network whose keys nobody has: they are
// random and forgotten.
func UnspendableAddress(n Network) Address {
	return Address{Network: n, Kind: KindSubaddress, Spend: randomPoint(), View: randomPoint()}
}

func randomPoint() [keyLen]byte {
	var wide [64]byte
	_, _ = rand.Read(wide[:]) // it does not fail: the process would end
	scalar, err := new(edwards25519.Scalar).SetUniformBytes(wide[:])
	if err != nil {
		panic(err) // 64 bytes are always taken
	}
	return [keyLen]byte(new(edwards25519.Point).ScalarBaseMult(scalar).Bytes())
}
