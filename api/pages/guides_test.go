package pages_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/browsertest"
)

const publicURL = "https://pay.example.com"

// service returns the merchants' API. These tests request only documents.
func service(t *testing.T) http.Handler {
	t.Helper()
	h, err := merchant.NewHandler(merchant.Deps{JWTSecret: []byte(strings.Repeat("k", 32)), Clock: time.Now, PublicURL: publicURL, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return h
}

func get(t *testing.T, h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// hrefs returns the targets of a page's links, and the ids in the page that links can lead to.
func hrefs(t *testing.T, page string) (links []string, ids map[string]bool) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	ids = map[string]bool{}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				ids[a.Val] = true
			case n.Data == "a" && a.Key == "href":
				links = append(links, a.Val)
			}
		}
	}
	return links, ids
}

// documentation returns the pages that a reader reaches from the first one, /docs among them. It
// fails where a link leads nowhere.
func documentation(t *testing.T, h http.Handler) (pages []string, seen map[string]bool) {
	t.Helper()
	seen = map[string]bool{}
	for waiting := []string{"/docs/merchant"}; len(waiting) > 0; {
		path := waiting[0]
		waiting = waiting[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		w := get(t, h, path)
		require.Equal(t, http.StatusOK, w.Code, path)
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		pages = append(pages, path)
		links, _ := hrefs(t, w.Body.String())
		for _, link := range links {
			at, err := url.Parse(link)
			require.NoError(t, err)
			if at.Host != "" {
				continue
			}
			if at.Path == "" {
				at.Path = path
			}
			if at.Fragment != "" {
				_, ids := hrefs(t, get(t, h, at.Path).Body.String())
				require.True(t, ids[at.Fragment], "%s links to %s", path, link)
			}
			waiting = append(waiting, at.Path)
		}
	}
	return pages, seen
}

// TestEveryPageIsReachedAndEveryLinkLeadsSomewhere follows the links from the first page, like
// a reader.
func TestEveryPageIsReachedAndEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	h := service(t)
	pages, seen := documentation(t, h)
	for _, path := range pages {
		w := get(t, h, path)
		if path != "/docs" {
			require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'self'")
			require.NotContains(t, w.Body.String(), "<script", path)
		}
		require.NotContains(t, w.Body.String(), "raw HTML omitted", path)
		require.NotContains(t, w.Body.String(), ": .</p>", path)
		require.Less(t, w.Body.Len(), 100<<10, path)
	}
	for _, path := range []string{
		"/docs/merchant/quickstart", "/docs/merchant/webhooks.md", "/docs/connect-a-shop", "/docs/checklist-merchant", "/docs/merchant/verify/receiver.py",
		"/docs/openapi/greenfield.yaml", "/openapi.yaml", "/openapi-3.0.yaml", "/docs",
		"/docs/merchant/clients", "/docs/operations/charges", "/docs/operations/administration.md",
	} {
		require.True(t, seen[path], path)
	}
}

// TestTheDocumentationFitsEveryScreen shows each of its pages without scripts on two phones and a
// dark desktop, and then looks for barriers.
func TestTheDocumentationFitsEveryScreen(t *testing.T) {
	t.Parallel()
	h := service(t)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	tab, _ := browsertest.Start(t)
	scripts := func(off bool) {
		browsertest.Call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: off})
	}
	scripts(true)
	pages, _ := documentation(t, h)
	for _, path := range pages {
		for _, look := range []browsertest.Look{browsertest.Smallest(), browsertest.Looks()[0], browsertest.Looks()[3]} {
			browsertest.Enter(t, tab, server.URL+path, look)
			browsertest.Fits(t, tab, path, look)
			browsertest.WholeWords(t, tab, path, look)
		}
	}
	scripts(false)
	axe := browsertest.StartAxe(t, tab, "../..")
	for _, path := range pages {
		if path != "/docs" { // whose script shows the viewer
			axe.Walks(t, server.URL+path)
		}
	}
}

// TestProgramsFindEveryDocument follows /llms.txt and the links of its Markdown documents.
func TestProgramsFindEveryDocument(t *testing.T) {
	t.Parallel()
	h := service(t)
	w := get(t, h, "/llms.txt")
	require.Equal(t, http.StatusOK, w.Code)
	list := w.Body.String()
	require.True(t, strings.HasPrefix(list, "# Durapay\n\n> "), list)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	listed := link.FindAllStringSubmatch(list, -1)
	require.GreaterOrEqual(t, len(listed), 9)
	for _, found := range listed {
		path, ours := strings.CutPrefix(found[1], publicURL)
		require.True(t, ours, found[1])
		document := get(t, h, path)
		require.Equal(t, http.StatusOK, document.Code, path)
		if !strings.HasSuffix(path, ".md") {
			continue
		}
		require.Equal(t, "text/markdown; charset=utf-8", document.Header().Get("Content-Type"))
		for _, inside := range link.FindAllStringSubmatch(document.Body.String(), -1) {
			if strings.HasPrefix(inside[1], "#") {
				continue
			}
			if at, _, _ := strings.Cut(inside[1], "#"); strings.HasPrefix(at, "/") {
				require.Equal(t, http.StatusOK, get(t, h, at).Code, "%s links to %s", path, at)
			} else {
				require.Contains(t, inside[1], ":", "%s links to %s", path, inside[1])
			}
		}
	}
}

func TestADocumentThatIsHeldIsNotSentAgain(t *testing.T) {
	t.Parallel()
	h := service(t)
	for _, path := range []string{"/docs/merchant/quickstart.md", "/llms.txt", "/docs/openapi/greenfield.yaml"} {
		tag := get(t, h, path).Header().Get("ETag")
		require.NotEmpty(t, tag, path)
		held := get(t, h, path, "If-None-Match", tag)
		require.Equal(t, http.StatusNotModified, held.Code, path)
		require.Zero(t, held.Body.Len())
	}
	require.Equal(t, http.StatusNotFound, get(t, h, "/docs/merchant/nothing").Code)
	require.Equal(t, http.StatusNotFound, get(t, h, "/docs/merchant/../architecture.md").Code)
}
