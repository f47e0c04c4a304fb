package kit_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/durapay/durapay/api/pages/kit"
)

// made is a page whose middle is made by a function.
type made struct {
	kit.Frame

	Before string
	middle func() (string, error)
}

// Middle returns the middle of the page.
func (m *made) Middle() (string, error) { return m.middle() }

// setOfMade returns a kit for such pages.
func setOfMade() *kit.Kit {
	files := fstest.MapFS{"templates/made.html": {Data: []byte(`{{define "made.html"}}<p>{{.Before}}</p><p>{{.Middle}}</p>end{{end}}`)}}
	return kit.New(kit.Parse(files), []kit.Catalogue{{language.English, "English", "ltr", kit.Texts{}}}, slog.New(slog.DiscardHandler))
}

// ask requests such a page.
func ask(t *testing.T, before string, middle func() (string, error)) *http.Response {
	t.Helper()
	pages := setOfMade()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.Render(w, r, http.StatusTeapot, "made.html", &made{Frame: pages.Frame(r), Before: before, middle: middle})
	}))
	t.Cleanup(server.Close)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// An HTTP/1.0 answer ends at its length, so that a client notices a truncated one.
func TestPageComesWholeToHTTP10(t *testing.T) {
	t.Parallel()
	pages := setOfMade()
	for _, fails := range []error{nil, errors.New("no")} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.ProtoMajor, r.ProtoMinor = 1, 0
		w := httptest.NewRecorder()
		pages.Render(w, r, http.StatusTeapot, "made.html", &made{Frame: pages.Frame(r), Before: long, middle: func() (string, error) { return "middle", fails }})
		if fails != nil {
			require.Equal(t, http.StatusInternalServerError, w.Code)
			continue
		}
		require.Equal(t, http.StatusTeapot, w.Code)
		require.Equal(t, strconv.Itoa(w.Body.Len()), w.Header().Get("Content-Length"))
		require.False(t, w.Flushed)
	}
}

// long is longer than the beginning of a page.
var long = strings.Repeat("x", 2000)

// The middle of the page is made only after its first bytes have arrived.
func TestPageArrivesWhileItIsMade(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	resp := ask(t, long, func() (string, error) {
		select {
		case <-arrived:
			return "<middle>", nil
		case <-t.Context().Done():
			return "", t.Context().Err()
		}
	})
	require.Equal(t, http.StatusTeapot, resp.StatusCode)
	close(arrived)
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "<p>"+long+"</p><p>&lt;middle&gt;</p>end", string(text))
}

func TestShortPageArrivesWhole(t *testing.T) {
	t.Parallel()
	resp := ask(t, "short", func() (string, error) { return "middle", nil })
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, resp.StatusCode)
	require.Equal(t, "<p>short</p><p>middle</p>end", string(text))
}

func TestPageThatFailsDoesNotLookWhole(t *testing.T) {
	t.Parallel()
	fails := func() (string, error) { return "", errors.New("no") }
	resp := ask(t, "short", fails)
	require.Equal(t, http.StatusInternalServerError, resp.StatusCode)
	_, err := io.ReadAll(ask(t, long, fails).Body)
	require.Error(t, err)
}
