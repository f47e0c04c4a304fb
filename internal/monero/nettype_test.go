package monero

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A daemon changes its network and changes it back. Each call is refused until the
// daemon is on an accepted network. Calls that read or move money do not even reach
// it.
func TestADaemonIsBelievedOnItsNetworkAlone(t *testing.T) {
	t.Parallel()
	var netType atomic.Value
	var otherCalls atomic.Int64
	netType.Store("mainnet")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), "get_info") {
			otherCalls.Add(1)
		}
		result := map[string]any{"status": "OK", "nettype": netType.Load(), "height": 5, "fee": 7}
		answer := map[string]any{"id": "0", "jsonrpc": "2.0", "result": result, "status": "OK"}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	unrestricted := NewDaemon(Endpoint{URL: server.URL}, Options{})
	d := unrestricted.Only(StagenetChain, Fakechain)
	for range 2 {
		_, err := d.FeeEstimate(t.Context())
		require.ErrorIs(t, err, ErrNetType)
		require.ErrorContains(t, err, "it says mainnet, the wallet wants stagenet or fakechain")
		require.ErrorIs(t, d.Relay(t.Context(), "00"), ErrNetType)
		_, err = d.Transactions(t.Context(), []string{"a"})
		require.ErrorIs(t, err, ErrNetType)
	}
	require.Zero(t, otherCalls.Load())
	_, err := unrestricted.FeeEstimate(t.Context())
	require.NoError(t, err, "who wants no network is answered")

	netType.Store("stagenet")
	_, err = d.FeeEstimate(t.Context())
	require.NoError(t, err)
	netType.Store("mainnet")
	_, err = d.Info(t.Context())
	require.ErrorIs(t, err, ErrNetType)
	_, err = d.FeeEstimate(t.Context())
	require.ErrorIs(t, err, ErrNetType)
	netType.Store("fakechain")
	info, err := d.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, Fakechain, info.NetType)
}
