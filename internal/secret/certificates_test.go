package secret_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func pair(t *testing.T, dir, name string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	at := filepath.Join(dir, "temporal", name)
	certificate, err := tls.LoadX509KeyPair(filepath.Join(at, "cert.pem"), filepath.Join(at, "key.pem"))
	require.NoError(t, err)
	ca, err := os.ReadFile(filepath.Join(at, "ca.pem"))
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(ca))
	return certificate, pool
}

// shake connects a client with the certificate of one installation to the
// server of another.
func shake(t *testing.T, server, client, name, host string) error {
	t.Helper()
	certificate, clients := pair(t, server, "server")
	plain, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	listener := tls.NewListener(plain, &tls.Config{
		Certificates: []tls.Certificate{certificate}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13,
	})
	defer func() { require.NoError(t, listener.Close()) }()
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			_, _ = conn.Write([]byte("hello"))
			_ = conn.Close()
		}
	}()
	shown, servers := pair(t, client, name)
	raw, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	conn := tls.Client(raw, &tls.Config{Certificates: []tls.Certificate{shown}, RootCAs: servers, ServerName: host, MinVersion: tls.VersionTLS13})
	defer func() { _ = conn.Close() }()
	_, err = io.ReadFull(conn, make([]byte, 5)) // with TLS 1.3 a refusal arrives with the first bytes
	return err
}

func TestCertificatesOfTemporal(t *testing.T) {
	t.Parallel()
	ours, foreign := newFolder(t), newFolder(t)
	require.NoError(t, shake(t, ours, ours, "client", "temporal"))
	require.NoError(t, shake(t, ours, ours, "server", "temporal"), "Temporal calls itself")
	require.Error(t, shake(t, ours, foreign, "client", "temporal"))
	require.Error(t, shake(t, ours, ours, "client", "elsewhere"))
	client, pool := pair(t, ours, "client")
	leaf, err := x509.ParseCertificate(client.Certificate[0])
	require.NoError(t, err)
	_, err = leaf.Verify(x509.VerifyOptions{Roots: pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	require.Error(t, err, "a service cannot pretend to be Temporal")
}
