package main

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"os/exec"
	"strings"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// fetch reads a page as a browser without script does. It sends a token to a page that
// asks for one.
func fetch(ctx context.Context, url, token string) string {
	header := map[string]string{}
	if token != "" {
		header["Authorization"] = "Bearer " + token
	}
	page, _ := fixture.Must2(clients.Fetch(ctx, nil, url, header))
	return page
}

func contains(page, text string) bool { return strings.Contains(html.UnescapeString(page), text) }

// showOperatorsDesk makes an operator's account, logs in at the operators' desk, and
// prints how a person logs in there: with the password and a backup code, each good once.
func (d *demo) showOperatorsDesk(ctx context.Context) {
	operator := fixture.Must(d.SignUp(ctx, "Demo operator"))
	email, password := operator.Account.Merchant.Email, operator.Password
	if out, err := exec.CommandContext(ctx, "go", "run", "./deploy/dev", "admin", "grant", email).CombinedOutput(); err != nil {
		fixture.Failf("admin grant: %w: %s", err, out)
	}
	codes := fixture.Must(operator.SecondFactor(ctx))
	desk := d.URLs["OPERATOR_DESK_URL"]
	page, _ := fixture.Must2(clients.LogInAtDesk(ctx, desk+"log-in", url.Values{"email": {email}, "password": {password}, "code": {codes[0]}}))
	fixture.Requiref(strings.Contains(page, "Log out"), "the operators' desk does not let an operator in: %s", page)
	fmt.Printf("\n    The operators' desk: %s\n    email %s, password %s\n    codes, each good once: %s\n", desk, email, password, strings.Join(codes[1:4], ", "))
}

// showDesk ends with a login at the merchants' desk that works: it logs in there and
// finds the charge.
func (d *demo) showDesk(ctx context.Context) {
	desk := d.URLs["MERCHANT_URL"]
	page, _ := fixture.Must2(clients.LogInAtDesk(ctx, desk+"/log-in", url.Values{"email": {d.shop.Account.Merchant.Email}, "password": {d.shop.Password}, "next": {"/charges"}}))
	fixture.Requiref(strings.Contains(page, d.charge.ID), "the desk does not show charge %s after a login", d.charge.ID)
	fmt.Printf("\n    The merchants' desk: %s/\n    email %s, password %s\n", desk, d.shop.Account.Merchant.Email, d.shop.Password)
}
