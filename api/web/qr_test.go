package web

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
	"github.com/stretchr/testify/require"
)

const uri = "monero:888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H?tx_amount=0.123456789012"

func TestPNGDecodesToTheText(t *testing.T) {
	t.Parallel()
	for _, size := range []int{MinQRSize, 300, QRSize, MaxQRSize} {
		image, err := QRCode(uri, size)
		require.NoError(t, err)
		require.Equal(t, uri, read(t, image), "size %d", size)
	}
}

func TestPNGHasTheSizeAskedFor(t *testing.T) {
	t.Parallel()
	image, err := QRCode(uri, 300)
	require.NoError(t, err)
	config, err := png.DecodeConfig(bytes.NewReader(image))
	require.NoError(t, err)
	require.Equal(t, 300, config.Width)
	require.Equal(t, 300, config.Height)
}

func TestPNGRefuses(t *testing.T) {
	t.Parallel()
	_, err := QRCode(uri, MinQRSize-1)
	require.ErrorIs(t, err, ErrQRSize)
	_, err = QRCode(uri, MaxQRSize+1)
	require.ErrorIs(t, err, ErrQRSize)
	_, err = QRCode(strings.Repeat("a", 2000), MinQRSize)
	require.ErrorIs(t, err, ErrQRSize)
	_, err = QRCode("", QRSize)
	require.ErrorIs(t, err, ErrQRContent)
	_, err = QRCode(strings.Repeat("a", 3000), QRSize)
	require.ErrorIs(t, err, ErrQRContent)
}

func TestDataURLHoldsThePNG(t *testing.T) {
	t.Parallel()
	url, err := QRDataURL(uri)
	require.NoError(t, err)
	encoded, found := strings.CutPrefix(url, "data:image/png;base64,")
	require.True(t, found)
	image, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	require.Equal(t, uri, read(t, image))

	_, err = QRDataURL("")
	require.ErrorIs(t, err, ErrQRContent)
}

func read(t *testing.T, data []byte) string {
	t.Helper()
	image, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	bitmap, err := gozxing.NewBinaryBitmapFromImage(image)
	require.NoError(t, err)
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{
		gozxing.DecodeHintType_PURE_BARCODE: true,
	})
	require.NoError(t, err)
	return result.GetText()
}
