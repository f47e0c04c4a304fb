package stack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/internal/utxo"
)

// The daemon's wallets.
const (
	litecoinCustomer = "customer"
	litecoinExchange = "exchange"
	// litecoinRewards is the wallet for rewards that must not fund another wallet.
	litecoinRewards = "rewards"

	litecoinUser = "durapay"

	// litecoinPeers is the port on which the daemon announces events to its peers.
	litecoinPeers = "litecoind-p2p"
)

// litecoind is the daemon of a private chain, with the wallets of a paying customer and of the
// exchange.
func litecoind() part {
	p := litecoinDaemon("litecoind", 29443, func(s *Stack) []string {
		// The daemon announces payments at once to peers that connect to this port.
		return []string{"-whitebind=noban@" + s.Addr(litecoinPeers)}
	})
	p.settle = settleLitecoin
	return p
}

// litecoindFork waits for another daemon to connect and takes over its chain.
func litecoindFork() part {
	p := litecoinDaemon(litecoinFork, 29453, func(s *Stack) []string {
		return []string{"-listen=1", "-bind=" + s.Addr(litecoinFork+"-p2p"), "-port=" + strconv.Itoa(s.ports[litecoinFork+"-p2p"])}
	})
	p.asked, p.needs = true, []string{"litecoind"}
	return p
}

// litecoinDaemon declares a daemon with the ports NAME and NAME-p2p, which follows it.
func litecoinDaemon(name string, rpc int, peering func(*Stack) []string) part {
	return part{
		name:     name,
		ports:    []port{{name, rpc}, {name + "-p2p", rpc + 1}},
		programs: []programs.Program{programs.Litecoind},
		files:    true,
		command: func(s *Stack) (command, error) {
			// Passwords must not appear on command lines.
			conf := s.path("data", name, "litecoin.conf")
			content := "rpcuser=" + litecoinUser + "\nrpcpassword=" + s.secret("litecoin-rpc") + "\n"
			args := []string{
				"-regtest", "-server", "-txindex", "-dnsseed=0", "-upnp=0", "-discover=0", "-listenonion=0",
				"-datadir=" + s.path("data", name), "-conf=" + conf,
				"-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1", "-rpcport=" + strconv.Itoa(s.ports[name]),
				"-fallbackfee=0.0001",
				// Creating keys for a thousand addresses in advance takes seconds.
				"-keypool=100",
				// A payer may replace a payment while it is in the pool.
				"-mempoolreplacement=1",
				// A daemon that was stopped for a month must still consider itself synchronized.
				"-maxtipage=315360000",
				"-printtoconsole", "-nodebuglogfile",
			}
			return command{args: append(args, peering(s)...), version: content}, writeFile(conf, []byte(content))
		},
		ready: func(ctx context.Context, s *Stack) error {
			daemon, err := s.litecoinAt(name, "")
			if err != nil {
				return err
			}
			defer daemon.Close()
			_, err = daemon.Info(ctx)
			return err
		},
	}
}

// LitecoinURL returns the daemon's RPC address with user and password. Calls of wallet methods
// use the named wallet.
func (s *Stack) LitecoinURL(wallet string) string { return s.litecoinURL("litecoind", wallet) }

// LitecoinForkURL returns the second daemon's RPC address with user and password.
func (s *Stack) LitecoinForkURL() string { return s.litecoinURL(litecoinFork, "") }

func (s *Stack) litecoinURL(name, wallet string) string {
	u := url.URL{
		Scheme: "http", User: url.UserPassword(litecoinUser, s.secret("litecoin-rpc")),
		Host: s.Addr(name), Path: "/wallet/" + wallet,
	}
	return u.String()
}

// litecoinLogin returns user and password.
func (s *Stack) litecoinLogin() string { return litecoinUser + ":" + s.secret("litecoin-rpc") }

func (s *Stack) litecoin(wallet string) (*utxo.Client, error) {
	return s.litecoinAt("litecoind", wallet)
}

func (s *Stack) litecoinAt(name, wallet string) (*utxo.Client, error) {
	return utxo.New(utxo.Endpoint{URL: s.url(name), Login: s.litecoinLogin(), Wallet: wallet}, utxo.Options{})
}

// MineLitecoin adds blocks to the private Litecoin chain. Their rewards go to a wallet that no
// test uses.
func (s *Stack) MineLitecoin(ctx context.Context, blocks int) error {
	rewards, err := s.litecoin(litecoinRewards)
	if err != nil {
		return err
	}
	defer rewards.Close()
	// The address is created once and stored, so that the wallet does not grow.
	address := s.secret("litecoin-rewards-address")
	if address == "" {
		if address, err = rewards.NewAddress(ctx); err != nil {
			return fmt.Errorf("address for rewards: %w", err)
		}
		if err := writeFile(s.path("secrets", "litecoin-rewards-address"), []byte(address+"\n")); err != nil {
			return err
		}
	}
	_, err = rewards.Generate(ctx, address, uint64(blocks))
	return errors.Join(err, rewards.Flush(ctx))
}

// settleLitecoin loads the wallets and funds them.
func settleLitecoin(ctx context.Context, s *Stack) error {
	daemon, err := s.litecoin("")
	if err != nil {
		return err
	}
	defer daemon.Close()
	for _, name := range []string{litecoinCustomer, litecoinExchange, litecoinRewards} {
		if err := daemon.EnsureWallet(ctx, name); err != nil {
			return fmt.Errorf("wallet %s: %w", name, err)
		}
	}
	return errors.Join(s.fundLitecoin(ctx), s.writeExchangeWallets())
}
