package stack

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"strings"
	"time"
)

// Partners' webhooks use https. So that a receiver on this machine can use it, the stack
// creates a certificate authority with a certificate for 127.0.0.1 and localhost. Its services
// trust that authority in addition to the system's roots. The authority's key is discarded at
// once, so that it cannot sign anything else.

// certificateLife is longer than any stack's.
const certificateLife = 10 * 365 * 24 * time.Hour

// trustDir contains only the authority, because services read every file in it.
func (s *Stack) trustDir() string { return s.path("secrets", "trust") }

// ReceiverCertificate returns the certificate and the key, both PEM files, with which the
// services trust a receiver of webhooks on this machine.
func (s *Stack) ReceiverCertificate() (certFile, keyFile string) {
	return s.path("secrets", "receiver.pem"), s.path("secrets", "receiver-key.pem")
}

// trustDirs returns the folders with the roots that services trust, in addition to
// SSL_CERT_FILE: the caller's or the system's, and the stack's own.
func (s *Stack) trustDirs() string {
	return strings.Join([]string{s.setting("SSL_CERT_DIR", "/etc/ssl/certs:/etc/pki/tls/certs"), s.trustDir()}, ":")
}

// makeCertificates creates the authority and the certificate unless they exist. The
// authority's file is written last and marks the files as complete.
func (s *Stack) makeCertificates() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	authorityFile := s.path("secrets", "trust", "durapay-development.pem")
	if _, err := os.Stat(authorityFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(s.trustDir(), 0o700); err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	authority, err := newPair("Durapay development authority", nil)
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	receiver, err := newPair("receiver of webhooks", &authority)
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(receiver.key)
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	certFile, keyFile := s.ReceiverCertificate()
	for _, file := range []struct {
		path, kind string
		der        []byte
	}{
		{keyFile, "PRIVATE KEY", key},
		{certFile, "CERTIFICATE", receiver.certificate.Raw},
		{authorityFile, "CERTIFICATE", authority.certificate.Raw},
	} {
		if err := writeFile(file.path, pem.EncodeToMemory(&pem.Block{Type: file.kind, Bytes: file.der})); err != nil {
			return err
		}
	}
	return nil
}

// certified is a key with its certificate.
type certified struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

// newPair creates a certificate that the issuer signs. Without an issuer it creates an
// authority that signs itself.
func newPair(name string, issuer *certified) (certified, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certified{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return certified{}, err
	}
	begin := time.Now().Add(-24 * time.Hour)
	shape := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: begin, NotAfter: begin.Add(certificateLife),
		BasicConstraintsValid: true,
	}
	signer := certified{key, shape}
	if issuer == nil {
		shape.IsCA, shape.KeyUsage = true, x509.KeyUsageCertSign
	} else {
		signer = *issuer
		shape.KeyUsage, shape.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		shape.DNSNames, shape.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	}
	der, err := x509.CreateCertificate(rand.Reader, shape, signer.certificate, &key.PublicKey, signer.key)
	if err != nil {
		return certified{}, err
	}
	made, err := x509.ParseCertificate(der)
	return certified{key, made}, err
}
