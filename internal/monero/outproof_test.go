package monero

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
)

// checkProof has a wallet check a proof. It returns an error for a text that is not a
// proof.
func (c *chain) checkProof(t *testing.T, hash, address, proof string) (good bool, amount money.Piconero, err error) {
	t.Helper()
	var out struct {
		Good     bool   `json:"good"`
		Received uint64 `json:"received"`
	}
	err = c.watch.client.rpc(t.Context(), call{Method: "check_tx_proof", Params: map[string]any{
		"txid": hash, "address": address, "message": "", "signature": proof,
	}}, &out)
	return out.Good, money.Piconero(out.Received), err
}

// scenarioProof has a wallet check proofs of payments to an address and to subaddresses,
// with one and with two destinations.
func scenarioProof(t *testing.T, c *chain) {
	primary := Destination{c.merchant.address, half / 2}
	for name, to := range map[string][]Destination{
		"an address":                     {primary},
		"a subaddress":                   {c.sub(t, 6, half)},
		"a subaddress beside an address": {c.sub(t, 6, half), primary},
		"two subaddresses":               {c.sub(t, 6, half), c.sub(t, 7, half/2)},
	} {
		tx := c.build(t, to...)
		require.NoError(t, c.daemon.Relay(t.Context(), tx.BlobHex))
		c.confirm(t, tx.Hash)
		other := c.build(t, primary)
		for _, d := range to {
			address, err := ParseAddress(d.Address)
			require.NoError(t, err)
			proof, err := OutProof(tx.Hash, tx.Key, address)
			require.NoError(t, err)
			good, amount, err := c.checkProof(t, tx.Hash, d.Address, proof)
			require.NoError(t, err)
			require.True(t, good, name)
			require.Equal(t, d.Amount, amount, name)

			// It proves nothing for another address, and a proof with another transaction's key
			// proves nothing.
			good, _, err = c.checkProof(t, tx.Hash, c.payerKeys.address, proof)
			require.True(t, err != nil || !good, name)
			forged, err := OutProof(tx.Hash, other.Key[:64], address)
			require.NoError(t, err)
			good, _, err = c.checkProof(t, tx.Hash, d.Address, forged)
			require.True(t, err != nil || !good, name)
		}
	}
}

func TestOutProofOfWhatIsNone(t *testing.T) {
	t.Parallel()
	address, err := ParseAddress(newKeys(t).address)
	require.NoError(t, err)
	hash, key := strings.Repeat("ab", 32), "01"+strings.Repeat("00", 31)
	first, err := OutProof(hash, key, address)
	require.NoError(t, err)
	again, err := OutProof(hash, key, address)
	require.NoError(t, err)
	require.NotEqual(t, first, again)
	two, err := OutProof(hash, key+key, address)
	require.NoError(t, err)
	require.Len(t, two, 2*len(first)-len("OutProofV2"))
	for _, bad := range []string{"", "x", key[2:], key + "00", strings.Repeat("ff", 32)} {
		_, err = OutProof(hash, bad, address)
		require.ErrorIs(t, err, ErrTxKey, bad)
	}
	for _, bad := range []string{"", "x", hash[2:], hash + "00"} {
		_, err = OutProof(bad, key, address)
		require.Error(t, err, bad)
	}
}
