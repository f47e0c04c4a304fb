package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/pages/kit"
)

// shopAPI is the document of a small API.
func shopAPI() *huma.OpenAPI {
	answer := map[string]*huma.Response{"200": {Content: map[string]*huma.MediaType{"application/json": {
		Schema:  &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{"amount": {Type: "number", Description: "One | two"}}},
		Example: json.RawMessage(`{"amount":0.10}`),
	}}}, "400": {Description: "Wrong"}}
	charge := &huma.Operation{Summary: "Create a charge", Description: "Takes **money**.", Tags: []string{"Charges"}, Security: []map[string][]string{{"key": {}}}, Responses: answer}
	list := &huma.Operation{
		Summary: "List charges", Tags: []string{"Charges"}, Responses: answer,
		Parameters: []*huma.Param{{Name: "limit", In: "query", Description: "At most", Schema: &huma.Schema{Type: "integer"}}},
	}
	return &huma.OpenAPI{
		Info: &huma.Info{Title: `Shop "API" <1>`, Description: "Takes **payments**."}, Tags: []*huma.Tag{{Name: "Charges", Description: "Requests."}},
		Paths: map[string]*huma.PathItem{"/api/charges": {Get: list, Post: charge}},
		Components: &huma.Components{
			Schemas:         huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
			SecuritySchemes: map[string]*huma.SecurityScheme{"key": {Type: "apiKey", Name: "x-api-key"}},
		},
	}
}

func referenceSite() chi.Router {
	router := chi.NewRouter()
	RegisterReference(router, shopAPI(), slog.New(slog.DiscardHandler), kit.Link{Href: "/docs/clients", Text: "Clients"})
	router.Get("/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(document))
	})
	return router
}

func fetch(t *testing.T, method, path, encoding string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	referenceSite().ServeHTTP(w, r)
	return w
}

// TestTheReferenceIsReadWithoutScript reads the operations in the page itself and in the pages that
// it links to.
func TestTheReferenceIsReadWithoutScript(t *testing.T) {
	t.Parallel()
	index := fetch(t, http.MethodGet, "/docs", "").Body.String()
	require.Contains(t, index, `<a href="/docs/clients">Clients</a>`)
	require.Contains(t, index, `<a href="/docs/operations/charges#create-a-charge">Create a charge</a>: <code>POST /<wbr>api/<wbr>charges</code>`)
	page := fetch(t, http.MethodGet, "/docs/operations/charges", "")
	require.Equal(t, http.StatusOK, page.Code)
	for _, part := range []string{
		`<h2 id="create-a-charge">Create a charge</h2>`, "<code>POST /<wbr>api/<wbr>charges</code>, with an API key in <code>x-api-key</code>", "<strong>money</strong>",
		"<code>GET /<wbr>api/<wbr>charges</code>, without a credential", "<td><code>limit</code></td>", "&quot;amount&quot;: 0.10", "Refusals: 400.",
	} {
		require.Contains(t, page.Body.String(), part)
	}
	require.NotContains(t, page.Body.String(), "<script")
	text := fetch(t, http.MethodGet, "/docs/operations/charges.md", "")
	require.Equal(t, "text/markdown; charset=utf-8", text.Header().Get("Content-Type"))
	require.Contains(t, text.Body.String(), "\n## Create a charge\n")
	style := regexp.MustCompile(`stylesheet" href="([^"]+)"`).FindStringSubmatch(page.Body.String())
	require.Equal(t, http.StatusOK, fetch(t, http.MethodGet, style[1], "").Code)
}

var reference = regexp.MustCompile(`(?:src|href)="([^"]+)"`)

func TestPageRefersToItsOwnOriginOnly(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/docs", "/docs/"} {
		w := fetch(t, http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, w.Code)
		require.Contains(t, w.Body.String(), "<title>Shop &#34;API&#34; &lt;1&gt;</title>")
		require.Equal(t, referencePolicy, w.Header().Get("Content-Security-Policy"))
		require.NotContains(t, referencePolicy, "unsafe")
		links := reference.FindAllStringSubmatch(w.Body.String(), -1)
		require.GreaterOrEqual(t, len(links), 5)
		for _, link := range links {
			require.True(t, strings.HasPrefix(link[1], "/") && !strings.HasPrefix(link[1], "//"), link[1])
		}
	}
}

func TestAssetsAreCompressedAndCacheable(t *testing.T) {
	t.Parallel()
	found := 0
	for _, link := range reference.FindAllStringSubmatch(fetch(t, http.MethodGet, "/docs", "").Body.String(), -1) {
		if !strings.HasPrefix(link[1], "/docs/assets/") {
			continue
		}
		found++
		packed, plain := fetch(t, http.MethodGet, link[1], "br, gzip"), fetch(t, http.MethodGet, link[1], "gzip;q=0")
		require.Equal(t, "public, max-age=31536000, immutable", packed.Header().Get("Cache-Control"))
		require.Empty(t, plain.Header().Get("Content-Encoding"))
		content := packed.Body.Bytes()
		if strings.Contains(link[1], "swagger") {
			require.Equal(t, "gzip", packed.Header().Get("Content-Encoding"))
			content = unpack(t, content)
		}
		require.Equal(t, content, plain.Body.Bytes())
		require.Equal(t, http.StatusOK, fetch(t, http.MethodHead, link[1], "gzip").Code)
	}
	require.Equal(t, 4, found)
}

// TestAssetsAreTheOnesNamed compares the embedded files with the checksums in the README,
// which are those of the published package.
func TestAssetsAreTheOnesNamed(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("reference/README.md")
	require.NoError(t, err)
	for _, name := range []string{"swagger-ui-bundle.js", "swagger-ui.css"} {
		packed, err := referenceFiles.ReadFile("reference/" + name + ".gz")
		require.NoError(t, err)
		sum := sha256.Sum256(unpack(t, packed))
		require.Contains(t, string(readme), "| "+name+" | "+hex.EncodeToString(sum[:])+" |")
	}
}

func TestTakesGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"": false, "gzip": true, "br": false, "br, gzip": true, "gzip;q=0": false, "gzip; q=0.5": true, "*": true, "gzip;q=x": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", header)
		require.Equal(t, want, takesGzip(r), header)
	}
}

func unpack(t *testing.T, packed []byte) []byte {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	plain, err := io.ReadAll(reader)
	require.NoError(t, err)
	return plain
}
