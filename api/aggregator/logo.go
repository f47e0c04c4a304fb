package aggregator

import (
	_ "embed"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/internal/exchange"
)

// Where the pictures of the exchange and of all other providers are.
const (
	ownLogoPath   = "/images/providers/durapay.svg"
	otherLogoPath = "/images/providers/other.svg"
)

//go:embed logo.svg
var ownLogo []byte

//go:embed other.svg
var otherLogo []byte

// logoPath is where a provider's picture is. Those of others are not ours to
// show: they share one.
func logoPath(provider string) string {
	if provider == exchange.ProviderName {
		return ownLogoPath
	}
	return otherLogoPath
}

func registerLogos(router chi.Router) {
	for path, picture := range map[string][]byte{ownLogoPath: ownLogo, otherLogoPath: otherLogo} {
		router.Get(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/svg+xml")
			w.Header().Set("Cache-Control", "public, max-age=86400")
			_, _ = w.Write(picture) // the client is gone if this fails
		})
	}
}
