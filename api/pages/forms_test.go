package pages

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRefusedFormIsAPage sends requests like a browser's and like a program's to an API that
// refuses them.
func TestRefusedFormIsAPage(t *testing.T) {
	t.Parallel()
	const answer = `{"error":"no"}`
	view := views()["waiting"]
	for status, title := range map[int]string{
		http.StatusBadRequest: "Das wurde nicht angenommen", http.StatusForbidden: "Das wurde nicht angenommen",
		http.StatusNotFound: "Zahlung nicht gefunden", http.StatusGone: "Dieser Link gilt nicht mehr",
		http.StatusTooManyRequests: "Zu viele Anfragen", http.StatusInternalServerError: "Etwas ist schiefgegangen",
	} {
		api := New(Deps{Charges: charges{view}, PublicURL: testBase}).AnswerForms(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(answer))
		}))
		send := func(path, media, accept string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, path+"?lang=de", strings.NewReader("a=b"))
			r.Header.Set("Content-Type", media)
			r.Header.Set("Accept", accept)
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			require.Equal(t, status, w.Code)
			require.Equal(t, "5", w.Header().Get("Retry-After"))
			return w
		}
		const form, html = "application/x-www-form-urlencoded", "text/html,application/xhtml+xml,*/*;q=0.8"
		for _, path := range []string{"/api/charges/button", "/api/v1/charges/" + testID + "/buyer-info"} {
			w := send(path, form+"; charset=UTF-8", html)
			checkHeaders(t, w)
			require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
			d := parse(t, w)
			require.Equal(t, title, textOf(d.one(t, "h1")))
			require.NotContains(t, w.Body.String(), answer)
			back := len(d.all("a", "href=/pay/"+testID+"?lang=de")) == 1
			require.Equal(t, strings.HasSuffix(path, "buyer-info") && status != http.StatusNotFound, back, "the way back")
			require.Equal(t, back, strings.Contains(w.Body.String(), "mailto:help@shop.example"), "how to reach the merchant")

			require.Equal(t, answer, send(path, form, "*/*").Body.String())
			require.Equal(t, answer, send(path, form, "application/json").Body.String())
			require.Equal(t, answer, send(path, "application/json", html).Body.String())
		}
	}
}

func TestAcceptedFormGoesItsWay(t *testing.T) {
	t.Parallel()
	api := New(Deps{}).AnswerForms(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/pay/"+testID, http.StatusSeeOther)
	}))
	r := httptest.NewRequest(http.MethodPost, "/api/charges/button", strings.NewReader("a=b"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Equal(t, "/pay/"+testID, w.Header().Get("Location"))
}
