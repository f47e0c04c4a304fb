package stack

import (
	"context"
	"errors"
	"strconv"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// monerod is the daemon of a private chain that survives restarts.
func monerod() part {
	return part{
		name:     "monerod",
		after:    []string{moneroFork},
		ports:    []port{{"monerod", 28081}, {"monerod-p2p", 28080}},
		programs: []programs.Program{programs.Monerod()},
		command:  func(s *Stack) (command, error) { return monerodCommand(s, "monerod", s.peering()) },
		ready: func(ctx context.Context, s *Stack) error {
			return call(ctx, s.url("monerod"), "get_info", nil, nil)
		},
		env: func(s *Stack) map[string]string {
			return map[string]string{"MONEROD_RPC_URL": s.url("monerod")}
		},
	}
}

// monerodCommand runs a daemon that has a part's name, ports and files.
func monerodCommand(s *Stack, name string, peering []string) (command, error) {
	path, err := programs.Monerod().Find(s.root)
	args := []string{
		"--regtest", "--keep-fakechain", "--fixed-difficulty", "1",
		"--non-interactive", "--no-igd", "--no-zmq", "--disable-rpc-ban",
		"--check-updates", "disabled", "--rpc-ssl", "disabled",
		"--data-dir", s.path("data", name),
		"--log-file", s.path("log", name+"-own.log"),
		"--rpc-bind-ip", "127.0.0.1", "--rpc-bind-port", strconv.Itoa(s.ports[name]),
		"--p2p-bind-ip", "127.0.0.1", "--p2p-bind-port", strconv.Itoa(s.ports[name+"-p2p"]),
	}
	return command{path: path, args: append(args, peering...)}, err
}

// Mine adds blocks to the private chain; the customer wallet gets their reward.
func (s *Stack) Mine(ctx context.Context, blocks int) error {
	address := s.walletAddress("customer")
	if address == "" {
		return errors.New("mine: there is no customer wallet yet")
	}
	return Mine(ctx, s.url("monerod"), address, blocks)
}

// Mine makes the daemon at a URL add blocks whose reward goes to an address.
func Mine(ctx context.Context, daemon, address string, blocks int) error {
	// A request for many blocks would run into timeouts.
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
