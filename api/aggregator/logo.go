package aggregator

import (
	_ "embed"
	"net/http"
)

// logoPath is where the picture of the exchange is.
const logoPath = "/images/providers/durapay.svg"

//go:embed logo.svg
var logoSVG []byte

func logo(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write(logoSVG) // the client is gone if this fails
}
