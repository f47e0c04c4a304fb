//go:build linux

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

const (
	// mirrorHost is the address of the servers below, as builds see it.
	mirrorHost    = "127.80.80.80"
	snapshotHost  = "snapshot.debian.org"
	getmoneroHost = "downloads.getmonero.org"
)

// startMirror answers builds as Debian's archive of past days and Monero's downloads
// do, which cannot be reached everywhere. Of the archive it gives what Debian's
// mirror has today: the signatures of lists and packages are checked as ever. Monero's
// downloads are the files of a folder, with the certificate that trust has made.
func (d *day) startMirror(ctx context.Context, release string, certificate tls.Certificate) {
	for port, serve := range map[string]func(*http.Server, net.Listener) error{
		"80":  func(s *http.Server, l net.Listener) error { return s.Serve(l) },
		"443": func(s *http.Server, l net.Listener) error { return s.ServeTLS(l, "", "") },
	} {
		listener := fixture.Must(new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(mirrorHost, port)))
		server := &http.Server{
			Handler: mirror(release), ReadHeaderTimeout: 10 * time.Second,
			TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}},
		}
		d.ends = append(d.ends, server.Close)
		go func() { _ = serve(server, listener) }() // ends with close
	}
}

var ofADay = regexp.MustCompile(`^/archive/(debian(?:-security)?)/[0-9TZ]+/`)

func mirror(release string) http.Handler {
	debian := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: "deb.debian.org"})
		r.Out.URL.Path = ofADay.ReplaceAllString(r.In.URL.Path, "/$1/")
		r.Out.URL.RawPath = ""
	}}
	mux := http.NewServeMux()
	mux.Handle(snapshotHost+"/", debian)
	mux.Handle(getmoneroHost+"/cli/", http.StripPrefix("/cli/", http.FileServer(http.Dir(release))))
	return mux
}

// trust is the certificate of Monero's downloads, made once and written where an
// image's update-ca-certificates finds it.
func trust(certFile, keyFile string) tls.Certificate {
	if known, err := tls.LoadX509KeyPair(certFile, keyFile); err == nil {
		return known
	}
	key := fixture.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "stand-in of " + getmoneroHost},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0), DNSNames: []string{getmoneroHost},
		IsCA: true, BasicConstraintsValid: true,
	}
	certificate := fixture.Must(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	private := fixture.Must(x509.MarshalPKCS8PrivateKey(key))
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: certificate}, keyFile: {Type: "PRIVATE KEY", Bytes: private},
	} {
		fixture.Do(os.MkdirAll(filepath.Dir(file), 0o750))
		fixture.Do(os.WriteFile(file, pem.EncodeToMemory(block), 0o644)) //nolint:gosec // the key of nothing real
	}
	return fixture.Must(tls.LoadX509KeyPair(certFile, keyFile))
}
