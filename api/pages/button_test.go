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
	q := url.Values{"merchant_id": {testMerchant}, "amount": {"8.50"}, "currency": {"EUR"}, "description": {`"Tea" & <b>cake</b>`}}
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
	form := d.one(t, "form")
	require.Equal(t, "get", value(t, form, "method"))
	require.Equal(t, `"Tea" & <b>cake</b>`, value(t, d.one(t, "input", "name=description"), "value"))
	require.Equal(t, "EUR", textOf(d.one(t, "option", "selected")))

	w := get(t, handler(t, waiting()), http.MethodGet, buttonQuery())
	snippet := parse(t, w).one(t, "textarea").FirstChild.Data
	pasted := parseText(t, snippet)
	require.Equal(t, testBase+"/api/charges/button", value(t, pasted.one(t, "form", "method=post"), "action"))
	for name, want := range map[string]string{
		"merchant_id": testMerchant, "amount": "8.50", "currency": "EUR", "description": `"Tea" & <b>cake</b>`,
	} {
		require.Equal(t, want, value(t, pasted.one(t, "input", "name="+name), "value"))
	}
	require.Empty(t, pasted.all("b"))
	plain := parse(t, get(t, h, http.MethodGet, buttonQuery("description", ""))).one(t, "textarea").FirstChild.Data
	require.NotContains(t, plain, "description")
}

func TestButtonPageRefusesWhatNoChargeCanBe(t *testing.T) {
	t.Parallel()
	h := handler(t, waiting())
	for _, change := range [][]string{
		{"merchant_id", ""}, {"merchant_id", "x"}, {"amount", ""}, {"amount", "0"}, {"amount", "1.234"}, {"amount", "x"},
		{"amount", "10000001"}, {"currency", "GBP"}, {"description", strings.Repeat("x", 501)},
	} {
		w := get(t, h, http.MethodGet, buttonQuery(change...))
		require.Equal(t, http.StatusBadRequest, w.Code, change)
		require.Empty(t, parse(t, w).all("textarea"))
	}
}
