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

// DefaultSize is the edge of an image in pixels where the caller names none.
const DefaultSize = 512

// MinSize and MaxSize bound the edge of an image in pixels.
const (
	MinSize = 64
	MaxSize = 2048
)

// ErrSize is returned for a size outside of MinSize to MaxSize.
var ErrSize = errors.New("qr: size out of range")

// ErrContent is returned for a text that is empty or too long for one QR code.
var ErrContent = errors.New("qr: text cannot be encoded")

// PNG draws text as a square black and white image with edges of size pixels and a
// quiet zone on all sides. Modules are whole pixels, all of one size; the remaining
// pixels widen the quiet zone. Errors: ErrSize (also when the text needs more
// modules than there are pixels), ErrContent.
func PNG(text string, size int) ([]byte, error) {
	if size < MinSize || size > MaxSize {
		return nil, ErrSize
	}
	code, err := qrcode.New(text, qrcode.Medium)
	if err != nil || text == "" {
		return nil, ErrContent
	}
	modules := code.Bitmap()
	if len(modules) > size {
		return nil, ErrSize
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

// DataURL draws text at DefaultSize as a data URL (data:image/png;base64,…).
func DataURL(text string) (string, error) {
	drawn, err := PNG(text, DefaultSize)
	if err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(drawn), nil
}
