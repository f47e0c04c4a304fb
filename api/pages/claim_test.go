package pages

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/wire"
)

const (
	testClaim  = "rc_0123456789abcdef01234567"
	buyersOwn  = "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"
	ofStagenet = "55LTR8KniP4LQGJSPtbYDacR7dz8RBFnsfAKMaMuwUNYX6aQbBcovzDPyrQF9KXF9tVU6Xk3K8no1BywnJX6GvZX8yJsXvt"
)

func promised() refund.PublicRefund {
	value, currency := money.MustDecimal("25"), money.EUR
	return refund.PublicRefund{
		ID: "rf_0123456789abcdef01234567", Status: refund.Open, Shop: "Example Shop", Contact: "help@shop.example", Name: "Order A-1001",
		Description: "Two tickets, row 7", AmountXMR: xmr("0.123456789012"), LeftXMR: xmr("0.123456789012"),
		FiatAmount: &value, FiatCurrency: &currency, ExpiresAt: wire.TimeOf(testNow.Add(29 * 24 * time.Hour)), Claims: []refund.ClaimState{},
	}
}

func claimed(of, at refund.Status, amount string, change ...func(*refund.ClaimState)) refund.PublicRefund {
	r := promised()
	c := refund.ClaimState{ID: testClaim, Status: at, AmountXMR: xmr(amount), Address: "48DCHZ…3FaS4u", CreatedAt: wire.TimeOf(testNow.Add(-time.Hour))}
	for _, f := range change {
		f(&c)
	}
	r.Status, r.Claims = of, []refund.ClaimState{c}
	if at != refund.Cancelled {
		r.LeftXMR = r.AmountXMR.SubFloor(c.AmountXMR)
	}
	return r
}

func waitsFor(w refund.Waits) func(*refund.ClaimState) {
	return func(c *refund.ClaimState) { c.WaitsFor = &w }
}

func sent(c *refund.ClaimState) {
	hash, key, proof := strings.Repeat("ab", 32), strings.Repeat("cd", 64), "OutProofV2"+strings.Repeat("9Xy", 44)
	at := wire.TimeOf(testNow.Add(-time.Minute))
	c.TxHash, c.TxKey, c.TxProof, c.SentAt = &hash, &key, &proof, &at
}

// refundViews holds a refund in every state that has a page of its own.
func refundViews() map[string]refund.PublicRefund {
	whole := "0.123456789012"
	ended := func(s refund.Status) refund.PublicRefund {
		r := promised()
		r.Status, r.LeftXMR = s, 0
		return r
	}
	bare := promised()
	bare.Shop, bare.Name, bare.Description, bare.FiatAmount, bare.FiatCurrency = "", "", "", nil, nil
	return map[string]refund.PublicRefund{
		"claim":              promised(),
		"claim_bare":         bare,
		"claim_waiting":      claimed(refund.AwaitingApproval, refund.AwaitingApproval, whole),
		"claim_approved":     claimed(refund.AwaitingPayment, refund.AwaitingPayment, whole, waitsFor(refund.ForMoney)),
		"claim_held":         claimed(refund.AwaitingPayment, refund.AwaitingPayment, whole, waitsFor(refund.ForSuspension)),
		"claim_screening":    claimed(refund.AwaitingPayment, refund.AwaitingPayment, whole, waitsFor(refund.ForScreening)),
		"claim_sending":      claimed(refund.InProgress, refund.InProgress, whole),
		"claim_sent":         claimed(refund.InProgress, refund.InProgress, whole, sent),
		"claim_paid":         claimed(refund.Completed, refund.Completed, whole, sent),
		"claim_part":         claimed(refund.InProgress, refund.InProgress, "0.05", sent),
		"claim_part_paid":    claimed(refund.Open, refund.Completed, "0.05", sent),
		"claim_taken_back":   claimed(refund.Open, refund.Cancelled, whole),
		"claim_cancelled":    ended(refund.Cancelled),
		"claim_expired":      ended(refund.Expired),
		"claim_waits_unlock": claimed(refund.AwaitingPayment, refund.AwaitingPayment, whole, waitsFor(refund.ForUnlock)),
	}
}

// refunds serves one refund to a client that has the token of the tests.
type refunds struct {
	view refund.PublicRefund
	// refuses is the error for claims.
	refuses error
	claims  []string
}

func (s *refunds) PublicRefund(_ context.Context, id, token string) (refund.PublicRefund, error) {
	switch {
	case strings.Trim(token, "0") == "":
		return refund.PublicRefund{}, errors.New(secretText)
	case id != s.view.ID || token != testToken:
		return refund.PublicRefund{}, ErrNotFound
	}
	return s.view, nil
}

func (s *refunds) ClaimRefund(ctx context.Context, id, token, address string, amount money.Piconero) error {
	if _, err := s.PublicRefund(ctx, id, token); err != nil {
		return err
	}
	if s.refuses == nil {
		s.claims = append(s.claims, address+" "+amount.String())
	}
	return s.refuses
}

// claimShow serves every page of refunds by its name under /show/.
func claimShow() map[string]http.HandlerFunc {
	list := map[string]http.HandlerFunc{}
	for name, view := range refundViews() {
		list[name] = shownRefund(view, refundPath(view), nil)
	}
	part := refundViews()["claim_part"]
	list["claim_rest"] = shownRefund(part, refundPath(part)+"?claim=open", nil)
	list["claim_none"] = shownRefund(promised(), "/refund/"+promised().ID+"/none", nil)
	list["claim_wrong_address"] = shownRefund(promised(), refundPath(promised()), url.Values{"address": {"4"}})
	list["claim_wrong_amount"] = shownRefund(promised(), refundPath(promised()), url.Values{"address": {buyersOwn}, "amount": {"1,250"}})
	return list
}

func refundPath(v refund.PublicRefund) string { return "/refund/" + v.ID + "/" + testToken }

// shownRefund answers every request with the page of a refund, after the form was submitted if
// form is set.
func shownRefund(v refund.PublicRefund, path string, form url.Values) http.HandlerFunc {
	site := refundSite(&refunds{view: v}, nil)
	return func(w http.ResponseWriter, r *http.Request) {
		to, err := url.Parse(path)
		if err != nil {
			panic(err)
		}
		q := to.Query()
		if lang := r.URL.Query().Get(kit.LangParam); lang != "" {
			q.Set(kit.LangParam, lang)
		}
		to.RawQuery = q.Encode()
		method := http.MethodGet
		if form != nil {
			method = http.MethodPost
		}
		asked := httptest.NewRequestWithContext(r.Context(), method, to.String(), strings.NewReader(form.Encode()))
		asked.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		site.ServeHTTP(w, asked)
	}
}

func refundSite(known Refunds, admit func(http.ResponseWriter, *http.Request) bool) http.Handler {
	router := chi.NewRouter()
	New(Deps{
		Refunds: known, Admit: admit, Log: slog.New(slog.DiscardHandler), PublicURL: testBase, Now: func() time.Time { return testNow },
	}).Register(router)
	return router
}

// send sends the form of a refund's page.
func (s *refunds) send(t *testing.T, query, address, amount string) *httptest.ResponseRecorder {
	t.Helper()
	body := url.Values{"address": {address}, "amount": {amount}}.Encode()
	r := httptest.NewRequest(http.MethodPost, refundPath(s.view)+query, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	refundSite(s, nil).ServeHTTP(w, r)
	checkHeaders(t, w)
	return w
}

func TestBuyerClaimsARefundByTheForm(t *testing.T) {
	t.Parallel()
	s := &refunds{view: promised()}
	w := get(t, refundSite(s, nil), http.MethodGet, refundPath(s.view))
	require.Equal(t, http.StatusOK, w.Code)
	checkHeaders(t, w)
	page := parse(t, w)
	require.Equal(t, refundPath(s.view), value(t, page.one(t, "form"), "action"))
	require.Contains(t, page.text(), "Refund from Example Shop")
	require.Contains(t, page.text(), "0.123456789012 XMR")
	require.Contains(t, page.text(), "25.00 EUR")
	require.Empty(t, s.claims, "reading claims nothing")

	w = s.send(t, "?lang=de", "  "+buyersOwn+"\n", "")
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Equal(t, refundPath(s.view)+"?lang=de", w.Header().Get("Location"))
	w = s.send(t, "", buyersOwn, " 0.05 ")
	require.Equal(t, http.StatusSeeOther, w.Code)
	w = s.send(t, "", buyersOwn, "٠٫٠٥")
	require.Equal(t, http.StatusSeeOther, w.Code)
	w = s.send(t, "", buyersOwn, "0,05")
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Equal(t, []string{buyersOwn + " 0", buyersOwn + " 0.05", buyersOwn + " 0.05", buyersOwn + " 0.05"}, s.claims)
}

func TestWhatCannotBeClaimedIsShownNextToItsField(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address, amount, field string
		refuses                error
	}{
		"no address":                  {"", "", "address", nil},
		"no Monero address":           {"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "", "address", nil},
		"a typo":                      {buyersOwn[:94] + "v", "", "address", nil},
		"another network":             {ofStagenet, "", "address", nil},
		"a script":                    {"<script>alert(1)</script>", "", "address", nil},
		"no number":                   {buyersOwn, "much", "amount", nil},
		"a comma for thousands":       {buyersOwn, "1,250", "amount", nil},
		"nothing":                     {buyersOwn, "0", "amount", nil},
		"less than nothing":           {buyersOwn, "-1", "amount", nil},
		"finer than the smallest one": {buyersOwn, "0.0500000000001", "amount", nil},
		"more than is left":           {buyersOwn, "0.123456789013", "amount", ErrAmount},
		"not paid":                    {buyersOwn, "0.05", "address", ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &refunds{view: promised(), refuses: c.refuses}
			w := s.send(t, "", c.address, c.amount)
			require.Equal(t, http.StatusBadRequest, w.Code)
			require.Empty(t, s.claims)
			page := parse(t, w)
			wrong := page.one(t, "input", "aria-invalid=true")
			require.Equal(t, c.field, value(t, wrong, "name"))
			page.one(t, "", "id="+value(t, wrong, "aria-describedby"))
			require.Equal(t, c.address, value(t, page.one(t, "input", "name=address"), "value"), "what was typed stays")
			require.Empty(t, w.Header().Get("Refresh"))
		})
	}
	broken := &refunds{view: promised(), refuses: errors.New(secretText)}
	w := broken.send(t, "", buyersOwn, "")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.NotContains(t, w.Body.String(), secretText)
}

// TestRefundThatEndedMeanwhileIsShownAsItIs covers a refund that another customer claimed, or
// that the merchant cancelled, while the form was open.
func TestRefundThatEndedMeanwhileIsShownAsItIs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claim_paid", "claim_cancelled", "claim_expired"} {
		s := &refunds{view: refundViews()[name], refuses: ErrInvalid}
		w := s.send(t, "", buyersOwn, "")
		require.Equal(t, http.StatusBadRequest, w.Code)
		require.Empty(t, parse(t, w).all("form"), name)
	}
}

func TestTooManyClaimsAreNotTaken(t *testing.T) {
	t.Parallel()
	s := &refunds{view: promised()}
	r := httptest.NewRequest(http.MethodPost, refundPath(s.view), strings.NewReader(url.Values{"address": {buyersOwn}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	refundSite(s, func(http.ResponseWriter, *http.Request) bool { return false }).ServeHTTP(w, r)
	require.Equal(t, http.StatusTooManyRequests, w.Code)
	require.Empty(t, s.claims)
}

// TestRefundNeedsTheSecretOfItsLink checks that a wrong secret gets the same answer as an
// unknown refund.
func TestRefundNeedsTheSecretOfItsLink(t *testing.T) {
	t.Parallel()
	s := &refunds{view: promised()}
	site := refundSite(s, nil)
	none := get(t, site, http.MethodGet, "/refund/rf_ffffffffffffffffffffffff/"+testToken)
	for _, path := range []string{"/refund/" + s.view.ID + "/" + testToken[1:] + "0", "/refund/" + s.view.ID + "/x", "/refund/%22/%3Cscript%3E"} {
		w := get(t, site, http.MethodGet, path)
		require.Equal(t, http.StatusNotFound, w.Code, path)
		require.Equal(t, len(none.Body.String()) > 0, strings.Contains(w.Body.String(), "Refund not found"), path)
	}
	w := get(t, site, http.MethodGet, "/refund/"+s.view.ID+"/"+strings.Repeat("0", 64))
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.NotContains(t, w.Body.String(), secretText)
}

// TestRefundReloadsWhileItMoves also checks that the page does not reload while a form is
// open, nor after the refund has ended.
func TestRefundReloadsWhileItMoves(t *testing.T) {
	t.Parallel()
	moving := map[string]bool{
		"claim_waiting": true, "claim_approved": true, "claim_held": true, "claim_sending": true, "claim_sent": true, "claim_part": true,
		"claim_waits_unlock": true, "claim_screening": true,
	}
	for name, view := range refundViews() {
		site := refundSite(&refunds{view: view}, nil)
		reloads := func(query string) bool {
			return get(t, site, http.MethodGet, refundPath(view)+query).Header().Get("Refresh") != ""
		}
		require.Equal(t, moving[name], reloads(""), name)
		require.False(t, reloads("?refresh=off"), name)
	}
	part := refundViews()["claim_part"]
	w := get(t, refundSite(&refunds{view: part}, nil), http.MethodGet, refundPath(part)+"?claim=open")
	require.Empty(t, w.Header().Get("Refresh"))
	parse(t, w).one(t, "form")
}

// TestBuyerLearnsNothingOfTheShopsAccount checks that customers do not learn that the account
// is suspended or that its wallet waits for operators.
func TestBuyerLearnsNothingOfTheShopsAccount(t *testing.T) {
	t.Parallel()
	texts := map[string]bool{}
	for _, w := range []refund.Waits{refund.ForAddress, refund.ForHold, refund.ForSafeMode, refund.ForCharge, refund.ForSuspension} {
		texts[waitsText(w)] = true
	}
	require.Equal(t, map[string]bool{"claim_waits.somebody": true}, texts)
}

func TestBuyerGetsTheProofOfThePayment(t *testing.T) {
	t.Parallel()
	view := refundViews()["claim_paid"]
	page := parse(t, get(t, refundSite(&refunds{view: view}, nil), http.MethodGet, refundPath(view)))
	require.Contains(t, page.text(), *view.Claims[0].TxHash)
	copied := page.all("code", "class=copy")
	require.Len(t, copied, 2)
	require.Equal(t, []string{*view.Claims[0].TxProof, *view.Claims[0].TxKey}, []string{textOf(copied[0]), textOf(copied[1])})
}
