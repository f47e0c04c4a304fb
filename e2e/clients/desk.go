package clients

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
)

// LogInAtDesk sends the form of a desk's login as a browser does. It returns the page that
// follows and a client with the cookie of the session.
func LogInAtDesk(ctx context.Context, address string, form url.Values) (page string, session *http.Client, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	session = &http.Client{Jar: jar}
	resp, err := session.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return string(body), session, err
}
