//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// rotate gives every kind of data a new key while the shop sells, in the three
// steps of docs/operations.md.
func (d *day) rotate(ctx context.Context) {
	d.selling(ctx, func() {
		d.site.compose(ctx, "run", "--rm", "admin", "keys", "rotate")
		d.site.compose(ctx, "restart", "worker", "merchant-api", "swap-api")
		d.site.compose(ctx, "run", "--rm", "admin", "keys", "drop-old")
		d.green(ctx)
		if err := d.shop.LogIn(ctx, shopEmail, d.shop.Password); err != nil {
			fixture.Failf("the merchant's address and password are not known any more: %w", err)
		}
		fixture.Sayf("the merchant logs in with the address that was sealed anew")
	})
}

// scale runs three workers and two instances of the API behind the container that
// speaks TLS, and ends the first of each under load: the rest continue.
func (d *day) scale(ctx context.Context) {
	d.set(".env", "COMPOSE_PROFILES=edge,exchange,scale")
	d.start(ctx)
	d.selling(ctx, func() {
		for _, name := range []string{"durapay-merchant-api-1", "durapay-worker-1", "durapay-merchant-api-more-1", "durapay-worker-more-2"} {
			d.kill(ctx, name)
		}
	})
}

// trustEdge makes a client that trusts the authority of the container that speaks
// TLS and no other. On another machine it has made another one.
func (d *day) trustEdge(ctx context.Context) *http.Client {
	authority := d.site.compose(ctx, "exec", "-T", "edge", "cat", "/data/caddy/pki/authorities/local/root.crt")
	roots := x509.NewCertPool()
	fixture.Requiref(roots.AppendCertsFromPEM([]byte(authority)), "this is no certificate: %s", authority)
	return d.clientOf(roots)
}

// encrypted asks the container that speaks TLS, which has made a certificate for
// PUBLIC_URL by itself.
func (d *day) encrypted(ctx context.Context) {
	d.client = d.trustEdge(ctx)
	d.page(ctx, d.client, publicURL+"/docs", "<html")
	fixture.Sayf("%s answers, with a certificate", publicURL)
	err := fixture.Try(func() { d.page(ctx, d.clientOf(x509.NewCertPool()), publicURL+"/docs", "") })
	if _, unknown := errors.AsType[*tls.CertificateVerificationError](err); !unknown {
		fixture.Failf("who does not trust the authority should get no answer: %w", err)
	}
	d.plainLeadsToTLS(ctx)
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

func (d *day) page(ctx context.Context, client *http.Client, url, contains string) {
	page, _ := fixture.Must2(clients.Fetch(ctx, client, url, nil))
	fixture.Requiref(strings.Contains(page, contains), "%s answers: %s", url, page)
}

func (d *day) plainLeadsToTLS(ctx context.Context) {
	req := fixture.Must(http.NewRequestWithContext(ctx, http.MethodGet, "http://pay.example.com/docs", nil))
	resp := fixture.Must(d.client.Do(req))
	to := resp.Header.Get("Location")
	fixture.Sayf("http leads to %s", to)
	fixture.Do(resp.Body.Close())
	fixture.Requiref(to == publicURL+"/docs", "plain http leads to %q", to)
}

// kills ends the first process of every container with SIGKILL, one after the
// other, while the shop sells. Docker restarts each by itself.
func (d *day) kills(ctx context.Context) {
	list := d.site.running(ctx)
	d.selling(ctx, func() {
		for _, c := range list {
			d.kill(ctx, c.Name)
		}
		fixture.Sayf("%d containers were killed and came back", len(list))
		d.green(ctx)
	})
}

func (d *day) kill(ctx context.Context, name string) {
	pid := d.pid(ctx, name)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		fixture.Failf("kill %s: %w", name, err)
	}
	until(ctx, name+" is healthy again", func() bool {
		now := d.pid(ctx, name)
		return now != 0 && now != pid && fixture.Must(d.engine.docker(ctx, "inspect", "--format", "{{.State.Health.Status}}", name)) == "healthy"
	})
}

// pid is the container's first process, as this machine sees it; 0 while there is
// none.
func (d *day) pid(ctx context.Context, name string) int {
	return fixture.Must(strconv.Atoi(fixture.Must(d.engine.docker(ctx, "inspect", "--format", "{{.State.Pid}}", name))))
}

// upgrade names the running version, builds an image of another name, and
// replaces every service of the project's by it while the shop sells, without
// one request that gets no answer. Both versions are of the same files: no other
// one is released yet.
func (d *day) upgrade(ctx context.Context) {
	d.selling(ctx, func() {
		d.version(ctx, "first")
		d.version(ctx, "second")
	}).alwaysAnswered()
}

// version follows "Upgrades", "Without a pause", of docs/operations.md.
func (d *day) version(ctx context.Context, name string) {
	d.set(".env", "DURAPAY_TAG="+name, "WORKER_BUILD_ID="+name)
	for _, command := range [][]string{
		{"build", "worker"},
		{"up", "-d", "--wait", "worker-more"},
		{
			"run", "--rm", "-T", "--entrypoint", "temporal", "temporal-namespace",
			"worker", "deployment", "set-current-version", "--deployment-name", "durapay", "--build-id", name, "--yes",
		},
		{"up", "-d", "--wait", "merchant-api-more"},
		{"up", "-d"},
	} {
		d.site.compose(ctx, command...)
	}
	d.green(ctx)
	fixture.Sayf("workers of the version %q have taken over", name)
}
