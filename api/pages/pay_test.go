package pages

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/durapay/durapay/internal/wire"
)

// TestEveryStateSaysItsOwn checks the texts of each state, and that only states that await a
// payment ask for one.
func TestEveryStateSaysItsOwn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		title   string
		says    []string
		asks    bool
		reloads bool
	}{
		"waiting":            {"Waiting for your payment", []string{"Expires at 14:05 UTC, in about 12 minutes"}, true, true},
		"partial":            {"Partly paid", []string{"Received 0.1 XMR of 0.123456789012 XMR", "send the rest"}, true, true},
		"seen":               {"Payment seen", []string{"0 of 10 confirmations", "You can close this page"}, false, true},
		"confirming":         {"Confirming your payment", []string{"3 of 10 confirmations", "You can close this page"}, false, true},
		"overpaid":           {"Confirming your payment", []string{"0.076543210988 XMR more", "contact the merchant"}, false, true},
		"confirmed":          {"Payment confirmed", []string{"Confirmed 13:52 UTC"}, false, false},
		"overpaid_confirmed": {"Payment confirmed", []string{"0.076543210988 XMR more", "contact the merchant"}, false, false},
		"expired":            {"This payment has expired", []string{"do not send", "Expired 13:33 UTC"}, false, false},
		"expired_partial":    {"Expired, partly paid", []string{"0.1 XMR of 0.123456789012 XMR", "Contact the merchant"}, false, false},
		"late_confirming":    {"Late payment seen", []string{"1 of 10 confirmations"}, false, true},
		"late_confirmed":     {"Late payment confirmed", []string{"check with the merchant"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, views()[name])
			title, status := textOf(d.one(t, "h1")), d
			require.Equal(t, title+" · Example Shop", textOf(d.one(t, "title")))
			if c.asks {
				require.Equal(t, "Pay 25.00 EUR", title)
				status = parse(t, frameOf(t, views()[name], d))
				title = textOf(status.one(t, "h1"))
			}
			require.Equal(t, c.title, title)
			for _, text := range c.says {
				require.Contains(t, status.text(), text)
			}
			for _, text := range []string{"Example Shop", "Two tickets, row 7", "25.00 EUR", testID} {
				require.Contains(t, d.text(), text)
			}
			require.Equal(t, c.asks, len(d.all("", "id=address")) == 1, "address")
			require.Equal(t, c.asks, len(d.all("img")) == 2, "QR codes")
			require.Equal(t, c.asks, strings.Contains(render(t, d), "monero:"), "wallet link")
			require.Equal(t, c.reloads, reloads(t, views()[name]), "reload")
		})
	}
}

func TestNoMoreBlocksArePromisedOnceAllHaveCome(t *testing.T) {
	t.Parallel()
	for name, some := range map[string]bool{"confirming": true, "locked": false} {
		require.Equal(t, some, strings.Contains(open(t, views()[name]).text(), "About two minutes each"), name)
	}
}

func TestPayingNeedsNoCopyingByHand(t *testing.T) {
	t.Parallel()
	d := open(t, waiting())
	require.Equal(t, "0.123456789012", textOf(d.one(t, "span", "id=amount", "class=copy")))
	require.Equal(t, testAddress, textOf(d.one(t, "code", "id=address", "class=copy")))
	d.one(t, "input", "readonly", "value=0.123456789012")
	d.one(t, "input", "readonly", "value="+testAddress)
	d.one(t, "a", "href=monero:"+testAddress+"?tx_amount=0.123456789012")

	d = open(t, views()["partial"])
	require.Equal(t, "0.023456789012", textOf(d.one(t, "span", "id=amount")))
	d.one(t, "a", "href=monero:"+testAddress+"?tx_amount=0.023456789012")
}

func TestAmountsKeepEveryDigit(t *testing.T) {
	t.Parallel()
	for _, amount := range []string{"0.000000000001", "18000000.123456789012", "0.1", "7"} {
		d := open(t, with(func(v *View) {
			v.AmountXMR, v.AmountDueXMR = xmr(amount), xmr(amount)
			v.PaymentURI = "monero:" + testAddress + "?tx_amount=" + amount
		}))
		require.Equal(t, amount, textOf(d.one(t, "span", "id=amount")))
		d.one(t, "a", "href=monero:"+testAddress+"?tx_amount="+amount)
	}
}

func TestForeignPaymentURIIsNotLinked(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{"javascript:alert(1)", "monero:another?tx_amount=0.1", ""} {
		d := open(t, with(func(v *View) { v.PaymentURI = uri }))
		d.one(t, "a", "href=monero:"+testAddress+"?tx_amount=0.123456789012")
	}
}

func TestRemainingTime(t *testing.T) {
	t.Parallel()
	for remaining, text := range map[time.Duration]string{
		30 * time.Second:             "Expires at 13:53 UTC, in less than a minute",
		-time.Second:                 "The time to pay has just ended.",
		90 * time.Second:             "Expires at 13:54 UTC, in about 1 minute",
		5*time.Hour + 10*time.Minute: "Expires at 19:03 UTC, in about 5 hours",
		49 * time.Hour:               "Expires at 23 November 2026, 14:53 UTC, in about 2 days",
	} {
		at := testNow.Add(remaining)
		view := with(func(v *View) { v.ExpiresAt = wire.TimeOf(at) })
		d := parse(t, frameOf(t, view, open(t, view)))
		require.Equal(t, text, textOf(d.one(t, "time", "datetime="+at.Format(time.RFC3339))))
	}
}

// TestReturnLinkOnceNothingIsAskedForAndOnlyToTheWeb covers two kinds of buyers: one whose
// payment was seen need not wait here for ten blocks, and one whose charge has expired must
// start again.
func TestReturnLinkOnceNothingIsAskedForAndOnlyToTheWeb(t *testing.T) {
	t.Parallel()
	link := open(t, views()["confirmed"]).one(t, "a", "rel=noreferrer")
	require.Equal(t, "https://shop.example/thanks?order=1&ok=2", value(t, link, "href"))
	require.Equal(t, "Return to Example Shop", textOf(link))
	for name, view := range views() {
		at := stageOf(view)
		require.Equal(t, !view.Unpayable && (!at.payable() || at == stageWaiting), strings.Contains(render(t, open(t, view)), "thanks?order"), name)
	}
	for _, url := range []string{
		"javascript:alert(document.cookie)", "JaVaScRiPt:alert(1)", "data:text/html,x", "//evil.example/x",
		"/relative", "https:", "ftp://shop.example", "https://user:pass@shop.example/", " javascript:alert(1)", "",
	} {
		d := open(t, with(func(v *View) { confirmed(v); v.ReturnURL = &url }))
		require.Empty(t, d.all("a", "rel=noreferrer"), url)
		require.NotContains(t, strings.ToLower(render(t, d)), "javascript:", url)
	}
}

func TestHostileTextIsOnlyText(t *testing.T) {
	t.Parallel()
	hostile := `"><script>alert(1)</script><img src=x onerror=alert(1)>{{.T}}' style='x`
	d := open(t, with(func(v *View) { v.Description, v.BusinessName = &hostile, hostile }))
	require.Contains(t, d.text(), hostile)
	require.Equal(t, hostile, textOf(d.one(t, "bdi", "class=merchant-name")))
	require.Len(t, d.all("img"), 2)
	checkMarkup(t, d)
}

func TestMarkupOfEveryPage(t *testing.T) {
	t.Parallel()
	for name, view := range views() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkMarkup(t, open(t, view))
		})
	}
	h := handler(t, waiting())
	for _, path := range []string{
		"/pay/nothing", "/pay/" + brokenID, "/pay/" + testRequest, "/button", buttonQuery(), buttonQuery("amount", "x", "fields", "?"),
	} {
		checkMarkup(t, parse(t, get(t, h, http.MethodGet, path)))
	}
}

// checkMarkup checks the rules for every page: no script or style inside, a language,
// landmarks, one heading, and a text for every image and input.
func checkMarkup(t *testing.T, d doc) {
	t.Helper()
	for _, tag := range []string{"script", "style", "object", "embed", "base", "svg"} {
		require.Empty(t, d.all(tag), tag)
	}
	frames := d.all("iframe")
	for _, n := range frames {
		require.NotEmpty(t, value(t, n, "title"))
	}
	for _, n := range d.all("") {
		for _, a := range n.Attr {
			require.False(t, a.Key == "style" || strings.HasPrefix(a.Key, "on"), "%s %s", n.Data, a.Key)
			if a.Key == "src" || a.Key == "action" {
				require.True(t, strings.HasPrefix(a.Val, "/"), a.Val)
			}
		}
	}
	d.one(t, "html", "lang=en", "dir=ltr")
	d.one(t, "main")
	d.one(t, "header")
	d.one(t, "footer")
	d.one(t, "h1")
	require.Empty(t, d.all("p", "dir=auto"), "a text of the other direction stands below its heading")
	wrong := d.all("", "aria-invalid=true")
	require.Len(t, d.all("", "aria-invalid=true", "autofocus"), len(wrong), "the first mistake is focused")
	require.Equal(t, 1, len(d.all("div", "role=status"))+len(frames), "a status, or a frame with it")
	for _, n := range d.all("img") {
		require.NotEmpty(t, value(t, n, "alt"))
	}
	for _, tag := range []string{"input", "select", "textarea", "progress"} {
		for _, n := range d.all(tag) {
			if hasAll(n, []string{"type=hidden"}) {
				continue
			}
			d.one(t, "label", "for="+value(t, n, "id"))
		}
	}
}

func render(t *testing.T, d doc) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, html.Render(&b, d.root))
	return b.String()
}
