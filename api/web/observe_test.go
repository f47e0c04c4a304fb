package web_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/web"
)

// observed serves one request, and returns the answer and the statuses that were counted.
func observed(t *testing.T, serve func(observe func(http.HandlerFunc) http.Handler) http.Handler) (answer *httptest.ResponseRecorder, counted []int, aborted any) {
	t.Helper()
	o := web.Observer{
		Log:      slog.New(slog.DiscardHandler),
		Observed: func(_ string, status int, _ time.Duration) { counted = append(counted, status) },
		Failed:   func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
	}
	answer = httptest.NewRecorder()
	defer func() { aborted = recover() }()
	observe := func(h http.HandlerFunc) http.Handler { return o.Observe(h) }
	serve(observe).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	return answer, counted, nil
}

func TestAnswerThatEndsInItsMiddleIsCountedAsFailed(t *testing.T) {
	t.Parallel()
	_, counted, aborted := observed(t, func(observe func(http.HandlerFunc) http.Handler) http.Handler {
		return observe(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			panic(http.ErrAbortHandler)
		})
	})
	require.Equal(t, http.ErrAbortHandler, aborted)
	require.Equal(t, []int{http.StatusInternalServerError}, counted)
}

// A part of a request that panics gets an answer, so that the whole request can explain what
// went wrong.
func TestPartOfARequestIsNotCounted(t *testing.T) {
	t.Parallel()
	for _, panics := range []bool{false, true} {
		answer, counted, _ := observed(t, func(observe func(http.HandlerFunc) http.Handler) http.Handler {
			part := observe(func(w http.ResponseWriter, _ *http.Request) {
				if panics {
					panic("no")
				}
				w.WriteHeader(http.StatusNoContent)
			})
			return observe(func(w http.ResponseWriter, r *http.Request) {
				inner := httptest.NewRecorder()
				part.ServeHTTP(inner, r.WithContext(web.PartOf(r.Context())))
				w.WriteHeader(inner.Code)
			})
		})
		want := http.StatusNoContent
		if panics {
			want = http.StatusServiceUnavailable
		}
		require.Equal(t, want, answer.Code)
		require.Equal(t, []int{want}, counted)
	}
}

// TestBrowsersGetStrictTransportSecurity checks that browsers get the header where they came by TLS, and
// nowhere else: the onion service and the internal listener have no TLS.
func TestBrowsersGetStrictTransportSecurity(t *testing.T) {
	t.Parallel()
	hsts := func(publicURL, host string, through func(http.Handler) http.Handler) string {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/pay/x", http.NoBody)
		r.Host = host
		through(web.Headers(publicURL, "http://x.onion")(http.NotFoundHandler())).ServeHTTP(w, r)
		return w.Header().Get("Strict-Transport-Security")
	}
	plainly := func(h http.Handler) http.Handler { return h }
	require.Equal(t, "max-age=31536000", hsts("https://pay.example.com", "pay.example.com", plainly))
	require.Empty(t, hsts("http://localhost:8080", "localhost:8080", plainly))
	require.Empty(t, hsts("https://pay.example.com", "x.onion:80", plainly))
	require.Empty(t, hsts("https://pay.example.com", "127.0.0.1:9090", web.Internal))
}
