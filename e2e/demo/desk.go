package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"strings"

	"github.com/durapay/durapay/e2e/merchant"
)

// showOperatorsDesk makes an account that is an operator's, logs in at the operators'
// desk, and says how that is done once more: with a backup code, each good once.
func (d *demo) showOperatorsDesk(ctx context.Context) error {
	email, password := fmt.Sprintf("operator-%s@shop.example", strings.ToLower(rand.Text())), rand.Text()
	_, operator, err := merchant.SignUp(ctx, d.env["MERCHANT_URL"], email, password, "Demo operator")
	if err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "go", "run", "./deploy/dev", "admin", "grant", email).CombinedOutput(); err != nil {
		return fmt.Errorf("admin grant: %w: %s", err, out)
	}
	codes, err := operator.SecondFactor(ctx)
	if err != nil {
		return err
	}
	desk := d.env["OPERATOR_DESK_URL"]
	page, err := logIn(ctx, desk+"log-in", url.Values{"email": {email}, "password": {password}, "code": {codes[0]}})
	if err != nil {
		return err
	}
	if err := check(strings.Contains(page, "Log out"), "the operators' desk does not let an operator in: %s", page); err != nil {
		return err
	}
	fmt.Printf("\n    The operators' desk: %s\n    email %s, password %s\n    codes, each good once: %s\n", desk, email, password, strings.Join(codes[1:4], ", "))
	return nil
}

// showDesk ends with a login at the merchants' desk that works: it logs in there and
// finds the charge.
func (d *demo) showDesk(ctx context.Context) error {
	desk := d.env["MERCHANT_URL"]
	page, err := logIn(ctx, desk+"/log-in", url.Values{"email": {d.email}, "password": {d.password}, "next": {"/charges"}})
	if err != nil {
		return err
	}
	if err := check(strings.Contains(page, d.charge.ID), "the desk does not show charge %s after a login", d.charge.ID); err != nil {
		return err
	}
	fmt.Printf("\n    The merchants' desk: %s/\n    email %s, password %s\n", desk, d.email, d.password)
	return nil
}

// logIn sends the form of a login as a browser does, and returns the page that follows.
func logIn(ctx context.Context, address string, form url.Values) (string, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := (&http.Client{Jar: jar}).Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	page, err := io.ReadAll(answer.Body)
	return string(page), err
}
