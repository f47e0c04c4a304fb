package swap

import (
	_ "embed"
	"errors"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// aggregators serves the dialect.
type aggregators struct {
	*Front

	errors httpapi.Errors
}

// aggregatorCall is a call with its caller and its query.
type aggregatorCall struct {
	*http.Request

	w      http.ResponseWriter
	caller Caller
	query  *query
}

// register adds the calls at every path that clients use.
func (s *aggregators) register(router chi.Router) {
	calls := map[string]func(aggregatorCall) (any, error){
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

// notFound answers a path that does not exist.
func (s *aggregators) notFound(w http.ResponseWriter) {
	allowBrowsers(w)
	s.errors.Write(w, &httpapi.Problem{Text: "there is nothing at this path", Status: http.StatusNotFound})
}

// methods lists the methods of every call.
const methods = "GET, HEAD, OPTIONS"

// isAggregators reports whether the path of a request is one of the dialect's. Only those paths
// answer OPTIONS.
func isAggregators(r *http.Request) bool {
	return chi.RouteContext(r.Context()).Routes.Match(chi.NewRouteContext(), http.MethodOptions, r.URL.Path)
}

// wrongMethod answers a method that the dialect's paths do not have.
func (s *aggregators) wrongMethod(w http.ResponseWriter) {
	allowBrowsers(w)
	w.Header().Set("Allow", methods)
	s.errors.Write(w, &httpapi.Problem{Text: "this path does not have this method", Status: http.StatusMethodNotAllowed})
}

// allowBrowsers lets scripts of any site read an answer.
func allowBrowsers(w http.ResponseWriter) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-SWAP-API-Version, Onion-Location")
}

func (s *aggregators) serve(call func(aggregatorCall) (any, error)) http.HandlerFunc {
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
			s.wrongMethod(w)
			return
		}
		body, err := s.answer(w, r, call)
		if err != nil {
			s.errors.Write(w, s.errors.Of(r.Context(), callerProblem(err)))
			return
		}
		w.Header().Set("Content-Type", httpapi.JSON)
		w.WriteHeader(http.StatusOK)
		if body != nil {
			_ = httpapi.Write(w, body) // the client has disconnected if this fails
		}
	}
}

func (s *aggregators) answer(w http.ResponseWriter, r *http.Request, call func(aggregatorCall) (any, error)) (any, error) {
	c, err := s.Caller(r.Context(), r, keysOf(r))
	if err := s.Admit(w, r, c, Read); err != nil {
		return nil, err
	}
	// Clients of the dialect send keys of other services, so a caller whose key is unknown, or
	// was not looked up, is treated like one without a key.
	if err != nil && !errors.Is(err, ErrUnknownKey) && !errors.Is(err, ErrTooManyKeys) {
		return nil, err
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, wrong("the query string is malformed")
	}
	return call(aggregatorCall{r, w, c, &query{values: values, aggregator: true}})
}

// keysOf returns the keys of a request, from the headers or, if there are none, from the
// query.
func keysOf(r *http.Request) []string {
	if keys := KeysOf(r); len(keys) > 0 {
		return keys
	}
	return Distinct(r.URL.Query()["api_key"])
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

// wrong returns an error that the client receives as one sentence. Programs read the sentences,
// so the words minimum and maximum are used only for limits, and the word pair only for pairs
// that are not offered.
func wrong(text string) error { return &httpapi.Problem{Text: text, Status: http.StatusBadRequest} }

func coinNotFound() error { return httpapi.NotFound("coin") }

func cannotNow(text string) error { return unavailable("", text) }

// callerProblem returns the problem for an error of Caller and Admit, and any other error unchanged.
func callerProblem(err error) error {
	switch {
	case errors.Is(err, ErrTooMany):
		return &httpapi.Problem{Text: err.Error(), Status: http.StatusTooManyRequests}
	case errors.Is(err, ErrSeveralKeys):
		return wrong(err.Error())
	default:
		return err
	}
}

// unquoted translates an error of the quoter.
func unquoted(err error, p exchange.Pair) error {
	if limit, ok := errors.AsType[*trade.LimitError](err); ok {
		// The limit that was missed is the only number in the sentence.
		if limit.Below {
			return wrong("the minimum amount is " + limit.Limits.Min.String() + " " + p.From.Ticker)
		}
		return wrong("the maximum amount is " + limit.Limits.Max.String() + " " + p.From.Ticker)
	}
	switch {
	case errors.Is(err, exchange.ErrStale):
		return cannotNow("no current price is available")
	case errors.Is(err, exchange.ErrBlind), errors.Is(err, trade.ErrUnfillable):
		return cannotNow("nobody can fill this swap now")
	default:
		return err
	}
}

// unmade translates the refusal of a trade.
func unmade(err error, p exchange.Pair) error {
	code, ok := refusals.Of(err)
	if !ok {
		return unquoted(err, p)
	}
	switch code {
	case refusals.Blocked:
		return wrong("an address cannot be used")
	case refusals.Route:
		return cannotNow("this swap cannot be made now, try again later")
	default:
		return err
	}
}

func pairUnsupported() error { return wrong("this pair is not supported") }
