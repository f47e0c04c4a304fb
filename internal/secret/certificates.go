package secret

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
	"os"
	"path/filepath"
	"time"
)

// temporalName is the name in Temporal's certificate: its host in the compose file.
const temporalName = "temporal"

// certificateYears is how long the certificates are valid. An operator renews them by hand:
// docs/operations.md, "Certificates".
const certificateYears = 10

// NewCertificates makes the certificates with which Temporal and its clients authenticate each
// other: DIR/temporal/server, DIR/temporal/client and DIR/temporal/ui, each with ca.pem,
// cert.pem and key.pem. The authority's key is discarded once it has signed them, so it cannot
// sign another certificate. The group can read the files for the UI, because the UI runs as a
// separate user. NewCertificates does not change an existing folder. The folder appears in one
// step.
func NewCertificates(dir string) (err error) {
	target := filepath.Join(dir, "temporal")
	if _, err := os.Stat(target); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	work, err := os.MkdirTemp(dir, ".temporal-*") // has mode 0700
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	authority, err := newAuthority()
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	for _, name := range []string{"server", "client", "ui"} {
		if err := authority.issue(filepath.Join(work, name)); err != nil {
			return fmt.Errorf("certificates: %w", err)
		}
	}
	if err := os.Rename(work, target); err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	return syncDir(dir)
}

// authority signs the certificates of one installation.
type authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := newTemplate("Durapay Temporal authority")
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &authority{key, certificate}, err
}

// issue writes a certificate with its key and the authority's certificate into a folder. A
// server's certificate is valid for a client too, because Temporal calls itself.
func (a *authority) issue(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := newTemplate("Durapay " + filepath.Base(dir))
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if filepath.Base(dir) == "server" {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
		template.DNSNames = []string{temporalName}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{
		"ca.pem":   {Type: "CERTIFICATE", Bytes: a.certificate.Raw},
		"cert.pem": {Type: "CERTIFICATE", Bytes: der},
		"key.pem":  {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := createFile(filepath.Join(dir, name), pem.EncodeToMemory(block)); err != nil {
			return err
		}
	}
	if filepath.Base(dir) == "ui" {
		return shareWithGroup(dir)
	}
	return nil
}

// shareWithGroup makes a folder and its files readable for the group.
func shareWithGroup(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.Chmod(filepath.Join(dir, entry.Name()), 0o640); err != nil { //nolint:gosec // for the group
			return err
		}
	}
	return os.Chmod(dir, 0o750) //nolint:gosec // for the group
}

func newTemplate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) // never fails
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(certificateYears, 0, 0),
	}
}
