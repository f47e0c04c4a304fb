package secret_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/durapay/durapay/internal/secret"
)

// sealedBody returns a request body for the endpoint with one payload.
func sealedBody(t *testing.T, codec *secret.PayloadCodec) string {
	t.Helper()
	sealed, err := codec.Encode([]*commonpb.Payload{{Data: []byte("x")}})
	require.NoError(t, err)
	body, err := protojson.Marshal(&commonpb.Payloads{Payloads: sealed})
	require.NoError(t, err)
	return string(body)
}

// ask posts a body as a page of the UI does, with the client's cookies.
func ask(t *testing.T, client *http.Client, url, body, authorization string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Origin", uiOrigin)
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

// browser returns a client that keeps cookies and follows no redirect.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// visit opens the login page, or sends its form.
func visit(t *testing.T, client *http.Client, method, at string, form url.Values) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := client.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp
}

func TestCodecNeedsItsToken(t *testing.T) {
	t.Parallel()
	at, codec := codecServer(t)
	body := sealedBody(t, codec)
	for _, route := range []string{"/decode", "/encode"} {
		for _, none := range []string{
			"", "Bearer", "Bearer ", "bearer " + codecToken, "Basic " + codecToken, codecToken, "Bearer x" + codecToken,
		} {
			require.Equal(t, http.StatusUnauthorized, ask(t, browser(t), at+route, body, none), "%s %q", route, none)
		}
		require.Equal(t, http.StatusOK, ask(t, browser(t), at+route, body, "Bearer "+codecToken))
	}
}

// Without a configured token the endpoint is closed, even to an empty token.
func TestCodecWithoutATokenIsClosed(t *testing.T) {
	t.Parallel()
	at, codec := codecServerWith(t, "")
	body := sealedBody(t, codec)
	for _, none := range []string{"", "Bearer ", "Bearer " + codecToken} {
		require.Equal(t, http.StatusUnauthorized, ask(t, browser(t), at+"/decode", body, none))
	}
	resp := visit(t, browser(t), http.MethodPost, at+"/login", url.Values{"token": {""}})
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	require.Empty(t, resp.Cookies())
}

// The UI cannot send a token, but the browser can send its cookie.
func TestBrowsersLogInToTheCodec(t *testing.T) {
	t.Parallel()
	at, codec := codecServer(t)
	body, client := sealedBody(t, codec), browser(t)
	login := func(token string) *http.Response {
		return visit(t, client, http.MethodPost, at+"/login", url.Values{"token": {token}})
	}
	require.Equal(t, http.StatusOK, visit(t, client, http.MethodGet, at+"/login", nil).StatusCode)
	require.Equal(t, http.StatusUnauthorized, login("wrong").StatusCode)
	require.Equal(t, http.StatusUnauthorized, ask(t, client, at+"/decode", body, ""))

	resp := login(codecToken + "\n")
	require.Equal(t, http.StatusSeeOther, resp.StatusCode)
	require.Equal(t, uiOrigin, resp.Header.Get("Location"))
	cookie := resp.Cookies()[0]
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
	require.Equal(t, "/codec", cookie.Path)
	require.NotContains(t, cookie.Value, codecToken)
	require.Equal(t, http.StatusOK, ask(t, client, at+"/decode", body, ""))
	require.Equal(t, http.StatusUnauthorized, ask(t, client, at+"/decode", body, "Bearer wrong"), "a wrong token is not made good by a cookie")

	other, _ := codecServerWith(t, "another token")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, other+"/decode", strings.NewReader(body))
	require.NoError(t, err)
	req.AddCookie(cookie)
	refused, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, refused.Body.Close())
	require.Equal(t, http.StatusUnauthorized, refused.StatusCode, "the cookie ends with its token")
	require.Equal(t, http.StatusMethodNotAllowed, visit(t, client, http.MethodPut, at+"/login", nil).StatusCode)
}
