package monero

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The key images of a transaction with two inputs, as monero-wallet-rpc
// reported them when it built it.
var (
	realImages = []string{
		"a8131092caf9f514ea7b9f8f966dbc289ef90093c63e6cef93fb488fa9c758aa",
		"9de03eb321643c2364d7818d80e20fcb8170969764e1bffa0eda4a813ca02d9a",
	}
)

func realTx(tb testing.TB) string {
	tb.Helper()
	blob, err := os.ReadFile("testdata/two_inputs.hex")
	require.NoError(tb, err)
	return strings.TrimSpace(string(blob))
}

func TestKeyImagesAreThoseOfTheInputs(t *testing.T) {
	t.Parallel()
	images, err := KeyImages(realTx(t))
	require.NoError(t, err)
	require.Equal(t, realImages, images)
}

func TestKeyImagesRefusesWhatIsNotATransaction(t *testing.T) {
	t.Parallel()
	image := strings.Repeat("ab", keyLen)
	for name, blob := range map[string]string{
		"empty":                       "",
		"not hex":                     "zz",
		"version 1":                   "01000102000101" + image,
		"no inputs":                   "020000" + image,
		"a block's reward":            "020001ff01" + image,
		"more inputs than bytes":      "0200ffffffffff7f02000101" + image,
		"a larger ring than bytes":    "0200010200ffffffffffffffffff01" + image,
		"endless number":              "02" + strings.Repeat("ff", 64),
		"number with superfluous 0":   "0200018200" + image + image,
		"number above 64 bits":        "02ffffffffffffffffff02" + "0102000101" + image,
		"cut within the second image": realTx(t)[:200],
		"too long":                    strings.Repeat("0", maxBlobHex+2),
	} {
		_, err := KeyImages(blob)
		require.ErrorIs(t, err, ErrTransaction, name)
	}
}

func FuzzKeyImages(f *testing.F) {
	tx, err := hex.DecodeString(realTx(f))
	require.NoError(f, err)
	f.Add(tx)
	f.Add(tx[:100])
	f.Add([]byte{2, 0, 1, 2, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, blob []byte) {
		images, err := KeyImages(hex.EncodeToString(blob))
		if err != nil {
			require.ErrorIs(t, err, ErrTransaction)
			return
		}
		require.NotEmpty(t, images)
		require.LessOrEqual(t, len(images)*minInputLen, len(blob))
	})
}
