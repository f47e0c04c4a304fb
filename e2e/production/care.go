//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/durapay/durapay/e2e/fixture"
)

// rotate gives every kind of data a new key while the shop sells, in the three
// steps of docs/operations.md.
func (d *day) rotate(ctx context.Context) error {
	l := d.sell(ctx)
	for _, command := range [][]string{
		{"run", "--rm", "admin", "keys", "rotate"},
		{"restart", "worker", "merchant-api", "swap-api"},
		{"run", "--rm", "admin", "keys", "drop-old"},
	} {
		if _, err := d.site.compose(ctx, command...); err != nil {
			return errors.Join(err, l.settle(ctx))
		}
	}
	if err := d.green(ctx); err != nil {
		return errors.Join(err, l.settle(ctx))
	}
	if err := d.shop.LogIn(ctx, shopEmail, d.shop.Password); err != nil {
		return errors.Join(fmt.Errorf("the merchant's address and password are not known any more: %w", err), l.settle(ctx))
	}
	fixture.Sayf("the merchant logs in with the address that was sealed anew")
	return l.settle(ctx)
}

// scale runs three workers and two instances of the API behind the container that
// speaks TLS, and ends the first of each under load: the rest continue.
func (d *day) scale(ctx context.Context) error {
	if err := d.set(".env", "COMPOSE_PROFILES=edge,exchange,scale"); err != nil {
		return err
	}
	if err := d.start(ctx); err != nil {
		return err
	}
	l := d.sell(ctx)
	for _, name := range []string{"durapay-merchant-api-1", "durapay-worker-1", "durapay-merchant-api-more-1", "durapay-worker-more-2"} {
		if err := d.kill(ctx, name); err != nil {
			return errors.Join(err, l.settle(ctx))
		}
	}
	return l.settle(ctx)
}

// trustEdge makes a client that trusts the authority of the container that speaks
// TLS and no other. On another machine it has made another one.
func (d *day) trustEdge(ctx context.Context) (*http.Client, error) {
	authority, err := d.site.compose(ctx, "exec", "-T", "edge", "cat", "/data/caddy/pki/authorities/local/root.crt")
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(authority)) {
		return nil, errors.New("this is no certificate: " + authority)
	}
	return d.clientOf(roots), nil
}

// encrypted asks the container that speaks TLS, which has made a certificate for
// PUBLIC_URL by itself.
func (d *day) encrypted(ctx context.Context) error {
	var err error
	if d.client, err = d.trustEdge(ctx); err != nil {
		return err
	}
	if err := d.page(ctx, d.client, publicURL+"/docs", "<html"); err != nil {
		return err
	}
	fixture.Sayf("%s answers, with a certificate", publicURL)
	err = d.page(ctx, d.clientOf(x509.NewCertPool()), publicURL+"/docs", "")
	if _, unknown := errors.AsType[*tls.CertificateVerificationError](err); !unknown {
		return fmt.Errorf("who does not trust the authority should get no answer: %w", err)
	}
	return d.plainLeadsToTLS(ctx)
}

// clientOf finds every name at the edge's published ports, as DNS would lead there.
func (d *day) clientOf(roots *x509.CertPool) *http.Client {
	published := map[string]string{"443": d.https, "80": d.http}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				_, port, err := net.SplitHostPort(address)
				if err != nil {
					return nil, err
				}
				return new(net.Dialer).DialContext(ctx, network, published[port])
			},
		},
	}
}

func (d *day) page(ctx context.Context, client *http.Client, url, contains string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return fixture.Check(resp.StatusCode == http.StatusOK && strings.Contains(string(body), contains), "%s answers %s: %s", url, resp.Status, body)
}

func (d *day) plainLeadsToTLS(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://pay.example.com/docs", nil)
	if err != nil {
		return err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return err
	}
	to := resp.Header.Get("Location")
	fixture.Sayf("http leads to %s", to)
	return errors.Join(resp.Body.Close(), fixture.Check(to == publicURL+"/docs", "plain http leads to %q", to))
}
