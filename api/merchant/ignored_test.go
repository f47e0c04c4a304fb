package merchant_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/httpapi"
)

// TestFieldsWithoutEffectAreNamed sends misspelt fields. The header names them in every answer,
// and the body only in answers to a sandbox key.
func TestFieldsWithoutEffectAreNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for _, c := range []struct {
		name, path, body string
		status           int
		header, line     string
	}{
		{"misspelt", "/api/charges", `{"amount":12,"curency":"EUR"}`, http.StatusOK, "curency", `["curency"]`},
		{"beside metadata", "/api/charges", `{"amount":12,"return_url":"https://shop.example","order_id":"1"}`, http.StatusOK, "order_id, return_url", `["order_id","return_url"]`},
		{"the other path", "/api/v1/charges", `{"amount":12,"curency":"EUR"}`, http.StatusOK, "curency", `["curency"]`},
		{
			"values that cannot be used", "/api/charges", `{"amount":12,"metadata":{"return_url":"/thanks","order_id":{},"description":7,"mine":1}}`, http.StatusOK,
			"metadata.return_url, metadata.order_id, metadata.description", `["metadata.return_url","metadata.order_id","metadata.description"]`,
		},
		{"reserved keys without a value", "/api/charges", `{"amount":12,"metadata":{"return_url":null,"order_id":null,"description":null}}`, http.StatusOK, "", ""},
		{"all known", "/api/charges", `{"amount":12,"currency":"EUR","metadata":{"curency":"x","return_url":"https://shop.example"}}`, http.StatusOK, "", ""},
		{"refused", "/api/charges", `{"amuont":12}`, http.StatusBadRequest, "amuont", ""},
		{"strange", "/api/charges", "{\"amount\":12,\"a, b\\r\\nX: y\":1,\"ü\":1}", http.StatusOK, "a%2C%20b%0D%0AX:%20y, %C3%BC", `["a, b\r\nX: y","ü"]`},
		{"long", "/api/charges", `{"amount":12,"` + strings.Repeat("x", 3000) + `":1}`, http.StatusOK, strings.Repeat("x", 100), `["` + strings.Repeat("x", 100) + `"]`},
		{"a payment request", "/api/payment-requests", `{"amount":12,"descriptive":"x"}`, http.StatusOK, "descriptive", `["descriptive"]`},
	} {
		live := b.send(t, http.MethodPost, c.path, key(s.live), c.body).require(t, c.status, c.name)
		require.Equal(t, c.header, live.header.Get(httpapi.IgnoredHeader), c.name)
		require.NotContains(t, live.body, httpapi.IgnoredField, c.name)
		test := b.send(t, http.MethodPost, c.path, key(s.test), c.body).require(t, c.status, c.name)
		require.Equal(t, c.header, test.header.Get(httpapi.IgnoredHeader), c.name)
		if c.line == "" {
			require.NotContains(t, test.body, httpapi.IgnoredField, c.name)
			continue
		}
		require.True(t, strings.HasSuffix(strings.TrimSpace(test.body), `,"`+httpapi.IgnoredField+`":`+c.line+"}"), "%s: %s", c.name, test.body)
	}
	button := b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"merchant_id":"`+s.id+`","amount":5,"curency":"EUR"}`).require(t, http.StatusOK)
	require.Equal(t, "curency", button.header.Get(httpapi.IgnoredHeader))
	require.NotContains(t, button.body, httpapi.IgnoredField)
	manyNames := `{"amount":12`
	for name := range strings.SplitSeq("abcdefghijklmnopqrstuvwxyz", "") {
		manyNames += `,"` + name + `":1`
	}
	many := b.send(t, http.MethodPost, "/api/charges", key(s.live), manyNames+"}").require(t, http.StatusOK)
	require.Len(t, strings.Split(many.header.Get(httpapi.IgnoredHeader), ", "), 20)
}

func TestANumberInQuotationMarksIsNamedAsSuch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	require.Contains(t, b.send(t, http.MethodGet, "/llms.txt", anonymous(), "").body, "Amounts are JSON numbers with exact decimals, in requests too")
	for body, want := range map[string]string{
		`{"amount":"12.34"}`:  "amount must be a JSON number, without quotation marks",
		`{"amount":"twelve"}`: "amount must be a JSON number, without quotation marks",
		`{"amount":true}`:     "amount: not a decimal number",
	} {
		require.Equal(t, want, b.send(t, http.MethodPost, "/api/charges", key(s.live), body).require(t, http.StatusBadRequest).text(t, "error"))
	}
}
