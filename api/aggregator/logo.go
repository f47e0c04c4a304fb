package aggregator

import (
	_ "embed"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/internal/exchange"
)

// Paths of the picture of the exchange, and of the picture for all other providers.
const (
	ownLogoPath   = "/images/providers/durapay.svg"
	otherLogoPath = "/images/providers/other.svg"
)

//go:embed logo.svg
var ownLogo []byte

//go:embed other.svg
var otherLogo []byte

// logoPath returns the path of a provider's picture. Other providers share one picture,
// because we may not show theirs.
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
			_, _ = w.Write(picture) // the client has disconnected if this fails
		})
	}
}
