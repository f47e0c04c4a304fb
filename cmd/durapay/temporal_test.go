package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
)

// keysOf returns settings with a new folder of key files.
func keysOf(t *testing.T) config.Config {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, secret.NewFolder(dir))
	c := config.Config{}
	c.KeysDir = dir
	return c
}

// guard puts TLS with client certificates in front of a real Temporal, like Temporal in the
// compose file.
func guard(t *testing.T, workflowClient, keys string) (address string) {
	t.Helper()
	dir := filepath.Join(keys, "temporal", "server")
	certificate, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	require.NoError(t, err)
	ca, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	require.NoError(t, err)
	clients := x509.NewCertPool()
	require.True(t, clients.AppendCertsFromPEM(ca))
	plain, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	listener := tls.NewListener(plain, &tls.Config{
		Certificates: []tls.Certificate{certificate}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert,
		MinVersion: tls.VersionTLS13, NextProtos: []string{"h2"},
	})
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(t.Context(), conn, workflowClient)
		}
	}()
	return listener.Addr().String()
}

func forward(ctx context.Context, conn net.Conn, workflowClient string) {
	defer func() { _ = conn.Close() }()
	back, err := (&net.Dialer{}).DialContext(ctx, "tcp", workflowClient)
	if err != nil {
		return
	}
	defer func() { _ = back.Close() }()
	go func() { _, _ = io.Copy(back, conn); _ = back.Close() }()
	_, _ = io.Copy(conn, back)
}

// reach returns an error unless Temporal answers a client with the settings.
func reach(t *testing.T, c config.Config) error {
	t.Helper()
	codec, err := openCodec(c.Keys)
	require.NoError(t, err)
	workflowClient, err := temporalClient(c, codec, client.MetricsNopHandler, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer workflowClient.Close()
	_, err = workflowClient.CheckHealth(t.Context(), &client.CheckHealthRequest{})
	return err
}

func TestTemporalIsReachedByCertificateAlone(t *testing.T) {
	t.Parallel()
	address, namespace := stack.TemporalAt(t)
	ours, foreign := keysOf(t), keysOf(t)
	guarded := guard(t, address, ours.KeysDir)
	with := func(keys config.Config, change func(*config.Config)) config.Config {
		c := keys
		dir := filepath.Join(keys.KeysDir, "temporal", "client")
		c.TemporalAddress, c.TemporalNamespace, c.TemporalServerName = guarded, namespace, "temporal"
		c.TemporalCAFile, c.TemporalCertFile, c.TemporalKeyFile = filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
		change(&c)
		return c
	}
	require.NoError(t, reach(t, with(ours, func(*config.Config) {})))
	for name, c := range map[string]config.Config{
		"no TLS": with(ours, func(c *config.Config) {
			c.TemporalCAFile, c.TemporalCertFile, c.TemporalKeyFile, c.TemporalServerName = "", "", "", ""
		}),
		"no certificate":      with(ours, func(c *config.Config) { c.TemporalCertFile, c.TemporalKeyFile = "", "" }),
		"another authority's": with(foreign, func(c *config.Config) { c.TemporalCAFile = filepath.Join(ours.KeysDir, "temporal", "client", "ca.pem") }),
		"another Temporal": with(ours, func(c *config.Config) {
			c.TemporalCAFile = filepath.Join(foreign.KeysDir, "temporal", "client", "ca.pem")
		}),
		"another name":             with(ours, func(c *config.Config) { c.TemporalServerName = "elsewhere" }),
		"the system's authorities": with(ours, func(c *config.Config) { c.TemporalCAFile = "" }),
		"a file that is missing":   with(ours, func(c *config.Config) { c.TemporalKeyFile += ".missing" }),
		"no certificate in a file": with(ours, func(c *config.Config) { c.TemporalCAFile = c.TemporalKeyFile }),
	} {
		require.Error(t, reach(t, c), name)
	}
}

// TestForgedSignalsAreIgnored checks that a client that can reach Temporal but has no payload
// key cannot signal workflows: a signal in plain text or under another key is ignored.
func TestForgedSignalsAreIgnored(t *testing.T) {
	t.Parallel()
	address, namespace := stack.TemporalAt(t)
	ours, foreign := keysOf(t), keysOf(t)
	open := func(c config.Config) client.Client {
		c.TemporalAddress, c.TemporalNamespace = address, namespace
		codec, err := openCodec(c.Keys)
		require.NoError(t, err)
		workflowClient, err := temporalClient(c, codec, client.MetricsNopHandler, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		t.Cleanup(workflowClient.Close)
		return workflowClient
	}
	service, forger := open(ours), open(foreign)
	plain, err := client.DialContext(t.Context(), client.Options{HostPort: address, Namespace: namespace, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(plain.Close)

	w := worker.New(service, "signals", worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context) (received string, err error) {
		workflow.GetSignalChannel(ctx, "say").Receive(ctx, &received)
		return received, nil
	}, workflow.RegisterOptions{Name: "listen"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	run, err := service.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "listener", TaskQueue: "signals"}, "listen")
	require.NoError(t, err)
	say := func(by client.Client, what string) {
		require.NoError(t, by.SignalWorkflow(context.WithoutCancel(t.Context()), "listener", "", "say", what))
	}
	say(plain, "pay to me")
	say(forger, "pay to me")
	say(service, "the truth")
	var received string
	require.NoError(t, run.Get(t.Context(), &received))
	require.Equal(t, "the truth", received)
}

// TestFailuresAreEncryptedInHistories checks that no history contains the failure of a run in
// plain text, and that a client with the key can read it.
func TestFailuresAreEncryptedInHistories(t *testing.T) {
	t.Parallel()
	address, namespace := stack.TemporalAt(t)
	c := keysOf(t)
	c.TemporalAddress, c.TemporalNamespace = address, namespace
	codec, err := openCodec(c.Keys)
	require.NoError(t, err)
	metrics := telemetry.NewMetrics()
	service, err := temporalClient(c, codec, metrics.Temporal(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(service.Close)
	w := worker.New(service, "failures", worker.Options{})
	w.RegisterWorkflowWithOptions(func(workflow.Context) error { return errors.New("a text that nobody should read") },
		workflow.RegisterOptions{Name: "fail"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	run, err := service.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "fails", TaskQueue: "failures"}, "fail")
	require.NoError(t, err)
	require.ErrorContains(t, run.Get(t.Context(), nil), "a text that nobody should read")
	last, err := service.GetWorkflowHistory(t.Context(), "fails", "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT).Next()
	require.NoError(t, err)
	failure := last.GetWorkflowExecutionFailedEventAttributes().GetFailure()
	require.NotNil(t, failure)
	require.NotContains(t, failure.String(), "nobody should read")
	require.Empty(t, failure.GetStackTrace())

	families, err := metrics.Registry().Gather()
	require.NoError(t, err)
	names := map[string]bool{}
	for _, f := range families {
		names[f.GetName()] = true
	}
	for _, name := range []string{
		"durapay_temporal_workflow_failed_total", "durapay_temporal_free_places", "durapay_temporal_workflow_task_schedule_to_start_seconds",
	} {
		require.True(t, names[name], name)
	}
}
