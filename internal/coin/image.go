package coin

import (
	"fmt"
	"strings"
)

// imagePath returns the path at which the services offer the picture of a coin.
func imagePath(ticker string) string { return "/images/coins/" + ticker + ".svg" }

// Picture draws the coin's image as SVG: its ticker on a disc. The ticker
// determines the colour of the disc.
func (c Coin) Picture() []byte {
	hue := 0
	for i := range len(c.Ticker) {
		hue = (hue*31 + int(c.Ticker[i])) % 360
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="%s">`+
		`<circle cx="32" cy="32" r="32" fill="hsl(%d,55%%,38%%)"/>`+
		`<text x="32" y="38" font-family="sans-serif" font-size="17" font-weight="bold" text-anchor="middle" fill="#fff">%s</text>`+
		`</svg>`, c.Name, hue, strings.ToUpper(c.Ticker))
}
