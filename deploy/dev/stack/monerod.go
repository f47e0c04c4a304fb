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

// moneroDaemons returns the daemon of a private chain that survives restarts, and daemons that
// a stack has only if they are asked for. Those with a private chain begin with a copy of the
// first daemon's chain, before that daemon starts: a daemon whose peers have only shorter chains
// never considers itself synchronized.
func moneroDaemons() []part {
	alone := []string{"--offline", "--no-zmq"} // it never connects to another daemon
	return []part{
		moneroDaemon(moneroFork, 28091, 28090, func(s *Stack) []string { return private(append(s.peers("monerod"), "--no-zmq")) }),
		moneroDaemon(sandboxDaemon, 28101, 28102, func(*Stack) []string { return private(alone) }),
		moneroDaemon(stagenetDaemon, 28104, 28105, func(*Stack) []string { return append([]string{"--stagenet"}, alone...) }),
		monerod(),
	}
}

func monerod() part {
	p := moneroDaemon("monerod", 28081, 28080, func(s *Stack) []string {
		return private(append(s.peering(),
			"--zmq-pub", "tcp://"+s.Addr(monerodZMQ),
			// The daemon has no publisher without the port for calls.
			"--zmq-rpc-bind-ip", "127.0.0.1", "--zmq-rpc-bind-port", strconv.Itoa(s.ports[monerodZMQCalls])))
	})
	p.asked, p.prepare, p.ready = false, nil, synchronized
	p.after = []string{moneroFork, sandboxDaemon}
	p.ports = append(p.ports, port{monerodZMQ, 28099}, port{monerodZMQCalls, 28079})
	return p
}

// moneroDaemon declares a daemon with the ports NAME and NAME-p2p, with the options of its
// network.
func moneroDaemon(name string, rpc, p2p int, network func(*Stack) []string) part {
	return part{
		name:     name,
		asked:    true,
		ports:    []port{{name, rpc}, {name + "-p2p", p2p}},
		programs: []programs.Program{programs.Monerod},
		prepare: func(ctx context.Context, s *Stack) error {
			if name == stagenetDaemon || !s.lacks(name) {
				return nil
			}
			return copyTree(ctx, s.path("data", name), s.path("data", "monerod"))
		},
		command: func(s *Stack) (command, error) {
			args := []string{
				"--fixed-difficulty", "1", "--non-interactive", "--no-igd", "--disable-rpc-ban",
				"--check-updates", "disabled", "--rpc-ssl", "disabled",
				"--data-dir", s.path("data", name), "--log-file", s.path("log", name+"-own.log"),
				"--rpc-bind-ip", "127.0.0.1", "--rpc-bind-port", strconv.Itoa(s.ports[name]),
				"--p2p-bind-ip", "127.0.0.1", "--p2p-bind-port", strconv.Itoa(s.ports[name+"-p2p"]),
			}
			return command{args: append(args, network(s)...), env: map[string]string{
				// Huge pages for the 256 MiB that the proof of work reads at random: they halve
				// the cost of a block.
				"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
			}}, nil
		},
		ready: speaks(name, "get_info"),
	}
}

// private adds the options of a private chain.
func private(options []string) []string {
	return append([]string{"--regtest", "--keep-fakechain"}, options...)
}

// peering connects the first daemon only to the second one, in a stack that has it. Without a
// second daemon, any peer that knows its port can connect.
func (s *Stack) peering() []string {
	if s.has(moneroFork) {
		return s.peers(moneroFork)
	}
	const connections = "100" // connections that just ended are still counted for a moment
	return append(localPeers(), "--out-peers", "0", "--max-connections-per-ip", connections)
}

func (s *Stack) peers(other string) []string {
	return append(localPeers(), "--add-exclusive-node", s.Addr(other+"-p2p"))
}

// localPeers returns the options with which a daemon knows only peers on this machine.
func localPeers() []string {
	return []string{"--disable-dns-checkpoints", "--hide-my-port", "--allow-local-ip"}
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
