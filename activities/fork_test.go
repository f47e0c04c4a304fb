package activities_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/monero"
)

// votingDaemon is a daemon that knows version 16 and sees blocks that vote. No network
// votes for a newer one yet.
type votingDaemon struct {
	height, knows int
	// network is where it is.
	network string
	// votes is how many of the last blocks vote for a version that it does not know.
	votes int
}

func (d *votingDaemon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Method string `json:"method"`
		Params struct {
			From int `json:"start_height"`
			To   int `json:"end_height"`
		} `json:"params"`
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	result := map[string]any{"status": "OK"}
	switch in.Method {
	case "hard_fork_info":
		result["version"], result["voting"] = 16, d.knows
	case "get_block_headers_range":
		var headers []any
		for height := in.Params.From; height <= in.Params.To; height++ {
			vote := 16
			if in.Params.To-height < d.votes {
				vote = 99
			}
			headers = append(headers, map[string]any{"height": height, "major_version": 16, "minor_version": vote})
		}
		result["headers"] = headers
	default:
		result["height"], result["nettype"] = d.height, d.network
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": "0", "result": result})
}

// TestForkAlertsOpenAndClose: operators get an alert about a fork that the daemon does
// not know, from announced forks and from the votes of blocks. The alert closes once the
// daemon was upgraded.
func TestForkAlertsOpenAndClose(t *testing.T) {
	t.Parallel()
	s, d := open(t, 1), &votingDaemon{height: 70_001, knows: 16, network: "mainnet"}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	daemon := monero.NewDaemon(monero.Endpoint{URL: server.URL}, monero.Options{})
	t.Cleanup(daemon.Close)
	type remaining struct {
		days  int
		known bool
	}
	var reported remaining
	look := upkeep.Overdue{Store: s.store, Daemon: daemon, ForkDays: func(days int, known bool) { reported = remaining{days, known} }}
	requireReported := func(want remaining, detail string) {
		t.Helper()
		for range 2 {
			require.NoError(t, look.CheckFork(t.Context()))
			require.Equal(t, want, reported)
			if detail == "" {
				require.Empty(t, s.openAlerts(t))
				continue
			}
			require.Len(t, s.openAlerts(t), 1)
			require.Equal(t, alert.NetworkFork, s.openAlerts(t)[0].Kind)
			require.Contains(t, s.openAlerts(t)[0].Detail, detail)
		}
	}
	requireReported(remaining{}, "")
	d.votes = 72
	requireReported(remaining{}, "nobody has told this release when it comes; the daemon knows version 16; 72 of the last 720 blocks")
	look.Forks = []coin.MoneroFork{{Version: 17, Height: 71_441}}
	requireReported(remaining{2, true}, "it comes at block 71441; the daemon knows version 16")
	d.votes, d.network = 0, "stagenet"
	requireReported(remaining{}, "")
	d.votes, d.network = 72, "mainnet"
	requireReported(remaining{2, true}, "it comes at block 71441")
	d.knows, d.votes = 17, 0
	requireReported(remaining{}, "")
	d.height = 1
	requireReported(remaining{}, "")
}
