package merchant_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// browse sends a form like a browser, which accepts a page as the answer.
func (b *bench) browse(t *testing.T, path string, form url.Values) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	req.Header.Set("Accept-Language", "es")
	return do(t, req)
}

// TestPersonReadsWhatBecameOfAForm sends invalid forms from a browser and from a program. Both
// get the same status, but the browser gets a page and the program gets the error body.
func TestPersonReadsWhatBecameOfAForm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	open := b.charge(t, s, config.Live, asking("email"))
	closed := b.charge(t, s, config.Live, asking("email"))
	b.send(t, http.MethodPost, "/api/charges/"+closed+"/toggle-active", key(s.live), "").require(t, http.StatusOK)
	for _, c := range []struct {
		path   string
		form   url.Values
		status int
		says   string
	}{
		{"/api/charges/" + open + "/buyer-info", url.Values{"other": {"x"}}, http.StatusBadRequest, "Esto no se ha aceptado"},
		{"/api/v1/charges/" + closed + "/buyer-info", url.Values{"email": {"x"}}, http.StatusGone, "Este enlace ya no es válido"},
		{"/api/charges/ch_0123456789abcdef01234567/buyer-info", url.Values{"email": {"x"}}, http.StatusNotFound, "Pago no encontrado"},
		{"/api/charges/button", url.Values{"merchant_id": {s.id}, "amount": {"x"}}, http.StatusBadRequest, "Esto no se ha aceptado"},
		{"/api/charges/button", url.Values{"merchant_id": {s.id}}, http.StatusBadRequest, "Esto no se ha aceptado"},
	} {
		page := b.browse(t, c.path, c.form)
		require.Equal(t, c.status, page.status, c.path)
		require.Contains(t, page.body, "<h1>"+c.says+"</h1>", c.path)
		require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'")
		require.NotEmpty(t, page.header.Get("X-Request-Id"))
		program := b.post(t, c.path, c.form).require(t, c.status)
		require.True(t, strings.HasPrefix(program.body, `{"error":"`), program.body)
	}
	require.NotContains(t, b.metadata(t, open), "buyer_info")
}

// TestFormKeepsTheLanguage checks that the answer keeps the language that the sender of a form
// has chosen.
func TestFormKeepsTheLanguage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live, asking("email"))
	a := b.browse(t, "/api/charges/"+id+"/buyer-info?lang=de", url.Values{"email": {"a@b.example"}}).require(t, http.StatusSeeOther)
	require.Equal(t, "/pay/"+id+"?lang=de", a.header.Get("Location"))
	page := b.send(t, http.MethodGet, a.header.Get("Location"), anonymous(), "").require(t, http.StatusOK)
	require.Contains(t, page.body, "Ihre Angaben wurden gesendet.")
	other := b.browse(t, "/api/charges/"+id+"/buyer-info?lang=%0D%0Ax", url.Values{"email": {""}}).require(t, http.StatusSeeOther)
	require.Equal(t, "/pay/"+id+"?lang=%0D%0Ax", other.header.Get("Location"))
}
