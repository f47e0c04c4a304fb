package providertest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/durapay/durapay/internal/provider/upstream"
)

// Asked are the requests to a server of Keyed: the last query of each path, and
// the last body.
type Asked struct {
	Queries map[string]string
	Body    string
}

// Keyed serves routes, named by method and path, to clients that send a key in
// a header and look like a browser. Other clients get a 401. Keyed returns a
// client with the key, and the record of its requests.
func Keyed(t *testing.T, header string, routes map[string]http.HandlerFunc) (*upstream.Client, *Asked) {
	t.Helper()
	const key = "k3y"
	asked := &Asked{Queries: map[string]string{}}
	client := Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(header) != key || !strings.HasPrefix(r.Header.Get("User-Agent"), "Mozilla/5.0") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer, ok := routes[r.Method+" "+r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		asked.Queries[r.URL.Path] = r.URL.RawQuery
		if body, _ := io.ReadAll(r.Body); len(body) > 0 {
			asked.Body = string(body)
		}
		answer(w, r)
	})
	client.Header = http.Header{header: {key}}
	return client, asked
}
