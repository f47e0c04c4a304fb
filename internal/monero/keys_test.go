package monero

import (
	"encoding/hex"
	"testing"

	"filippo.io/edwards25519"
)

// testKeys are a new wallet's keys, as the wallet's RPC takes them.
type testKeys struct{ address, spend, view string }

func newKeys(t *testing.T) testKeys {
	t.Helper()
	spend, view := randomScalar(), randomScalar()
	a := Address{Network: Mainnet, Kind: KindStandard}
	copy(a.Spend[:], new(edwards25519.Point).ScalarBaseMult(spend).Bytes())
	copy(a.View[:], new(edwards25519.Point).ScalarBaseMult(view).Bytes())
	return testKeys{
		address: a.String(),
		spend:   hex.EncodeToString(spend.Bytes()),
		view:    hex.EncodeToString(view.Bytes()),
	}
}
