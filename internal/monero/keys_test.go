package monero

import (
	"crypto/rand"
	"encoding/hex"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"
)

// testKeys are a new wallet's keys, as the wallet's RPC takes them.
type testKeys struct{ address, spend, view string }

func newKeys(t *testing.T) testKeys {
	t.Helper()
	spend, view := randomScalar(t), randomScalar(t)
	a := Address{Network: Mainnet, Kind: KindStandard}
	copy(a.Spend[:], new(edwards25519.Point).ScalarBaseMult(spend).Bytes())
	copy(a.View[:], new(edwards25519.Point).ScalarBaseMult(view).Bytes())
	return testKeys{
		address: a.String(),
		spend:   hex.EncodeToString(spend.Bytes()),
		view:    hex.EncodeToString(view.Bytes()),
	}
}

func randomScalar(t *testing.T) *edwards25519.Scalar {
	t.Helper()
	var wide [64]byte
	_, err := rand.Read(wide[:])
	require.NoError(t, err)
	s, err := new(edwards25519.Scalar).SetUniformBytes(wide[:])
	require.NoError(t, err)
	return s
}
