package opdesk_test

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/durapay/durapay/api/opdesk"
	"github.com/durapay/durapay/internal/secret"
)

const token = "the token of the operators"

// server is the worker's internal listener, with a web UI behind it that says what it was
// asked.
type server struct {
	url   string
	codec *secret.PayloadCodec
	now   time.Time
	// asked are the requests that reached the UI.
	asked []*http.Request
}

func serve(t *testing.T, token string) *server {
	t.Helper()
	keyset := filepath.Join(t.TempDir(), "payloads.json")
	require.NoError(t, secret.NewKeysetFile(keyset))
	codec, err := secret.NewPayloadCodec(keyset)
	require.NoError(t, err)
	s := &server{codec: codec, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	ui := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		http.SetCookie(w, &http.Cookie{Name: "_csrf", Value: "of the UI", Path: "/"})
		_, _ = fmt.Fprint(w, "the UI")
	}))
	t.Cleanup(ui.Close)
	at, err := url.Parse(ui.URL)
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(http.ResponseWriter, *http.Request) {})
	opdesk.ServeTemporal(mux, codec, at, token, func() time.Time { return s.now })
	listener := httptest.NewServer(mux)
	t.Cleanup(listener.Close)
	s.url = listener.URL
	return s
}

// browser keeps cookies and follows no redirect.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// send sends a request with pairs of header names and values.
func send(t *testing.T, client *http.Client, method, at, body string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp
}

// logIn sends the login form.
func (s *server) logIn(t *testing.T, client *http.Client, token, next string) *http.Response {
	t.Helper()
	form := url.Values{"token": {token}, "next": {next}}.Encode()
	return send(t, client, http.MethodPost, s.url+"/temporal-login", form, "Content-Type", "application/x-www-form-urlencoded")
}

// sealed is a body for the codec with one payload.
func (s *server) sealed(t *testing.T) string {
	t.Helper()
	payloads, err := s.codec.Encode([]*commonpb.Payload{{Data: []byte("x")}})
	require.NoError(t, err)
	body, err := protojson.Marshal(&commonpb.Payloads{Payloads: payloads})
	require.NoError(t, err)
	return string(body)
}

func TestTheUIAndTheCodecNeedALogin(t *testing.T) {
	t.Parallel()
	s := serve(t, token)
	for _, none := range []string{"", "Bearer", "Bearer ", "bearer " + token, "Basic " + token, token, "Bearer x" + token} {
		for _, path := range []string{"/codec/decode", "/codec/encode", "/api/v1/namespaces", "/"} {
			resp := send(t, browser(t), http.MethodPost, s.url+path, s.sealed(t), "Authorization", none)
			require.Equal(t, http.StatusUnauthorized, resp.StatusCode, "%s %q", path, none)
		}
	}
	require.Empty(t, s.asked)
	bearer := []string{"Authorization", "Bearer " + token}
	require.Equal(t, http.StatusOK, send(t, browser(t), http.MethodPost, s.url+"/codec/decode", s.sealed(t), bearer...).StatusCode)
	require.Equal(t, http.StatusOK, send(t, browser(t), http.MethodGet, s.url+"/", "", bearer...).StatusCode)
	require.Len(t, s.asked, 1)
}

func TestWithoutATokenNoRequestGetsIn(t *testing.T) {
	t.Parallel()
	s := serve(t, "")
	for _, none := range []string{"", "Bearer ", "Bearer " + token} {
		for _, path := range []string{"/codec/decode", "/"} {
			resp := send(t, browser(t), http.MethodPost, s.url+path, s.sealed(t), "Authorization", none)
			require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
		}
	}
	resp := s.logIn(t, browser(t), "", "")
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	require.Empty(t, resp.Cookies())
	require.Empty(t, s.asked)
}

// A link of the UI can be long: a query of its list stands in it twice.
func TestALongLinkLogsIn(t *testing.T) {
	t.Parallel()
	s := serve(t, token)
	page := "/namespaces/durapay/workflows?query=" + strings.Repeat("%22", 5_000)
	require.Equal(t, page, s.logIn(t, browser(t), token, page).Header.Get("Location"))
}

// What the listener serves without a login is as before.
func TestOtherPathsNeedNoLogin(t *testing.T) {
	t.Parallel()
	s := serve(t, token)
	require.Equal(t, http.StatusOK, send(t, browser(t), http.MethodGet, s.url+"/metrics", "").StatusCode)
	require.Equal(t, http.StatusUnauthorized, send(t, browser(t), http.MethodPost, s.url+"/metrics", "").StatusCode)
	require.Empty(t, s.asked)
}

// An operator follows a link of the desk, logs in, and is on the page of the link.
func TestALoginLeadsToThePageThatWasOpened(t *testing.T) {
	t.Parallel()
	s, client := serve(t, token), browser(t)
	const page = "/namespaces/durapay/workflows/charge-ch_1?query=a%20b"
	resp := send(t, client, http.MethodGet, s.url+page, "", "Accept", "text/html,*/*")
	require.Equal(t, http.StatusSeeOther, resp.StatusCode)
	login, err := url.Parse(resp.Header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, "/temporal-login", login.Path)
	require.Equal(t, page, login.Query().Get("next"))
	require.Equal(t, http.StatusOK, send(t, client, http.MethodGet, s.url+login.String(), "").StatusCode)
	require.Equal(t, http.StatusUnauthorized, s.logIn(t, client, "wrong", page).StatusCode)

	resp = s.logIn(t, client, token+"\n", page)
	require.Equal(t, http.StatusSeeOther, resp.StatusCode)
	require.Equal(t, page, resp.Header.Get("Location"))
	cookie := resp.Cookies()[0]
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
	require.NotContains(t, cookie.Value, token)
	require.Equal(t, http.StatusOK, send(t, client, http.MethodGet, s.url+page, "").StatusCode)
	require.Equal(t, http.StatusOK, send(t, client, http.MethodPost, s.url+"/codec/decode", s.sealed(t)).StatusCode)
	wrong := send(t, client, http.MethodPost, s.url+"/codec/decode", s.sealed(t), "Authorization", "Bearer wrong")
	require.Equal(t, http.StatusUnauthorized, wrong.StatusCode, "the cookie does not repair a wrong token")

	s.now = s.now.Add(12*time.Hour - time.Second)
	require.Equal(t, http.StatusOK, send(t, client, http.MethodGet, s.url+page, "").StatusCode)
	s.now = s.now.Add(time.Second)
	require.Equal(t, http.StatusUnauthorized, send(t, client, http.MethodGet, s.url+page, "").StatusCode, "a login ends after 12 hours")
	_, mac, _ := strings.Cut(cookie.Value, ".")
	forged := send(t, browser(t), http.MethodGet, s.url+page, "", "Cookie", cookie.Name+"=99999999999."+mac)
	require.Equal(t, http.StatusUnauthorized, forged.StatusCode, "its end cannot be moved")

	other := serve(t, "another token")
	refused := send(t, browser(t), http.MethodPost, other.url+"/codec/decode", other.sealed(t), "Cookie", cookie.Name+"="+cookie.Value)
	require.Equal(t, http.StatusUnauthorized, refused.StatusCode, "a new token ends every login")
}

func TestALoginLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s := serve(t, token)
	for _, next := range []string{
		"", "/", "/temporal/../metrics", "//evil.example/", "https://evil.example/", "/\\evil.example/", "\\\\evil.example", "javascript:alert(1)",
		"/x\r\nSet-Cookie: a=b", "/x//evil.example", "evil.example", "/%2e%2e/x", "/%5cevil.example",
	} {
		require.Equal(t, "/", s.logIn(t, browser(t), token, next).Header.Get("Location"), next)
	}
}

// A page of another site, and of another port of this host, drives nothing.
func TestPagesOfOtherOriginsAreRefused(t *testing.T) {
	t.Parallel()
	s, client := serve(t, token), browser(t)
	s.logIn(t, client, token, "")
	terminate := s.url + "/api/v1/namespaces/durapay/workflows/charge-ch_1/terminate"
	for _, headers := range [][]string{
		{"Origin", "http://127.0.0.1:8234"}, {"Origin", "null"}, {"Origin", "https://evil.example"},
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
	} {
		for _, at := range []string{terminate, s.url + "/codec/decode", s.url + "/temporal-login"} {
			require.Equal(t, http.StatusForbidden, send(t, client, http.MethodPost, at, s.sealed(t), headers...).StatusCode, "%s %v", at, headers)
		}
	}
	require.Empty(t, s.asked)
	require.Equal(t, http.StatusOK, send(t, client, http.MethodPost, terminate, "{}", "Origin", s.url, "Sec-Fetch-Site", "same-origin").StatusCode)
}

// The UI gets its own cookie alone, and no page of another origin may read or frame it.
func TestTheUIGetsItsOwnCookieAlone(t *testing.T) {
	t.Parallel()
	s, client := serve(t, token), browser(t)
	s.logIn(t, client, token, "")
	send(t, client, http.MethodGet, s.url+"/", "")
	resp := send(t, client, http.MethodGet, s.url+"/a%2Fb?c=d", "", "Cookie", "operator_session=secret")
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Empty(t, resp.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "frame-ancestors 'self'", resp.Header.Get("Content-Security-Policy"))
	require.Equal(t, "no-store", resp.Header.Get("Cache-Control"))
	last := s.asked[len(s.asked)-1]
	require.Equal(t, "/a%2Fb?c=d", last.RequestURI)
	require.Equal(t, "_csrf=\"of the UI\"", last.Header.Get("Cookie"))
	send(t, client, http.MethodGet, s.url+"/", "", "Authorization", "Bearer "+token)
	require.Empty(t, s.asked[len(s.asked)-1].Header.Get("Authorization"))
}

func TestAUIThatIsAwayOrNotConfigured(t *testing.T) {
	t.Parallel()
	s := serve(t, token)
	down, err := url.Parse("http://127.0.0.1:1")
	require.NoError(t, err)
	for ui, want := range map[*url.URL]int{down: http.StatusBadGateway, nil: http.StatusNotFound} {
		answer := httptest.NewRecorder()
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		req.Header.Set("Authorization", "Bearer "+token)
		mux := http.NewServeMux()
		opdesk.ServeTemporal(mux, s.codec, ui, token, time.Now)
		mux.ServeHTTP(answer, req)
		require.Equal(t, want, answer.Code)
	}
}

func TestTheCodecSpeaksTheRemoteCodecProtocol(t *testing.T) {
	t.Parallel()
	s := serve(t, token)
	plain, err := converter.GetDefaultDataConverter().ToPayload("readable")
	require.NoError(t, err)
	sealed, err := s.codec.Encode([]*commonpb.Payload{plain})
	require.NoError(t, err)
	remote := converter.NewRemotePayloadCodec(converter.RemotePayloadCodecOptions{
		Endpoint: s.url + "/codec", ModifyRequest: func(r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+token)
			return nil
		},
	})
	out, err := remote.Decode(sealed)
	require.NoError(t, err)
	require.True(t, proto.Equal(plain, out[0]))
}

func TestTheCodecBoundsItsInput(t *testing.T) {
	t.Parallel()
	s := serve(t, token)
	bearer := []string{"Authorization", "Bearer " + token}
	// One byte too many: the server has read all of it when it says so, and
	// does not hang up on a client that is still sending.
	const before, after = `{"payloads":[{"data":"`, `"}]}`
	big := before + strings.Repeat("A", 16<<20+1-len(before)-len(after)) + after
	decode := s.url + "/codec/decode"
	require.Equal(t, http.StatusBadRequest, send(t, browser(t), http.MethodPost, decode, big, bearer...).StatusCode)
	require.Equal(t, http.StatusBadRequest, send(t, browser(t), http.MethodPost, decode, "{", bearer...).StatusCode)
	require.Equal(t, http.StatusNotFound, send(t, browser(t), http.MethodGet, decode, "", bearer...).StatusCode)
}
