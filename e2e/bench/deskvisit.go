package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// deskVisit is a merchant at the desk.
type deskVisit struct {
	http    *http.Client
	baseURL string
}

// enterDesk logs the merchant in.
func (s *shop) enterDesk(ctx context.Context) (*deskVisit, error) {
	form := url.Values{"email": {s.Account.Merchant.Email}, "password": {s.Password}}
	page, session, err := clients.LogInAtDesk(ctx, s.BaseURL+"/log-in", form)
	if err != nil {
		return nil, err
	}
	// A page that sends its visitor elsewhere is not measured as that other page.
	session.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &deskVisit{session, s.BaseURL}, fixture.Check(strings.Contains(page, "/log-out"), "the desk does not let the merchant in")
}

// page opens a page and returns after how long its first byte came, and how many there
// were.
func (v *deskVisit) page(ctx context.Context, path string) (first time.Duration, size int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.baseURL+path, http.NoBody)
	if err != nil {
		return 0, 0, err
	}
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
