package monero

import "context"

// Fork are the versions of the network that the daemon reports.
type Fork struct {
	// Version is the version in force, Knows the newest version that the daemon knows.
	Version, Knows int
}

// Fork asks for the versions of the network.
func (d *Daemon) Fork(ctx context.Context) (Fork, error) {
	var out struct {
		daemonStatus
		Version int `json:"version"`
		Voting  int `json:"voting"`
	}
	if err := d.rpc(ctx, call{method: "hard_fork_info", safe: true}, &out); err != nil {
		return Fork{}, err
	}
	return Fork{Version: out.Version, Knows: out.Voting}, nil
}

// Votes counts the blocks of a range of heights by the newest version that their miners
// know. Heights above the top are ignored.
func (d *Daemon) Votes(ctx context.Context, from, to uint64) (map[int]int, error) {
	var out struct {
		daemonStatus
		Headers []struct {
			Vote int `json:"minor_version"`
		} `json:"headers"`
	}
	params := map[string]any{"start_height": from, "end_height": to}
	if err := d.rpc(ctx, call{method: "get_block_headers_range", params: params, safe: true}, &out); err != nil {
		return nil, err
	}
	votes := map[int]int{}
	for _, h := range out.Headers {
		votes[h.Vote]++
	}
	return votes, nil
}
