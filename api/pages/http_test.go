package pages

import (
	"bytes"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/charge"
)

func TestStatusOfEveryAnswer(t *testing.T) {
	t.Parallel()
	for path, c := range map[string]struct {
		view   View
		status int
		title  string
	}{
		"/pay/" + testID:                   {waiting(), http.StatusOK, "Pay 25.00 EUR"},
		"/pay/ch_00":                       {waiting(), http.StatusNotFound, "Payment not found"},
		"/pay/ch_aaaaaaaaaaaaaaaaaaaaaaaa": {waiting(), http.StatusNotFound, "Payment not found"},
		"/pay/" + brokenID:                 {waiting(), http.StatusInternalServerError, "Something went wrong"},
		"/pay/" + testID + "?off":          {views()["link_inactive"], http.StatusGone, "This payment link is switched off"},
		"/pay/" + testID + "?late":         {views()["link_expired"], http.StatusGone, "This payment link has expired"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			w := get(t, handler(t, c.view), method, path)
			require.Equal(t, c.status, w.Code, path)
			checkHeadersOf(t, w, c.status == http.StatusOK, false)
			require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
			d := parse(t, w)
			require.Equal(t, c.title, textOf(d.one(t, "h1")))
			require.NotContains(t, w.Body.String(), secretText)
			if c.status != http.StatusOK {
				require.NotContains(t, w.Body.String(), testAddress)
			}
		}
	}
}

func TestHeadHasNoBody(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(handler(t, waiting()))
	t.Cleanup(server.Close)
	for _, path := range []string{"/pay/" + testID, "/pay/" + testID + "/qr.png", kit.LoadAssets().Style.Path} {
		answer, err := server.Client().Head(server.URL + path)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusOK, answer.StatusCode, path)
		require.Positive(t, answer.ContentLength, path)
	}
}

func TestGoneLinkStaysValidOnceMoneyWasSeen(t *testing.T) {
	t.Parallel()
	for _, state := range []charge.LinkState{charge.LinkInactive, charge.LinkExpired} {
		seen := with(func(v *View) { v.LinkState = state; received(v, "0.1") })
		require.Equal(t, http.StatusOK, get(t, handler(t, seen), http.MethodGet, "/pay/"+testID).Code)
		require.Equal(t, http.StatusOK, get(t, handler(t, seen), http.MethodGet, "/pay/"+testID+"/qr.png").Code)
	}
}

func TestCodesHoldWhatIsDue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		view  View
		image string
		text  string
	}{
		"whole":   {waiting(), "/qr.png", "monero:" + testAddress + "?tx_amount=0.123456789012"},
		"rest":    {views()["partial"], "/qr.png", "monero:" + testAddress + "?tx_amount=0.023456789012"},
		"address": {waiting(), "/address.png", "monero:" + testAddress},
	} {
		w := get(t, handler(t, c.view), http.MethodGet, "/pay/"+testID+c.image)
		require.Equal(t, http.StatusOK, w.Code, name)
		require.Equal(t, "image/png", w.Header().Get("Content-Type"))
		require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
		checkHeaders(t, w)
		require.Equal(t, c.text, decode(t, w.Body.Bytes()), name)
	}
}

func TestCodesOnThePageAreCachedByAmount(t *testing.T) {
	t.Parallel()
	h := handler(t, views()["partial"])
	for _, img := range open(t, views()["partial"]).all("img") {
		w := get(t, h, http.MethodGet, value(t, img, "src"))
		require.Equal(t, http.StatusOK, w.Code)
		require.Contains(t, w.Header().Get("Cache-Control"), "private")
	}
	w := get(t, h, http.MethodGet, "/pay/"+testID+"/qr.png?due=0.5")
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
}

func TestNoCodeForAPaymentThatIsOver(t *testing.T) {
	t.Parallel()
	for name, view := range views() {
		if stageOf(view).payable() && !view.Unpayable {
			continue
		}
		for _, image := range []string{"/qr.png", "/address.png"} {
			w := get(t, handler(t, view), http.MethodGet, "/pay/"+testID+image)
			require.Equal(t, http.StatusGone, w.Code, name+image)
		}
	}
	h := handler(t, waiting())
	require.Equal(t, http.StatusNotFound, get(t, h, http.MethodGet, "/pay/ch_00/qr.png").Code)
	require.Equal(t, http.StatusInternalServerError, get(t, h, http.MethodGet, "/pay/"+brokenID+"/qr.png").Code)
}

func TestPageRefersToCacheableAssets(t *testing.T) {
	t.Parallel()
	h := handler(t, waiting())
	links := open(t, waiting()).all("link")
	require.Len(t, links, 2)
	for _, link := range links {
		w := get(t, h, http.MethodGet, value(t, link, "href"))
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "public, max-age=31536000, immutable", w.Header().Get("Cache-Control"))
		require.NotContains(t, w.Body.String(), "url(")
	}
}

func TestReloadingCanBeStopped(t *testing.T) {
	t.Parallel()
	d := open(t, waiting())
	require.Equal(t, "15", frameOf(t, waiting(), d).Header().Get("Refresh"))
	require.Equal(t, "Refresh", textOf(d.one(t, "a", "href=/pay/"+testID)))
	d.one(t, "a", "href=/pay/"+testID+"?refresh=off")

	d = open(t, waiting(), "?refresh=off")
	require.False(t, reloads(t, waiting(), "?refresh=off"))
	require.Empty(t, frameOf(t, waiting(), d).Header().Get("Refresh"))
	require.Equal(t, "Update automatically", textOf(d.one(t, "a", "href=/pay/"+testID)))
	require.Equal(t, "Refresh", textOf(d.one(t, "a", "href=/pay/"+testID+"?refresh=off")))
}

func TestSandboxIsMarked(t *testing.T) {
	t.Parallel()
	require.Contains(t, open(t, views()["sandbox"]).text(), "Do not send real money")
	require.NotContains(t, open(t, waiting()).text(), "real money")
}

func TestBuyerFields(t *testing.T) {
	t.Parallel()
	asked := views()["fields"]
	d := open(t, asked)
	d.one(t, "form", "method=post", "action=/api/charges/"+testID+"/buyer-info?lang=en")
	d.one(t, "input", "name=email", "type=email", "autocomplete=email", "maxlength=500")
	require.Equal(t, "Shipping note", textOf(d.one(t, "label", "for=field-shipping_note")))
	d.one(t, "code", "id=address")

	d = open(t, asked, "?details=later")
	require.Empty(t, d.all("form"))
	d.one(t, "a", "href=/pay/"+testID+"?details=open")

	paid := asked
	received(&paid, "0.123456789012")
	require.False(t, reloads(t, paid, "?details=open"), "reloading would empty the form")
	require.True(t, reloads(t, paid))

	asked.FieldsGiven = true
	d = open(t, asked)
	require.Empty(t, d.all("form"))
	require.Contains(t, d.text(), "Your details were sent")

	confirmed(&asked)
	require.Empty(t, open(t, asked).all("form"))
}

func checkHeaders(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	checkHeadersOf(t, w, false, false)
}

// checkHeadersOf checks the headers of a page that shows another one in a frame, or is shown in one.
func checkHeadersOf(t *testing.T, w *httptest.ResponseRecorder, frames, framed bool) {
	t.Helper()
	h := w.Header()
	inside, around, options := "", "'none'", "DENY"
	if frames {
		inside = "; frame-src 'self'"
	}
	if framed {
		around, options = "'self'", "SAMEORIGIN"
	}
	require.Equal(t, "default-src 'none'; style-src 'self'; img-src 'self'"+inside+"; form-action 'self'; "+
		"base-uri 'none'; frame-ancestors "+around, h.Get("Content-Security-Policy"))
	require.Equal(t, "no-referrer", h.Get("Referrer-Policy"))
	require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
	require.Equal(t, options, h.Get("X-Frame-Options"))
	require.True(t, strings.HasPrefix(h.Get("X-Robots-Tag"), "noindex"))
}

func decode(t *testing.T, data []byte) string {
	t.Helper()
	image, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	bitmap, err := gozxing.NewBinaryBitmapFromImage(image)
	require.NoError(t, err)
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{
		gozxing.DecodeHintType_PURE_BARCODE: true,
	})
	require.NoError(t, err)
	return result.GetText()
}
