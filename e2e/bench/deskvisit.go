package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"
)

// deskVisit is a merchant at the desk.
type deskVisit struct {
	http    *http.Client
	baseURL string
	cookie  *http.Cookie
}

// enterDesk logs the merchant in.
func (s *shop) enterDesk(ctx context.Context) (*deskVisit, error) {
	v := &deskVisit{baseURL: s.BaseURL, http: &http.Client{
		Transport:     s.fixture.http.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	form := url.Values{"email": {s.email}, "password": {password}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL+"/log-in", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := v.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return nil, err
	}
	for _, c := range resp.Cookies() {
		if c.Name == deskCookie && c.Value != "" {
			v.cookie = c
			return v, nil
		}
	}
	return nil, errors.New("the desk has let nobody in")
}

// deskCookie is the cookie of the desk's sessions.
const deskCookie = "durapay_desk"

// page opens a page and returns after how long its first byte came, and how many there
// were.
func (v *deskVisit) page(ctx context.Context, path string) (first time.Duration, size int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.baseURL+path, http.NoBody)
	if err != nil {
		return 0, 0, err
	}
	req.AddCookie(v.cookie)
	return firstByte(v.http, req)
}

// firstByte makes a request, and returns after how long the first byte of its answer came,
// and how many there were.
func firstByte(client *http.Client, req *http.Request) (first time.Duration, size int, err error) {
	begun := time.Now()
	trace := &httptrace.ClientTrace{GotFirstResponseByte: func() { first = time.Since(begun) }}
	resp, err := client.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d", req.URL.Path, resp.StatusCode)
	}
	return first, int(n), err
}
