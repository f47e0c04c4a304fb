package pages

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/notice"
)

func TestLanguageFollowsTheBrowser(t *testing.T) {
	t.Parallel()
	h := handler(t, waiting())
	for header, lang := range map[string]string{
		"": "en", "de": "de", "de-AT,de;q=0.9,en;q=0.8": "de", "es-419": "es", "fr-CA": "fr", "ru-RU": "ru", "ar-EG,en;q=0.5": "ar",
		"en-GB": "en", "EN": "en", "nl,fr;q=0.5": "fr", "ja": "en", "*": "en", "fr;q=0.3,de;q=0.8": "de",
		"uk": "en", "uk,es;q=0.1": "es", "nonsense;;": "en", "\x00": "en", strings.Repeat("xx,", 5000) + "de": "en",
	} {
		for range 2 {
			w := get(t, h, http.MethodGet, "/pay/"+testID, "Accept-Language", header)
			require.Equal(t, http.StatusOK, w.Code)
			require.Equal(t, lang, w.Header().Get("Content-Language"), header)
			require.Equal(t, "Accept-Language", w.Header().Get("Vary"))
			dir := "ltr"
			if lang == "ar" {
				dir = "rtl"
			}
			parse(t, w).one(t, "html", "lang="+lang, "dir="+dir)
		}
	}
}

// TestChosenLanguageIsKept follows every link and form of the pages that a
// visitor has opened in a language.
func TestChosenLanguageIsKept(t *testing.T) {
	t.Parallel()
	asks := views()["fields"]
	h := handler(t, asks)
	for _, path := range []string{
		"/pay/" + testID, "/pay/" + testID + "?refresh=off", "/pay/" + testID + "?details=later", "/pay/" + testRequest, "/button",
		buttonQuery(), "/pay/" + brokenID, "/verify-email/" + testToken, "/reset-password/" + testToken,
	} {
		address, err := url.Parse(path)
		require.NoError(t, err)
		q := address.Query()
		q.Set("lang", "es")
		address.RawQuery = q.Encode()
		w := get(t, h, http.MethodGet, address.String(), "Accept-Language", "de")
		require.Equal(t, "es", w.Header().Get("Content-Language"), path)
		d := parse(t, w)
		for _, a := range d.all("a") {
			href := value(t, a, "href")
			_, language := attribute(a, "hreflang")
			if !language && strings.HasPrefix(href, "/") {
				require.Contains(t, href, "lang=es", path)
			}
		}
		for _, form := range d.all("form") {
			hidden := doc{form}.all("input", "name=lang", "value=es")
			require.True(t, len(hidden) == 1 || strings.HasSuffix(value(t, form, "action"), "?lang=es"), path)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/pay/"+testRequest+"?lang=es", strings.NewReader("email=a"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, "/pay/"+testID+"?lang=es", w.Header().Get("Location"))
	require.Equal(t, "/pay/"+testID+"?lang=es", PathOf(testID, "es"))
	require.Equal(t, "/pay/"+testID, PathOf(testID, ""))
	require.Equal(t, "/pay/"+testID+"?lang=%0D%0A%22%26x%3D1", PathOf(testID, "\r\n\"&x=1"))
}

func TestEveryPageLeadsToItselfInEveryLanguage(t *testing.T) {
	t.Parallel()
	h := handler(t, waiting())
	for _, path := range []string{"/pay/" + testID, "/pay/" + testID + "?refresh=off", buttonQuery(), "/pay/ch_nothing"} {
		here, err := url.Parse(path)
		require.NoError(t, err)
		d := parse(t, get(t, h, http.MethodGet, path))
		links := d.all("a", "hreflang")
		require.Len(t, links, len(Catalogues())-1, path)
		require.Equal(t, "English", textOf(d.one(t, "span", "aria-current=true", "lang=en")))
		for _, link := range links {
			there, err := here.Parse(value(t, link, "href"))
			require.NoError(t, err)
			require.Equal(t, here.Path, there.Path)
			for name, values := range here.Query() {
				require.Equal(t, values, there.Query()[name], path)
			}
			w := get(t, h, http.MethodGet, there.String(), "Accept-Language", "en")
			require.Equal(t, value(t, link, "hreflang"), w.Header().Get("Content-Language"))
			require.Equal(t, value(t, link, "lang"), value(t, parse(t, w).one(t, "html"), "lang"))
		}
	}
	unknown := get(t, h, http.MethodGet, "/pay/"+testID+"?lang=xx", "Accept-Language", "fr")
	require.Equal(t, "fr", unknown.Header().Get("Content-Language"), "a language that there is not is not a choice")
}

// TestMoneyIsTheSameInEveryLanguage checks that amounts and addresses keep their exact digits
// in one piece, so that they can be copied.
func TestMoneyIsTheSameInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range Catalogues() {
		d := open(t, views()["partial"], "?lang="+c.Tag.String())
		amount := d.one(t, "bdi", "dir=ltr")
		require.Equal(t, "0.023456789012 XMR", textOf(amount))
		require.Equal(t, testAddress, textOf(d.one(t, "code", "id=address", "dir=ltr")))
		require.Contains(t, d.text(), "25.00 EUR")
		for _, said := range []string{"0.1 XMR", "0.123456789012 XMR", "0.023456789012 XMR"} {
			require.Contains(t, d.text(), said, c.Name)
		}
		require.NotRegexp(t, `\{\d\}|(?:title|detail|label)$`, textOf(d.one(t, "h1")))
	}
}

// TestReceiptsAreMailedInEveryLanguageOfThePages finds a language that mails lack.
func TestReceiptsAreMailedInEveryLanguageOfThePages(t *testing.T) {
	t.Parallel()
	for _, c := range Catalogues() {
		require.Equal(t, c.Tag.String(), notice.ReceiptLanguage(c.Tag.String()))
	}
}
