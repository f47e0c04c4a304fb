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
	"path/filepath"
	"strings"
	"time"
)

// Partners' webhooks use https. So that a receiver on this machine can use it, the stack
// creates a certificate for 127.0.0.1 and localhost, which its services trust in addition to the
// system's roots. It signs itself and is no authority, so that its key cannot sign another.

// certificateLife is longer than any stack's.
const certificateLife = 10 * 365 * 24 * time.Hour

// trustDir contains only the certificate, because services read every file in it.
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

// makeCertificate creates the certificate unless it exists. The copy that services trust is
// written last and marks the files as complete.
func (s *Stack) makeCertificate() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	trusted := filepath.Join(s.trustDir(), "durapay-development.pem")
	if _, err := os.Stat(trusted); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	begin := time.Now().Add(-24 * time.Hour)
	shape := &x509.Certificate{
		SerialNumber: big.NewInt(begin.UnixNano()), Subject: pkix.Name{CommonName: "receiver of webhooks"},
		NotBefore: begin, NotAfter: begin.Add(certificateLife), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	der, err := x509.CreateCertificate(rand.Reader, shape, shape, &key.PublicKey, key)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	certFile, keyFile := s.ReceiverCertificate()
	err = os.MkdirAll(s.trustDir(), 0o700)
	for _, file := range []struct {
		path, kind string
		der        []byte
	}{
		{keyFile, "PRIVATE KEY", pkcs8}, {certFile, "CERTIFICATE", der}, {trusted, "CERTIFICATE", der},
	} {
		if err == nil {
			err = writeFile(file.path, pem.EncodeToMemory(&pem.Block{Type: file.kind, Bytes: file.der}))
		}
	}
	return err
}
