package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
)

// UIUpstream is TEMPORAL_UI_UPSTREAM; nil when it is not set.
func (t Temporal) UIUpstream() (*url.URL, error) {
	if t.TemporalUIUpstream == "" {
		return nil, nil //nolint:nilnil // no UI is a value that the worker takes
	}
	u, err := url.Parse(t.TemporalUIUpstream)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Path != "" {
		return nil, errors.New("TEMPORAL_UI_UPSTREAM must be http://host:port, without a path")
	}
	return u, nil
}

// TLS returns the TLS configuration of the connection to Temporal, or nil for plain
// text when no setting asks for TLS. Each connection reads the certificate from its
// file again, so a renewed one is used without a restart. TLS returns an error when
// a file cannot be read or holds no certificate.
func (t Temporal) TLS() (*tls.Config, error) {
	if t.TemporalCAFile == "" && t.TemporalCertFile == "" && t.TemporalServerName == "" {
		return nil, nil //nolint:nilnil // no TLS is a value that the client takes
	}
	c := &tls.Config{MinVersion: tls.VersionTLS13, ServerName: t.TemporalServerName}
	if t.TemporalCAFile != "" {
		pem, err := os.ReadFile(t.TemporalCAFile)
		if err != nil {
			return nil, fmt.Errorf("TEMPORAL_TLS_CA_FILE: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("TEMPORAL_TLS_CA_FILE holds no certificate in PEM")
		}
	}
	if t.TemporalCertFile == "" {
		return c, nil
	}
	load := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(t.TemporalCertFile, t.TemporalKeyFile)
		if err != nil {
			return nil, fmt.Errorf("TEMPORAL_TLS_CERT_FILE: %w", err)
		}
		return &pair, nil
	}
	c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return load() }
	_, err := load()
	return c, err
}
