package providertest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/durapay/durapay/internal/provider/upstream"
)

// Asked is what has come to a server of Keyed: the newest query of each path,
// and the newest body.
type Asked struct {
	Queries map[string]string
	Body    string
}

// Keyed serves routes, named by method and path, to whoever shows a key in a
// header and looks like a browser. Others get a 401. It returns a client with
// the key, and what the client has asked so far.
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
