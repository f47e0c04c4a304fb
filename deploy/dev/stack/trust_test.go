package stack

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServicesTrustReceiversOfThisMachine(t *testing.T) {
	t.Parallel()
	s, err := Open(Options{Dir: t.TempDir(), Private: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	require.NoError(t, s.makeCertificate())
	certFile, keyFile := s.ReceiverCertificate()
	before, err := os.ReadFile(certFile)
	require.NoError(t, err)
	require.NoError(t, s.makeCertificate())
	after, err := os.ReadFile(certFile)
	require.NoError(t, err)
	require.Equal(t, before, after, "made once: receivers and services go on agreeing")

	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	files, err := filepath.Glob(filepath.Join(s.trustDir(), "*"))
	require.NoError(t, err)
	require.Len(t, files, 1, "the folder that services read holds nothing else")
	authority, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.True(t, roots.AppendCertsFromPEM(authority))
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	res, err := client.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	client.CloseIdleConnections()
}

func TestServicesTrustTheSystemToo(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "/etc/ssl/certs:/etc/pki/tls/certs:", "/mine:/other": "/mine:/other:"} {
		env := map[string]string{"SSL_CERT_FILE": "/some/roots.pem"}
		if given != "" {
			env["SSL_CERT_DIR"] = given
		}
		s, err := Open(Options{Dir: t.TempDir(), Private: true, Env: env})
		require.NoError(t, err)
		service := s.serviceEnv("worker")
		require.Equal(t, want+s.trustDir(), service["SSL_CERT_DIR"])
		require.Equal(t, "/some/roots.pem", service["SSL_CERT_FILE"])
		require.NoError(t, s.Stop())
	}
}
