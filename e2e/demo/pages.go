package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// fetch reads a page as a browser without script does.
func fetch(ctx context.Context, url string) (string, error) {
	return fetchWith(ctx, url, "")
}

// fetchWith reads a page that asks for a token; an empty one is not sent.
func fetchWith(ctx context.Context, url, token string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	return string(page), fixture.Check(resp.StatusCode == http.StatusOK, "%s answers %s", url, resp.Status)
}

func contains(page, text string) bool { return strings.Contains(html.UnescapeString(page), text) }

// showOperatorsDesk makes an operator's account, logs in at the operators' desk, and
// prints how a person logs in there: with the password and a backup code, each good once.
func (d *demo) showOperatorsDesk(ctx context.Context) error {
	operator, err := d.SignUp(ctx, "Demo operator")
	if err != nil {
		return err
	}
	email, password := operator.Account.Merchant.Email, operator.Password
	if out, err := exec.CommandContext(ctx, "go", "run", "./deploy/dev", "admin", "grant", email).CombinedOutput(); err != nil {
		return fmt.Errorf("admin grant: %w: %s", err, out)
	}
	codes, err := operator.SecondFactor(ctx)
	if err != nil {
		return err
	}
	desk := d.URLs["OPERATOR_DESK_URL"]
	page, _, err := clients.LogInAtDesk(ctx, desk+"log-in", url.Values{"email": {email}, "password": {password}, "code": {codes[0]}})
	if err != nil {
		return err
	}
	if err := fixture.Check(strings.Contains(page, "Log out"), "the operators' desk does not let an operator in: %s", page); err != nil {
		return err
	}
	fmt.Printf("\n    The operators' desk: %s\n    email %s, password %s\n    codes, each good once: %s\n", desk, email, password, strings.Join(codes[1:4], ", "))
	return nil
}

// showDesk ends with a login at the merchants' desk that works: it logs in there and
// finds the charge.
func (d *demo) showDesk(ctx context.Context) error {
	desk := d.URLs["MERCHANT_URL"]
	page, _, err := clients.LogInAtDesk(ctx, desk+"/log-in", url.Values{"email": {d.shop.Account.Merchant.Email}, "password": {d.shop.Password}, "next": {"/charges"}})
	if err != nil {
		return err
	}
	if err := fixture.Check(strings.Contains(page, d.charge.ID), "the desk does not show charge %s after a login", d.charge.ID); err != nil {
		return err
	}
	fmt.Printf("\n    The merchants' desk: %s/\n    email %s, password %s\n", desk, d.shop.Account.Merchant.Email, d.shop.Password)
	return nil
}
