package stack

import (
	"context"
	"net"
	"os"
	"strconv"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// A fork is an alternative chain: a second daemon that receives nothing from the first while
// the two are separated, and mines blocks of its own. When they are joined again, both use the
// longer chain. The second Monero daemon has copies of the wallets, so that a test can spend
// money there that was already spent on the first daemon's chain.
const (
	moneroFork   = "monerod-fork"
	litecoinFork = "litecoind-fork"
)

// ForkParts returns the parts of a stack whose chains can be forked.
func ForkParts() []string {
	list := []string{moneroFork, litecoinFork}
	for _, w := range forkWallets() {
		list = append(list, w.part)
	}
	return list
}

// forkWallets returns the wallets of the second daemon, with the keys of the wallets that pay.
func forkWallets() []wallet {
	return []wallet{
		{part: "wallet-fork-live", keys: "live", daemon: moneroFork, asked: true, port: 28093},
		{part: "wallet-fork-customer", keys: "customer", daemon: moneroFork, asked: true, port: 28096},
		{part: "wallet-fork-exchange", keys: "exchange", daemon: moneroFork, asked: true, port: 28098},
	}
}

// peering connects the first daemon only to the second one, in a stack that has it. Without a
// second daemon, any peer that knows its port can connect.
func (s *Stack) peering() []string {
	if s.has(moneroFork) {
		return s.peers(moneroFork)
	}
	const connections = "100" // connections that just ended are still counted for a moment
	return append(private(), "--out-peers", "0", "--max-connections-per-ip", connections)
}

func (s *Stack) peers(other string) []string {
	return append(private(), "--add-exclusive-node", s.Addr(other+"-p2p"))
}

// private returns the options with which a daemon knows only peers on this machine.
func private() []string {
	return []string{"--disable-dns-checkpoints", "--hide-my-port", "--allow-local-ip"}
}

func monerodFork() part {
	return part{
		name:     moneroFork,
		asked:    true,
		ports:    []port{{moneroFork, 28091}, {moneroFork + "-p2p", 28090}},
		programs: []programs.Program{programs.Monerod},
		prepare:  copyChain,
		command: func(s *Stack) (command, error) {
			return monerodCommand(s, moneroFork, append(s.peers("monerod"), "--no-zmq"))
		},
		ready: func(ctx context.Context, s *Stack) error {
			return call(ctx, s.url(moneroFork), "get_info", nil, nil)
		},
	}
}

// copyChain gives the second daemon the chain of the first, which is not running yet. A daemon
// whose peers have only shorter chains never considers itself synchronized.
func copyChain(ctx context.Context, s *Stack) error {
	if !s.lacks(moneroFork) {
		return nil
	}
	return copyTree(ctx, s.path("data", moneroFork), s.path("data", "monerod"))
}

// litecoindFork waits for another daemon to connect and takes over its chain.
func litecoindFork() part {
	return part{
		name:     litecoinFork,
		asked:    true,
		needs:    []string{"litecoind"},
		ports:    []port{{litecoinFork, 29453}, {litecoinFork + "-p2p", 29454}},
		programs: []programs.Program{programs.Litecoind},
		prepare: func(_ context.Context, s *Stack) error {
			return os.MkdirAll(s.path("data", litecoinFork), 0o700)
		},
		command: func(s *Stack) (command, error) {
			p2p := net.JoinHostPort("127.0.0.1", strconv.Itoa(s.ports[litecoinFork+"-p2p"]))
			return litecoindCommand(s, litecoinFork, "-listen=1", "-bind="+p2p, "-port="+strconv.Itoa(s.ports[litecoinFork+"-p2p"]))
		},
		ready: func(ctx context.Context, s *Stack) error { return s.litecoinAnswers(ctx, litecoinFork) },
	}
}

// LitecoinForkURL returns the second daemon's RPC address with user and password.
func (s *Stack) LitecoinForkURL() (string, error) { return s.litecoinURL(litecoinFork, "") }
