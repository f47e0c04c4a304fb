// Package clients has the programs that call Durapay from outside: a merchant's software, a shop's
// plugin, a partner of the swap exchange, and strangers without a right to what they ask for. They know
// the written contract alone and use HTTP. Their types are not those of the service, so a field that
// the service renames is missing here.
package clients

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
)

// Send makes a request with a JSON body, unless body is nil, and returns the answer and what
// its body has. The client is http.DefaultClient when nil.
func Send(ctx context.Context, client *http.Client, method, address string, header map[string]string, body any) (*http.Response, []byte, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	return read(client, req)
}

// read makes a request and returns the answer and what its body has.
func read(client *http.Client, req *http.Request) (*http.Response, []byte, error) {
	resp, err := cmp.Or(client, http.DefaultClient).Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return resp, text, err
}

// Fetch reads a page or a document as a browser without script does. Everything but 200 is an
// error. The client is http.DefaultClient when nil.
func Fetch(ctx context.Context, client *http.Client, address string, header map[string]string) (string, http.Header, error) {
	resp, text, err := Send(ctx, client, http.MethodGet, address, header, nil)
	if err != nil {
		return "", nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return "", nil, fmt.Errorf("%s answers %s: %s", address, resp.Status, text)
	}
	return string(text), resp.Header, nil
}

// LogInAtDesk sends the form of a desk's login as a browser does. It returns the page that
// follows and a client with the cookie of the session.
func LogInAtDesk(ctx context.Context, address string, form url.Values) (page string, session *http.Client, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", nil, err
	}
	session = &http.Client{Jar: jar}
	req, err := postForm(ctx, address, form)
	if err != nil {
		return "", nil, err
	}
	_, text, err := read(session, req)
	return string(text), session, err
}

func postForm(ctx context.Context, address string, form url.Values) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err == nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return req, err
}
