package telemetry_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/telemetry"
	"github.com/durapay/durapay/internal/testkit"
)

func TestInternalListener(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	ready := telemetry.NewReadiness(map[string]telemetry.Check{
		"price": func(context.Context) error { return fmt.Errorf("no usable price") },
	}, time.Now, log)
	mux := telemetry.NewMux(telemetry.NewMetrics(), ready, log)
	mux.HandleFunc("/codec/", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "decoded") })

	// No other process may listen there when this listener is closed.
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", testkit.Port(t)))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- telemetry.ServeOn(ctx, listener, &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}, "internal listener", time.Minute)
	}()

	url := "http://" + listener.Addr().String()
	require.JSONEq(t, `{"status":"ok"}`, get(t, url+"/livez", http.StatusOK))
	require.JSONEq(t, `{"status":"unavailable","parts":{"price":"failing"},"error":"not ready: price"}`,
		get(t, url+"/readyz", http.StatusServiceUnavailable))
	require.Contains(t, get(t, url+"/metrics", http.StatusOK), "go_goroutines")
	require.Equal(t, "decoded", get(t, url+"/codec/decode", http.StatusOK))
	get(t, url+"/nothing", http.StatusNotFound)

	stop()
	require.NoError(t, <-done)
	_, err = net.Dial("tcp", listener.Addr().String())
	require.Error(t, err, "the listener is closed")
}

func TestTakenPortIsAnError(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	require.Error(t, telemetry.Serve(t.Context(), taken.Addr().String(), http.NewServeMux()))
}

// TestTheListenerAnswersToItsNamesAlone: a site that leads its own name here is refused.
func TestTheListenerAnswersToItsNamesAlone(t *testing.T) {
	t.Parallel()
	listener := telemetry.ForHosts([]string{"ops.example.com"}, http.HandlerFunc(telemetry.Livez))
	for host, want := range map[string]int{
		"127.0.0.1:9090": http.StatusOK, "[::1]:9090": http.StatusOK, "::1": http.StatusOK, "localhost:9091": http.StatusOK, "LOCALHOST": http.StatusOK, "pay.localhost": http.StatusOK,
		"worker:9090": http.StatusOK, "10.0.0.7": http.StatusOK, "Ops.example.com:9090": http.StatusOK, "ops.example.com.": http.StatusOK, "": http.StatusOK,
		"rebound.example:9090": http.StatusMisdirectedRequest, "rebound.example": http.StatusMisdirectedRequest, "127.0.0.1.rebound.example": http.StatusMisdirectedRequest,
		"x.ops.example.com": http.StatusMisdirectedRequest, "localhost.rebound.example": http.StatusMisdirectedRequest,
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/livez", http.NoBody)
		r.Host = host
		listener.ServeHTTP(w, r)
		require.Equal(t, want, w.Code, host)
	}
}
