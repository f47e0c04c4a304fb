package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
)

// showDesk ends with a login at the merchants' desk that works: it logs in there and
// finds the charge.
func (d *demo) showDesk(ctx context.Context) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser, desk := http.Client{Jar: jar}, d.env["MERCHANT_URL"]
	form := url.Values{"email": {d.email}, "password": {d.password}, "next": {"/charges"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, desk+"/log-in", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := browser.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if err := check(strings.Contains(string(page), d.charge.ID), "the desk does not show charge %s after a login: %s", d.charge.ID, answer.Status); err != nil {
		return err
	}
	fmt.Printf("\n    The merchants' desk: %s/\n    email %s, password %s\n", desk, d.email, d.password)
	return nil
}
