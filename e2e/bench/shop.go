package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/internal/money"
)

// shop is a merchant.
type shop struct {
	*merchant.Client
	id      string
	email   string
	fixture *fixture
	// desk is its visit to the merchants' desk; nil for none.
	desk *deskVisit
}

// password is that of every shop.
const password = "correct horse battery"

// openShop signs a merchant up; events are sent to these paths of the inbox.
func (w *fixture) openShop(ctx context.Context, events []string, paths ...string) (*shop, error) {
	email := fmt.Sprintf("owner-%s@shop.example", rand.Text())
	account, c, err := merchant.SignUp(ctx, w.urls["MERCHANT_URL"], email, password, "Bench shop")
	if err != nil {
		return nil, err
	}
	c.HTTP = w.http
	s := &shop{Client: c, id: account.Merchant.MerchantID, email: email, fixture: w}
	for _, path := range paths {
		if _, err := s.CreateWebhook(ctx, w.inbox.url+path, events...); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// price is what every charge here asks for.
const price = "0.01"

func (s *shop) charge(ctx context.Context) (merchant.Charge, error) {
	return s.CreateCharge(ctx, merchant.NewCharge{Amount: money.MustDecimal(price), Currency: "XMR"})
}

func (s *shop) charges(ctx context.Context, n int) ([]merchant.Charge, error) {
	list := make([]merchant.Charge, n)
	for i := range list {
		var err error
		if list[i], err = s.charge(ctx); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// post makes a charge as cheaply as a client can: the answer is not read into
// anything.
func (s *shop) post(ctx context.Context, _ int64) error {
	return s.fixture.postTo(ctx, s.BaseURL+"/api/charges", s.APIKey)
}

// postTo asks for a charge at a URL.
func (w *fixture) postTo(ctx context.Context, url, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"amount":`+price+`,"currency":"XMR"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	return w.do(req, key)
}

// get reads a path in the same way.
func (w *fixture) get(ctx context.Context, url, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	return w.do(req, key)
}

func (w *fixture) do(req *http.Request, key string) error {
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
