package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProbeDistinguishesReadyFromNotReady(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	require.NoError(t, run([]string{server.URL + "/readyz"}))
	require.ErrorContains(t, run([]string{server.URL + "/down"}), "503")
	server.Close()
	require.Error(t, run([]string{server.URL + "/readyz"}), "nobody listens")
	require.Error(t, run(nil))
}
