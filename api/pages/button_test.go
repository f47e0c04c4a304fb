package pages

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const testMerchant = "0123456789abcdef0123456789abcdef"

func buttonQuery(change ...string) string {
	q := url.Values{"merchant_id": {testMerchant}, "amount": {"8.50"}, "currency": {"EUR"}, "description": {`"Tea" & <b>cake</b>`},
		"fields": {"email, shipping_note"}}
	for i := 0; i+1 < len(change); i += 2 {
		q.Set(change[i], change[i+1])
	}
	return "/button?" + q.Encode()
}

func TestButtonPageShowsTheHTMLToPaste(t *testing.T) {
	t.Parallel()
	h := handler(t, waiting())
	empty := get(t, h, http.MethodGet, "/button")
	require.Equal(t, http.StatusOK, empty.Code)
	require.Empty(t, parse(t, empty).all("textarea"))
	require.NotContains(t, empty.Body.String(), "<script")
	require.Equal(t, http.StatusOK, get(t, h, http.MethodHead, "/button").Code)

	d := parse(t, get(t, h, http.MethodGet, buttonQuery()))
	d.one(t, "form", "method=get", "action=/button")
	require.Equal(t, `"Tea" & <b>cake</b>`, value(t, d.one(t, "input", "id=description"), "value"))
	require.Equal(t, "EUR", textOf(d.one(t, "option", "selected")))

	w := get(t, handler(t, waiting()), http.MethodGet, buttonQuery())
	snippet := parse(t, w).one(t, "textarea").FirstChild.Data
	pasted := parseText(t, snippet)
	require.Equal(t, testBase+"/api/charges/button", value(t, pasted.one(t, "form", "method=post"), "action"))
	for name, want := range map[string]string{
		"merchant_id": testMerchant, "amount": "8.50", "currency": "EUR", "description": `"Tea" & <b>cake</b>`,
		"fields": "email, shipping_note",
	} {
		require.Equal(t, want, value(t, pasted.one(t, "input", "name="+name), "value"))
	}
	preview := doc{parse(t, w).one(t, "form", "method=post", "action=/api/charges/button")}
	require.Len(t, preview.all("input"), len(pasted.all("input")))
	require.Equal(t, textOf(pasted.one(t, "button")), textOf(preview.one(t, "button")))
	require.Empty(t, pasted.all("b"))
	plain := parse(t, get(t, h, http.MethodGet, buttonQuery("description", "", "fields", " "))).one(t, "textarea").FirstChild.Data
	require.NotContains(t, plain, "description")
	require.NotContains(t, plain, "fields")
}

func TestAButtonOfATypedAmount(t *testing.T) {
	t.Parallel()
	h := handler(t, waiting())
	plain := parse(t, get(t, h, http.MethodGet, buttonQuery("amount", "8,50"))).one(t, "textarea").FirstChild.Data
	require.Contains(t, plain, `value="8.50"`)
}

func TestButtonPageRefusesWhatNoChargeCanBe(t *testing.T) {
	t.Parallel()
	h := handler(t, waiting())
	for _, change := range [][]string{
		{"merchant_id", ""}, {"merchant_id", "x"}, {"amount", ""}, {"amount", "0"}, {"amount", "1.234"}, {"amount", "x"}, {"amount", "1,250"},
		{"amount", "10000001"}, {"currency", "GBP"}, {"description", strings.Repeat("x", 501)}, {"fields", "E-Mail"}, {"fields", "a,,b"},
		{"fields", "a,b,c,d,e,f,g,h,i,j,k"}, {"fields", strings.Repeat("a", 51)},
	} {
		w := get(t, h, http.MethodGet, buttonQuery(change...))
		require.Equal(t, http.StatusBadRequest, w.Code, change)
		d := parse(t, w)
		require.Empty(t, d.all("textarea"))
		require.Empty(t, d.all("form", "method=post"))
		bad := d.one(t, "", "aria-invalid=true")
		require.Equal(t, change[0], value(t, bad, "name"), "what is wrong is marked")
		require.NotEmpty(t, textOf(d.one(t, "span", "id="+value(t, bad, "aria-describedby"))))
		if change[0] != "currency" {
			require.Equal(t, change[1], value(t, bad, "value"), "what was typed is kept")
		}
	}
	d := parse(t, get(t, h, http.MethodGet, "/button?merchant_id=&amount=&currency=&fields=!"))
	require.Len(t, d.all("", "aria-invalid=true"), 3)
}
