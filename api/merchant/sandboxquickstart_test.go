package merchant_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
	"github.com/durapay/durapay/internal/listen"
	"github.com/durapay/durapay/internal/webhook"
)

// testQuickStartInABrowser follows the first part of docs/merchant/quickstart.md, from the
// sign-up to a verified webhook, and logs how long that took.
func testQuickStartInABrowser(t *testing.T, b *bench) {
	tab, _ := browsertest.Start(t)
	browsertest.Call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	begun := time.Now()
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(b.url+"/sign-up"),
		chromedp.SendKeys(chromedp.CSS("#email"), "quick@example.com"),
		chromedp.SendKeys(chromedp.CSS("#password"), password),
		chromedp.SendKeys(chromedp.CSS("#business_name"), "Quick"),
		chromedp.Click(chromedp.CSS("form button")),
		chromedp.WaitVisible(chromedp.CSS(".copy")),
	))
	testKey, err := chromedp.Run(tab, chromedp.TextContent(chromedp.CSS(".copy")))
	require.NoError(t, err)
	received, stop := listenTo(t, b, testKey)
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(b.url+"/"),
		chromedp.Click(chromedp.CSS("form[action='/mode'] button")),
		chromedp.WaitVisible(chromedp.CSS(".sandbox")),
		chromedp.Navigate(b.url+"/ask"),
		chromedp.SendKeys(chromedp.CSS("#amount"), "12.34"),
		chromedp.Click(chromedp.CSS("form[action='/ask'] button")),
		chromedp.WaitVisible(chromedp.CSS("form[action$='/test/pay'] button")),
		chromedp.Click(chromedp.CSS("form[action$='/test/pay'] button")),
		chromedp.WaitVisible(chromedp.CSS("form[action$='/test/confirm'] button")),
		chromedp.Click(chromedp.CSS("form[action$='/test/confirm'] button")),
		chromedp.WaitVisible(chromedp.CSS(".good-text")),
	))
	for _, event := range []string{"charge.created", "charge.pending", "charge.confirmed"} {
		require.Contains(t, <-received, `"event":"`+event+`"`)
	}
	t.Logf("from the sign-up to a verified webhook: %s", time.Since(begun).Round(time.Millisecond))
	stop()
}

// listenTo starts a listener for the events of a key. It returns a channel that gets the events
// with a valid signature, and a function that stops the listener.
func listenTo(t *testing.T, b *bench, testKey string, change ...func(*listen.Listener)) (received chan string, stop func()) {
	t.Helper()
	received = make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get(webhook.SignatureHeader) == webhook.Sign("secret", body) {
			received <- string(body)
		}
	}))
	t.Cleanup(receiver.Close)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	l := &listen.Listener{
		API: listen.API{Base: b.url, Key: testKey, Client: http.DefaultClient}, ForwardTo: receiver.URL, Secret: "secret", Out: io.Discard,
		Saved: func(string) error { return nil }, Pause: func(context.Context, time.Duration) { time.Sleep(20 * time.Millisecond) },
	}
	for _, c := range change {
		c(l)
	}
	go func() { ended <- l.Run(ctx) }()
	return received, func() {
		cancel()
		require.NoError(t, <-ended)
	}
}
