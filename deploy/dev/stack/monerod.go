package stack

import (
	"context"
	"errors"
	"strconv"

	"github.com/durapay/durapay/deploy/dev/programs"
)

const (
	// The ports of the daemon's publisher, and of its ZeroMQ calls, which the stack does not
	// use.
	monerodZMQ      = "monerod-zmq"
	monerodZMQCalls = "monerod-zmq-calls"
	// monerodPeers is the port of the peer-to-peer network.
	monerodPeers = "monerod-p2p"
)

// monerod is the daemon of a private chain that survives restarts.
func monerod() part {
	return part{
		name:     "monerod",
		after:    []string{moneroFork},
		ports:    []port{{"monerod", 28081}, {monerodPeers, 28080}, {monerodZMQ, 28099}, {monerodZMQCalls, 28079}},
		programs: []programs.Program{programs.Monerod},
		command: func(s *Stack) (command, error) {
			return monerodCommand(s, "monerod", append(s.peering(),
				"--zmq-pub", "tcp://"+s.Addr(monerodZMQ),
				// The daemon has no publisher without the port for calls.
				"--zmq-rpc-bind-ip", "127.0.0.1", "--zmq-rpc-bind-port", strconv.Itoa(s.ports[monerodZMQCalls])))
		},
		ready: synchronized,
		env: func(s *Stack) map[string]string {
			return map[string]string{"MONEROD_RPC_URL": s.url("monerod"), "MONEROD_REGTEST": "true", "MONEROD_ZMQ_ADDRESS": s.Addr(monerodZMQ)}
		},
	}
}

// synchronized introduces a peer with exactly the daemon's chain, unless the daemon has a
// peer: without one it does not consider itself synchronized.
func synchronized(ctx context.Context, s *Stack) error {
	var info struct {
		Synchronized bool   `json:"synchronized"`
		Blocks       uint64 `json:"height"`
		Top          string `json:"top_block_hash"`
	}
	if err := call(ctx, s.url("monerod"), "get_info", nil, &info); err != nil || info.Synchronized || s.has(moneroFork) {
		return err
	}
	p, err := ConnectPeer(ctx, s.Addr(monerodPeers), info.Blocks, info.Top)
	if err != nil {
		return err
	}
	return p.Close()
}

// monerodCommand returns the command of a daemon with a part's name, ports and files.
func monerodCommand(s *Stack, name string, more []string) (command, error) {
	path, err := programs.Monerod.Find(s.root)
	args := []string{
		"--regtest", "--keep-fakechain", "--fixed-difficulty", "1",
		"--non-interactive", "--no-igd", "--disable-rpc-ban",
		"--check-updates", "disabled", "--rpc-ssl", "disabled",
		"--data-dir", s.path("data", name),
		"--log-file", s.path("log", name+"-own.log"),
		"--rpc-bind-ip", "127.0.0.1", "--rpc-bind-port", strconv.Itoa(s.ports[name]),
		"--p2p-bind-ip", "127.0.0.1", "--p2p-bind-port", strconv.Itoa(s.ports[name+"-p2p"]),
	}
	return command{path: path, args: append(args, more...), env: map[string]string{
		// Huge pages for the 256 MiB that the proof of work reads at random: they halve the
		// cost of a block.
		"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
	}}, err
}

// Mine adds blocks to the private chain. The customer wallet gets their rewards.
func (s *Stack) Mine(ctx context.Context, blocks int) error {
	address := s.walletAddress("customer")
	if address == "" {
		return errors.New("mine: there is no customer wallet yet")
	}
	return Mine(ctx, s.url("monerod"), address, blocks)
}

// Mine makes the daemon at a URL add blocks whose rewards go to an address.
func Mine(ctx context.Context, daemon, address string, blocks int) error {
	// A request for many blocks would time out.
	const most = 20
	for blocks > 0 {
		n := min(blocks, most)
		params := map[string]any{"amount_of_blocks": n, "wallet_address": address}
		if err := call(ctx, daemon, "generateblocks", params, nil); err != nil {
			return err
		}
		blocks -= n
	}
	return nil
}
