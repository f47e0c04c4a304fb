package stack

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/internal/monero"
)

// A stack may give the sandbox a chain of its own: a second private one, on which a customer
// has money too, or the empty chain of a stagenet daemon without peers. Blocks are mined only
// on private chains.
const (
	sandboxDaemon   = "monerod-sandbox"
	sandboxCustomer = "wallet-sandbox-customer"
	stagenetDaemon  = "monerod-stagenet"
	stagenetWallet  = "wallet-stagenet"
)

// SandboxWallets returns the parts of a sandbox that uses a chain: the chain of live money,
// unless the stack has another. Without them the sandbox is simulated.
func SandboxWallets() []string { return []string{"wallet-sandbox-watch", "wallet-sandbox-spend"} }

// SandboxParts returns the additional parts of the sandbox's two chains.
func SandboxParts() []string { return []string{sandboxDaemon, sandboxCustomer, stagenetWallet} }

// sandboxParts returns their declarations.
func sandboxParts() []part {
	customer := wallet{part: sandboxCustomer, keys: "customer", daemon: sandboxDaemon, asked: true, port: 28103}
	return append([]part{monerodSandbox(), monerodStagenet(), walletStagenet()}, declared([]wallet{customer})...)
}

// monerodSandbox begins with a copy of the first daemon's chain, before that daemon starts,
// and never connects to it.
func monerodSandbox() part {
	return part{
		name:     sandboxDaemon,
		asked:    true,
		ports:    []port{{sandboxDaemon, 28101}, {sandboxDaemon + "-p2p", 28102}},
		programs: []programs.Program{programs.Monerod},
		prepare: func(ctx context.Context, s *Stack) error {
			if !s.lacks(sandboxDaemon) {
				return nil
			}
			return copyTree(ctx, s.path("data", sandboxDaemon), s.path("data", "monerod"))
		},
		command: func(s *Stack) (command, error) {
			return monerodCommand(s, sandboxDaemon, []string{"--offline", "--no-zmq"})
		},
		ready: func(ctx context.Context, s *Stack) error {
			return call(ctx, s.url(sandboxDaemon), "get_info", nil, nil)
		},
	}
}

// afterTheSandbox makes the first daemon start after its chain was copied.
func afterTheSandbox(monerod part) part {
	monerod.after = append(slices.Clip(monerod.after), sandboxDaemon)
	return monerod
}

// hearingTheSandbox connects the sandbox's wallets to the sandbox's daemon, in a stack that
// has it.
func hearingTheSandbox(list []part) []part {
	for i, p := range list {
		if !strings.HasPrefix(p.name, "wallet-sandbox-") {
			continue
		}
		list[i].after = append(slices.Clip(p.after), sandboxDaemon)
		list[i].command = func(s *Stack) (command, error) {
			if !s.has(sandboxDaemon) {
				return p.command(s)
			}
			c, err := p.command(s)
			for at, argument := range c.args {
				if argument == "--daemon-address" {
					c.args[at+1] = s.Addr(sandboxDaemon)
				}
			}
			return c, err
		}
	}
	return list
}

// sandboxSettings returns the services' settings of the sandbox if the stack has its wallet: a
// private chain, which is that of live money unless the stack has another.
func (s *Stack) sandboxSettings() map[string]string {
	if !s.has("wallet-sandbox-watch") {
		return nil
	}
	settings := map[string]string{"SANDBOX_CHAIN": "wallet", "SANDBOX_MONEROD_RPC_URL": s.url("monerod"), "SANDBOX_MONEROD_ZMQ_ADDRESS": s.Addr(monerodZMQ)}
	if s.has(sandboxDaemon) {
		settings["SANDBOX_MONEROD_RPC_URL"], settings["SANDBOX_MONEROD_ZMQ_ADDRESS"] = s.url(sandboxDaemon), ""
	}
	return settings
}

func monerodStagenet() part {
	return part{
		name:     stagenetDaemon,
		asked:    true,
		ports:    []port{{stagenetDaemon, 28104}, {stagenetDaemon + "-p2p", 28105}},
		programs: []programs.Program{programs.Monerod},
		command: func(s *Stack) (command, error) {
			c, err := monerodCommand(s, stagenetDaemon, []string{"--offline", "--no-zmq"})
			c.args = append([]string{"--stagenet"}, slices.DeleteFunc(c.args, func(argument string) bool {
				return argument == "--regtest" || argument == "--keep-fakechain"
			})...)
			return c, err
		},
		ready: func(ctx context.Context, s *Stack) error {
			return call(ctx, s.url(stagenetDaemon), "get_info", nil, nil)
		},
	}
}

// walletStagenet is a view-only wallet with the sandbox's keys and stagenet addresses.
func walletStagenet() part {
	w := wallet{part: stagenetWallet, keys: "sandbox", viewOnly: true, daemon: stagenetDaemon, asked: true, port: 28106}
	p := w.declare()
	p.prepare = func(ctx context.Context, s *Stack) error {
		if _, err := os.Stat(w.file(s) + ".keys"); err == nil {
			return nil
		}
		if err := os.MkdirAll(s.path("data", w.part), 0o700); err != nil {
			return err
		}
		address, viewKey, err := s.StagenetKeys(ctx)
		if err != nil {
			return err
		}
		_, err = s.walletCLI(ctx, w.file(s), []string{"--stagenet", "--generate-from-view-key", w.file(s)}, address, viewKey)
		return err
	}
	p.command = func(s *Stack) (command, error) {
		c, err := w.command(s)
		c.args = append(c.args, "--stagenet")
		return c, err
	}
	return p
}

// StagenetKeys returns the primary address and the private view key of the stagenet wallet.
func (s *Stack) StagenetKeys(ctx context.Context) (address, viewKey string, err error) {
	keys, err := s.walletKeys(ctx, "sandbox")
	if err != nil {
		return "", "", err
	}
	a, err := monero.ParseAddress(keys.address)
	a.Network = monero.Stagenet
	return a.String(), keys.view, err
}
