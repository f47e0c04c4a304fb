package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

type shop struct {
	*fixture.Shop

	testbed *testbed
}

// openShop signs a merchant up; events are sent to these paths of the receiver.
func (w *testbed) openShop(ctx context.Context, events []string, paths ...string) *shop {
	account := fixture.Must(w.SignUp(ctx, "Bench shop"))
	account.HTTP = w.http
	s := &shop{account, w}
	for _, path := range paths {
		fixture.Must(s.CreateWebhook(ctx, w.Hooks.URL(path), events...))
	}
	return s
}

func (s *shop) id() string { return s.Account.Merchant.MerchantID }

// price is what every charge here asks for.
const price = "0.01"

func (s *shop) charges(ctx context.Context, n int) []clients.Charge {
	list := make([]clients.Charge, n)
	for i := range list {
		list[i] = fixture.Must(s.Sell(ctx, price))
	}
	return list
}

// sign makes one transaction that pays every charge.
func (s *shop) sign(ctx context.Context, charges []clients.Charge) fixture.Sent {
	return fixture.Must(s.testbed.Customer.Sign(ctx, fixture.Outputs(charges...)...))
}

// post makes a charge as cheaply as a client can: the answer is not read into
// anything.
func (s *shop) post(ctx context.Context, _ int64) error {
	return s.testbed.postTo(ctx, s.BaseURL+"/api/charges", s.APIKey)
}

// postTo asks for a charge at a URL.
func (w *testbed) postTo(ctx context.Context, url, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"amount":`+price+`,"currency":"XMR"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	return w.do(req, key)
}

// get reads a path in the same way.
func (w *testbed) get(ctx context.Context, url, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	return w.do(req, key)
}

func (w *testbed) do(req *http.Request, key string) error {
	if key != "" {
		req.Header.Set("X-Api-Key", key)
	}
	resp, err := w.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: status %d", req.Method, req.URL.Path, resp.StatusCode)
	}
	return nil
}
