package aggregator

import (
	_ "embed"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/exchangeapi"
	"github.com/durapay/durapay/internal/exchange"
)

// retrySoon is the pause after which a failed request may succeed, in seconds.
const retrySoon = "5"

const jsonType = "application/json"

// surface serves the dialect.
type surface struct{ *exchangeapi.Front }

// request is a call with its caller and its query.
type request struct {
	*http.Request

	w      http.ResponseWriter
	caller exchangeapi.Caller
	query  query
}

// Register adds the calls at every path that clients use.
func Register(router chi.Router, f *exchangeapi.Front) {
	s := &surface{f}
	calls := map[string]func(request) (any, error){
		"coins": s.coins, "coin": s.coin, "exchanges": s.exchanges, "validateaddress": s.validateAddress,
		"new_rate": s.newRate, "new_trade": s.newTrade, "trade": s.trade,
	}
	for _, base := range []string{"/", "/api/", "/en/api/"} {
		for name, call := range calls {
			router.Handle(base+name, s.serve(call))
			router.Handle(base+name+"/", s.serve(call))
		}
	}
	registerLogos(router)
}

// NotFound answers a path that does not exist.
func NotFound(w http.ResponseWriter, _ *http.Request) {
	allowBrowsers(w)
	refuse(w, &refusal{http.StatusNotFound, "there is nothing at this path"})
}

// methods lists the methods of every call.
const methods = "GET, HEAD, OPTIONS"

// Serves reports whether the path of a request is one of the dialect's. Only those paths
// answer OPTIONS.
func Serves(r *http.Request) bool {
	return chi.RouteContext(r.Context()).Routes.Match(chi.NewRouteContext(), http.MethodOptions, r.URL.Path)
}

// WrongMethod answers a method that the dialect's paths do not have.
func WrongMethod(w http.ResponseWriter, _ *http.Request) {
	allowBrowsers(w)
	w.Header().Set("Allow", methods)
	refuse(w, &refusal{http.StatusMethodNotAllowed, "this path does not have this method"})
}

// allowBrowsers lets scripts of any site read an answer.
func allowBrowsers(w http.ResponseWriter) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-SWAP-API-Version, Onion-Location")
}

func (s *surface) serve(call func(request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		allowBrowsers(w)
		switch r.Method {
		case http.MethodGet, http.MethodHead:
		case http.MethodOptions:
			w.Header().Set("Access-Control-Allow-Methods", methods)
			w.Header().Set("Access-Control-Allow-Headers", "API-Key, X-SWAP-API-Key, Content-Type")
			w.Header().Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
			return
		default:
			WrongMethod(w, r)
			return
		}
		body, err := s.answer(w, r, call)
		if err != nil {
			refuse(w, s.refusalOf(r.Context(), err))
			return
		}
		if body == nil {
			w.Header().Set("Content-Type", jsonType)
			w.WriteHeader(http.StatusOK)
			return
		}
		write(w, http.StatusOK, body)
	}
}

func (s *surface) answer(w http.ResponseWriter, r *http.Request, call func(request) (any, error)) (any, error) {
	c, err := s.Caller(r.Context(), r, keysOf(r))
	if err := s.Admit(w, r, c, exchangeapi.Read); err != nil {
		return nil, err
	}
	// Clients of the dialect send keys of other services, so a caller whose key is unknown, or
	// was not looked up, is treated like one without a key.
	if err != nil && !errors.Is(err, exchangeapi.ErrUnknownKey) && !errors.Is(err, exchangeapi.ErrTooManyKeys) {
		return nil, err
	}
	q, err := queryOf(r)
	if err != nil {
		return nil, err
	}
	return call(request{r, w, c, q})
}

// keysOf returns the keys of a request, from the headers or, if there are none, from the
// query.
func keysOf(r *http.Request) []string {
	if keys := exchangeapi.KeysOf(r); len(keys) > 0 {
		return keys
	}
	return exchangeapi.Distinct(r.URL.Query()["api_key"])
}

func refuse(w http.ResponseWriter, e *refusal) {
	if e.status >= http.StatusInternalServerError {
		w.Header().Set("Retry-After", retrySoon)
	}
	write(w, e.status, e)
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	_ = exchangeapi.EncodeJSON(w, body) // the client has disconnected if this fails
}

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
