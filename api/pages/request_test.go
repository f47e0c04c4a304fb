package pages

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
)

const testRequest = "pr_A1b2C3d4"

// requests serves one payment request and records the opened charges.
type requests struct {
	view   RequestView
	opened []map[string]string
	// pending is the charge that is still pending.
	pending string
}

func (q *requests) PublicRequest(_ context.Context, id string) (RequestView, error) {
	if id != q.view.ID {
		return RequestView{BusinessName: q.view.BusinessName, Contact: "help@shop.example"}, ErrGone
	}
	return q.view, nil
}

func (q *requests) ResumesCharge(_ context.Context, _, charge string) (bool, error) {
	return charge == q.pending, nil
}

func (q *requests) OpenCharge(_ *http.Request, _, _ string, buyer map[string]string) (string, error) {
	if strings.Contains(buyer["email"], "refused") {
		return "", ErrInvalid
	}
	q.opened, q.pending = append(q.opened, buyer), testID
	return testID, nil
}

func paymentRequest(fields ...string) RequestView {
	return RequestView{
		ID: testRequest, Amount: money.MustDecimal("40.5"), Currency: "USD", AmountXMR: xmr("0.25"),
		Description: "Consultation, one hour", BusinessName: "Example Shop", Fields: fields,
	}
}

func TestRequestWithoutFieldsGoesToItsCharge(t *testing.T) {
	t.Parallel()
	q := &requests{view: paymentRequest()}
	h := siteOf(t, waiting(), q)

	w := get(t, h, http.MethodGet, "/pay/"+testRequest)
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Equal(t, "/pay/"+testID, w.Header().Get("Location"))
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	require.Len(t, q.opened, 1)

	cookie := w.Result().Cookies()[0]
	require.True(t, cookie.HttpOnly)
	again := get(t, h, http.MethodGet, "/pay/"+testRequest, "Cookie", cookie.Name+"="+cookie.Value)
	require.Equal(t, "/pay/"+testID, again.Header().Get("Location"))
	require.Len(t, q.opened, 1, "a visitor who comes back gets the same charge")

	q.pending = ""
	get(t, h, http.MethodGet, "/pay/"+testRequest, "Cookie", cookie.Name+"="+cookie.Value)
	require.Len(t, q.opened, 2, "a charge that no longer waits is not reused")
}

func TestRequestIsNotOpenedByReading(t *testing.T) {
	t.Parallel()
	q := &requests{view: paymentRequest()}
	h := siteOf(t, waiting(), q)
	for _, w := range []*httptest.ResponseRecorder{
		get(t, h, http.MethodHead, "/pay/"+testRequest),
		get(t, h, http.MethodGet, "/pay/"+testRequest, "User-Agent", "TelegramBot (like TwitterBot)"),
		get(t, h, http.MethodGet, "/pay/"+testRequest, "User-Agent", "facebookexternalhit/1.1"),
		get(t, h, http.MethodGet, "/pay/"+testRequest, "Sec-Purpose", "prefetch"),
	} {
		require.Equal(t, http.StatusOK, w.Code)
	}
	require.Empty(t, q.opened)
}

func TestRequestFormTakesTheFieldsAskedFor(t *testing.T) {
	t.Parallel()
	q := &requests{view: paymentRequest("email", "shipping_note")}
	h := siteOf(t, waiting(), q)

	d := parse(t, get(t, h, http.MethodGet, "/pay/"+testRequest))
	require.Empty(t, q.opened)
	require.Contains(t, d.text(), "40.50 USD")
	require.Contains(t, d.text(), "About 0.25 XMR")
	require.Equal(t, "/pay/"+testRequest, value(t, d.one(t, "form"), "action"))
	require.Equal(t, "Shipping note", textOf(d.one(t, "label", "for=field-shipping_note")))

	w := post(t, h, url.Values{"email": {" a@b.example "}, "shipping_note": {""}, "other": {"x"}})
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Equal(t, []map[string]string{{"email": "a@b.example"}}, q.opened)

	w = post(t, h, url.Values{"email": {"refused"}, "shipping_note": {strings.Repeat("ü", maxField+1)}})
	require.Equal(t, http.StatusBadRequest, w.Code)
	d = parse(t, w)
	require.Equal(t, "refused", value(t, d.one(t, "input", "name=email"), "value"), "what was typed is kept")
	bad := d.one(t, "input", "aria-invalid=true")
	require.Equal(t, "shipping_note", value(t, bad, "name"))
	require.Contains(t, textOf(d.one(t, "span", "id="+value(t, bad, "aria-describedby"))), "500")
	require.Contains(t, d.text(), "check what is marked")
	w = post(t, h, url.Values{"email": {strings.Repeat("x", maxForm)}})
	require.Equal(t, http.StatusBadRequest, w.Code)
	require.Contains(t, w.Body.String(), "all together, are too long")
	require.Len(t, q.opened, 1)
}

func TestRequestErrors(t *testing.T) {
	t.Parallel()
	h := siteOf(t, waiting(), &requests{view: paymentRequest()})
	require.Equal(t, http.StatusGone, get(t, h, http.MethodGet, "/pay/pr_other").Code)
	w := get(t, h, http.MethodPost, "/pay/"+testID)
	require.Equal(t, http.StatusMethodNotAllowed, w.Code)
	require.Equal(t, "GET, HEAD", w.Header().Get("Allow"))
	require.JSONEq(t, `{"error":"this path does not have this method"}`, w.Body.String())
}

func post(t *testing.T, h http.Handler, form url.Values) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/pay/"+testRequest, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
