package pages

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThePageAroundTheStatusDoesNotReload checks that a page which a buyer copies from stays until
// the time to pay ends, while the status in its frame is read again and again.
func TestThePageAroundTheStatusDoesNotReload(t *testing.T) {
	t.Parallel()
	h := handler(t, waiting())
	around := get(t, h, http.MethodGet, "/pay/"+testID)
	require.Equal(t, "775", around.Header().Get("Refresh"), "12 minutes and 40 seconds until the end, and 15 seconds")
	checkHeadersOf(t, around, true, false)
	frame := frameOf(t, waiting(), parse(t, around))
	require.Equal(t, http.StatusOK, frame.Code)
	require.Equal(t, "15", frame.Header().Get("Refresh"))
	checkHeadersOf(t, frame, false, true)
}

// TestTheStatusLeadsOnOnceThePageIsOld covers a payment that arrives while its page is open.
func TestTheStatusLeadsOnOnceThePageIsOld(t *testing.T) {
	t.Parallel()
	src := value(t, open(t, waiting(), "?lang=de").one(t, "iframe"), "src")
	for name, view := range views() {
		if view.Unpayable {
			continue
		}
		d := parse(t, get(t, handler(t, view), http.MethodGet, src))
		old := !stageOf(view).payable() || view.AmountDueXMR != waiting().AmountDueXMR
		next := d.all("a", "target=_top", "href=/pay/"+testID+"?lang=de")
		require.Equal(t, old, len(next) == 1, name)
		if stageOf(view).confirms() {
			require.Contains(t, d.text(), "Sie können diese Seite schließen. Example Shop wird automatisch benachrichtigt.", name)
		}
	}
}

func TestTheStatusStaysInItsFrameAfterAFault(t *testing.T) {
	t.Parallel()
	for path, c := range map[string]struct {
		view    View
		status  int
		refresh string
	}{
		"/pay/" + brokenID + "/status":             {waiting(), http.StatusInternalServerError, "15"},
		"/pay/" + brokenID + "/status?refresh=off": {waiting(), http.StatusInternalServerError, ""},
		"/pay/ch_aaaaaaaaaaaaaaaaaaaaaaaa/status":  {waiting(), http.StatusNotFound, ""},
		"/pay/nothing/status":                      {waiting(), http.StatusNotFound, ""},
		"/pay/" + testID + "/status":               {views()["link_inactive"], http.StatusGone, ""},
	} {
		w := get(t, handler(t, c.view), http.MethodGet, path)
		require.Equal(t, c.status, w.Code, path)
		require.Equal(t, c.refresh, w.Header().Get("Refresh"), path)
		checkHeadersOf(t, w, false, true)
		require.NotContains(t, w.Body.String(), secretText)
	}
}

// TestABuyerIsNotAskedToPayTwiceInAnOutage checks the notice in every state that it concerns.
func TestABuyerIsNotAskedToPayTwiceInAnOutage(t *testing.T) {
	t.Parallel()
	for name, view := range views() {
		if view.Unpayable {
			continue
		}
		view.Unwatched = true
		d, at := open(t, view), stageOf(view)
		if at.payable() {
			d = parse(t, frameOf(t, view, d))
		}
		says := strings.Contains(d.text(), "do not send it again") || strings.Contains(d.text(), "Confirmations cannot be counted")
		require.Equal(t, !at.done(), says, name)
		require.NotContains(t, d.text(), "This page shows when it arrives", name)
		require.NotContains(t, d.text(), "start a new payment", name)
		view.Unwatched = false
		require.NotContains(t, open(t, view).text(), "at the moment", name)
	}
}

// TestTheMerchantsContactStandsWhereATextSendsTheBuyerThere reads the texts themselves.
func TestTheMerchantsContactStandsWhereATextSendsTheBuyerThere(t *testing.T) {
	t.Parallel()
	for name, view := range views() {
		d := open(t, view)
		text := strings.ToLower(d.text())
		sends := strings.Contains(text, "contact the merchant") || strings.Contains(text, "check with the merchant") ||
			strings.Contains(text, "ask the merchant")
		if sends {
			d.one(t, "a", "href=mailto:help@shop.example")
			require.Contains(t, text, "+1 555 0100", name)
		}
		view.Contact = ""
		require.Empty(t, open(t, view).all("section", "class=contact"), name)
	}
	gone := parse(t, get(t, handler(t, waiting()), http.MethodGet, "/pay/pr_gone"))
	gone.one(t, "a", "href=mailto:help@shop.example")
}

func TestOnlyAddressesInAContactAreLinked(t *testing.T) {
	t.Parallel()
	for line, href := range map[string]string{
		"help@shop.example": "mailto:help@shop.example", "https://shop.example/help?a=b": "https://shop.example/help?a=b",
		"javascript:alert(1)": "", "Street 1": "", "Help <help@shop.example>": "", "data:text/html,x": "", "//evil.example": "",
		"a@b.example?subject=x&body=y": "",
	} {
		require.Equal(t, href, contactURL(line), line)
	}
}

// TestTheNameOfAPaymentIsInItsLinkIfTheMerchantChose checks link and QR code.
func TestTheNameOfAPaymentIsInItsLinkIfTheMerchantChose(t *testing.T) {
	t.Parallel()
	named := with(func(v *View) { v.NamedLink = true })
	uri := "monero:" + testAddress + "?tx_amount=0.123456789012&recipient_name=Example%20Shop&tx_description=Two%20tickets%2C%20row%207"
	open(t, named).one(t, "a", "href="+uri)
	w := get(t, handler(t, named), http.MethodGet, "/pay/"+testID+"/qr.png")
	require.Equal(t, uri, decode(t, w.Body.Bytes()))
	require.NotContains(t, render(t, open(t, waiting())), "recipient_name")
}

func TestAReceiptIsOfACompletePayment(t *testing.T) {
	t.Parallel()
	for name, view := range views() {
		if view.Unpayable {
			continue
		}
		w := get(t, handler(t, view), http.MethodGet, "/pay/"+testID+"/receipt?lang=fr")
		page := open(t, view, "?lang=fr")
		link := page.all("a", "href=/pay/"+testID+"/receipt?lang=fr")
		if !stageOf(view).done() {
			require.Equal(t, http.StatusSeeOther, w.Code, name)
			require.Equal(t, "/pay/"+testID+"?lang=fr", w.Header().Get("Location"))
			require.Empty(t, link, name)
			continue
		}
		require.Equal(t, http.StatusOK, w.Code, name)
		require.Len(t, link, 1, name)
		checkHeaders(t, w)
		for _, text := range []string{"Example Shop", "Two tickets, row 7", "25.00 EUR", view.AmountReceivedXMR.String(), testAddress, testID, "21 novembre 2026", "help@shop.example"} {
			require.Contains(t, parse(t, w).text(), text, name)
		}
	}
}

func TestALongDescriptionIsCutAtTheTopAndWholeBelow(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Pot of Darjeeling, ", 20)
	d := open(t, with(func(v *View) { v.Description = &long }))
	top := textOf(d.one(t, "p", "class=brief"))
	require.LessOrEqual(t, len([]rune(top)), maxBrief+1)
	require.True(t, strings.HasSuffix(top, "…"), top)
	require.Equal(t, strings.TrimSpace(long), textOf(d.one(t, "p", "class=description")))
	require.Empty(t, open(t, waiting()).all("p", "class=description"))
}
