package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/telemetry"
)

// TestAProcessThatStopsIsNotReadyFirst checks that a stopping process first reports that it is
// not ready and still answers requests, so that a load balancer has time to use other
// processes.
func TestAProcessThatStopsIsNotReadyFirst(t *testing.T) {
	t.Parallel()
	ready := telemetry.NewReadiness(nil, clock, slog.New(slog.DiscardHandler))
	asked, stop := context.WithCancel(t.Context())
	serving, end := leaving(asked, ready, time.Hour)
	defer end()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- serveOn(serving, listener, newServer(ready)) }()
	probe := func() int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/readyz", nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	require.Equal(t, http.StatusOK, probe())
	stop()
	require.Eventually(t, func() bool { return probe() == http.StatusServiceUnavailable }, 8*time.Minute, time.Millisecond)
	require.NoError(t, serving.Err(), "it still answers")
	end()
	require.NoError(t, <-served)

	over, end := leaving(asked, ready, 0)
	defer end()
	<-over.Done()
}
