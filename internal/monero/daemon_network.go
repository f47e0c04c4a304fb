package monero

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNetType means that a daemon is on another network than its client requires.
var ErrNetType = errors.New("monero: the daemon is on another network")

// NetType is the network that a daemon reports, as monerod spells it.
type NetType string

// The networks that monerod reports. Fakechain is a private chain (regtest), whose
// addresses are those of Mainnet.
const (
	MainnetChain  NetType = "mainnet"
	TestnetChain  NetType = "testnet"
	StagenetChain NetType = "stagenet"
	Fakechain     NetType = "fakechain"
)

// Only returns a client of the same daemon that accepts only these networks. While the
// daemon is on any other, every call fails with ErrNetType. Each Info checks the
// network again, so a replaced daemon is noticed by callers that ask for the state of
// the chain first. All callers that read a chain or spend do that.
func (d *Daemon) Only(types ...NetType) *Daemon {
	return &Daemon{client: d.client, only: types}
}

// believe stores whether the network that Info reported is accepted, and returns
// ErrNetType if it is not.
func (d *Daemon) believe(is NetType) error {
	accepted := d.only == nil || slices.Contains(d.only, is)
	d.believed.Store(accepted)
	if accepted {
		return nil
	}
	names := make([]string, len(d.only))
	for i, t := range d.only {
		names[i] = string(t)
	}
	return fmt.Errorf("%w: it says %s, the wallet wants %s", ErrNetType, is, strings.Join(names, " or "))
}

// admit asks for the network before the first other call, and again after a refusal.
func (d *Daemon) admit(ctx context.Context) error {
	if d.only == nil || d.believed.Load() {
		return nil
	}
	_, err := d.Info(ctx)
	return err
}

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
	if err := d.rpc(ctx, call{Method: "hard_fork_info", Safe: true}, &out); err != nil {
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
	if err := d.rpc(ctx, call{Method: "get_block_headers_range", Params: params, Safe: true}, &out); err != nil {
		return nil, err
	}
	votes := map[int]int{}
	for _, h := range out.Headers {
		votes[h.Vote]++
	}
	return votes, nil
}
