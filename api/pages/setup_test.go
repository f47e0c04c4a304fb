package pages

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// brokenID is a charge whose read fails.
const brokenID = "ch_ffffffffffffffffffffffff"

const testBase = "https://pay.example"

// testToken is the token of a verification mail's link.
const testToken = "abababababababababababababababababababababababababababababababab"

// secretText is an error text that a visitor must not see.
const secretText = "dial tcp 10.0.0.7:5432: connection refused"

// gallery serves many views by their identifiers.
type gallery map[string]View

func (g gallery) PublicCharge(ctx context.Context, id string) (View, error) {
	return charges{g[id]}.PublicCharge(ctx, id)
}

type charges struct{ view View }

func (c charges) PublicCharge(_ context.Context, id string) (View, error) {
	switch id {
	case c.view.ID:
		return c.view, nil
	case brokenID:
		return View{}, errors.New(secretText)
	default:
		return View{}, ErrNotFound
	}
}

func handler(t *testing.T, v View) http.Handler {
	t.Helper()
	return siteOf(t, v, &requests{view: paymentRequest("email", "shipping_note")})
}

func siteOf(t *testing.T, v View, q Requests) http.Handler {
	t.Helper()
	return serve(charges{v}, q)
}

func serve(c Charges, q Requests) http.Handler {
	router, known := chi.NewRouter(), &emails{valid: testToken}
	New(Deps{
		Charges: c, Requests: q, Emails: MailLink{known.EmailLink, known.ConfirmEmail}, Resets: &resets{valid: testToken}, Log: slog.New(slog.DiscardHandler),
		PublicURL: testBase, Now: func() time.Time { return testNow },
	}).Register(router)
	return router
}

// get fetches a path from the pages of one charge.
func get(t *testing.T, h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// doc is a parsed page.
type doc struct{ root *html.Node }

// open fetches and parses the page of a charge.
func open(t *testing.T, v View, query ...string) doc {
	t.Helper()
	w := get(t, handler(t, v), http.MethodGet, "/pay/"+v.ID+strings.Join(query, ""))
	return parse(t, w)
}

// frameOf fetches the status that the page of a charge shows in a frame.
func frameOf(t *testing.T, v View, d doc) *httptest.ResponseRecorder {
	t.Helper()
	return get(t, handler(t, v), http.MethodGet, value(t, d.one(t, "iframe"), "src"))
}

// reloads reports whether the page of a charge reloads itself.
func reloads(t *testing.T, v View, query ...string) bool {
	t.Helper()
	return get(t, handler(t, v), http.MethodGet, "/pay/"+v.ID+strings.Join(query, "")).Header().Get("Refresh") != ""
}

func parse(t *testing.T, w *httptest.ResponseRecorder) doc {
	t.Helper()
	return parseText(t, w.Body.String())
}

func parseText(t *testing.T, text string) doc {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	require.NoError(t, err)
	return doc{root}
}

// all returns the elements that match; attributes are name=value or a name.
func (d doc) all(tag string, attributes ...string) []*html.Node {
	var list []*html.Node
	for n := range d.root.Descendants() {
		if n.Type == html.ElementNode && (tag == "" || n.Data == tag) && hasAll(n, attributes) {
			list = append(list, n)
		}
	}
	return list
}

// one returns the only element that matches.
func (d doc) one(t *testing.T, tag string, attributes ...string) *html.Node {
	t.Helper()
	list := d.all(tag, attributes...)
	require.Len(t, list, 1, "%s %v", tag, attributes)
	return list[0]
}

func (d doc) text() string { return textOf(d.root) }

func hasAll(n *html.Node, attributes []string) bool {
	for _, want := range attributes {
		name, value, exact := strings.Cut(want, "=")
		got, found := attribute(n, name)
		if !found || (exact && got != value) {
			return false
		}
	}
	return true
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func value(t *testing.T, n *html.Node, name string) string {
	t.Helper()
	v, found := attribute(n, name)
	require.True(t, found, "attribute %s", name)
	return v
}

// textOf returns the text in an element with white space collapsed.
func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
