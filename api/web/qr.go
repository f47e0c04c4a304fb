package web

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"

	qrcode "github.com/skip2/go-qrcode"
)

// QRSize is the edge of an image in pixels where the caller names none.
const QRSize = 512

// MinSize and MaxSize bound the edge of an image in pixels.
const (
	MinQRSize = 64
	MaxQRSize = 2048
)

// ErrQRSize is returned for a size outside of MinSize to MaxSize.
var ErrQRSize = errors.New("qr: size out of range")

// ErrQRContent is returned for a text that is empty or too long for one QR code.
var ErrQRContent = errors.New("qr: text cannot be encoded")

// QRCode draws text as a square black and white image with edges of size pixels and a
// quiet zone on all sides. Modules are whole pixels, all of one size; the remaining
// pixels widen the quiet zone. Errors: ErrSize (also when the text needs more
// modules than there are pixels), ErrContent.
func QRCode(text string, size int) ([]byte, error) {
	if size < MinQRSize || size > MaxQRSize {
		return nil, ErrQRSize
	}
	code, err := qrcode.New(text, qrcode.Medium)
	if err != nil || text == "" {
		return nil, ErrQRContent
	}
	modules := code.Bitmap()
	if len(modules) > size {
		return nil, ErrQRSize
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, draw(modules, size)); err != nil {
		return nil, fmt.Errorf("qr: draw: %w", err)
	}
	return out.Bytes(), nil
}

func draw(modules [][]bool, size int) image.Image {
	scale := size / len(modules)
	margin := (size - scale*len(modules)) / 2
	img := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.White, color.Black})
	for y := range scale * len(modules) {
		for x := range scale * len(modules) {
			if modules[y/scale][x/scale] {
				img.SetColorIndex(margin+x, margin+y, 1)
			}
		}
	}
	return img
}

// QRDataURL draws text at DefaultSize as a data URL (data:image/png;base64,…).
func QRDataURL(text string) (string, error) {
	drawn, err := QRCode(text, QRSize)
	if err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(drawn), nil
}
