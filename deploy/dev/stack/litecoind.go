package stack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
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
	return part{
		name:     "litecoind",
		ports:    []port{{"litecoind", 29443}, {litecoinPeers, 29444}},
		programs: []programs.Program{programs.Litecoind},
		prepare: func(_ context.Context, s *Stack) error {
			return os.MkdirAll(s.path("data", "litecoind"), 0o700)
		},
		command: func(s *Stack) (command, error) {
			// The daemon announces payments at once to peers that connect to this port.
			return litecoindCommand(s, "litecoind", "-whitebind=noban@"+s.Addr(litecoinPeers))
		},
		ready: func(ctx context.Context, s *Stack) error {
			return s.litecoinAnswers(ctx, "litecoind")
		},
		settle: settleLitecoin,
		env: func(s *Stack) map[string]string {
			customer, err := s.LitecoinURL(litecoinCustomer)
			if err != nil {
				return nil
			}
			return map[string]string{"LITECOIN_RPC_URL": customer}
		},
	}
}

func (s *Stack) litecoinAnswers(ctx context.Context, name string) error {
	daemon, err := s.litecoinAt(name, "")
	if err != nil {
		return err
	}
	defer daemon.Close()
	_, err = daemon.Info(ctx)
	return err
}

// litecoindCommand returns the command of a daemon with a part's name, port and files.
func litecoindCommand(s *Stack, name string, peering ...string) (command, error) {
	path, err := programs.Litecoind.Find(s.root)
	if err != nil {
		return command{}, err
	}
	password, err := s.secret("litecoin-rpc")
	if err != nil {
		return command{}, err
	}
	// Passwords must not appear on command lines.
	conf := s.path("data", name, "litecoin.conf")
	content := "rpcuser=" + litecoinUser + "\nrpcpassword=" + password + "\n"
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
	return command{path: path, args: append(args, peering...), version: content}, writeFile(conf, []byte(content))
}

// LitecoinURL returns the daemon's RPC address with user and password. Calls of wallet methods
// use the named wallet.
func (s *Stack) LitecoinURL(wallet string) (string, error) { return s.litecoinURL("litecoind", wallet) }

func (s *Stack) litecoinURL(name, wallet string) (string, error) {
	password, err := s.secret("litecoin-rpc")
	u := url.URL{
		Scheme: "http", User: url.UserPassword(litecoinUser, password),
		Host: s.Addr(name), Path: "/wallet/" + wallet,
	}
	return u.String(), err
}

// litecoinLoginFile returns the file with user and password for the services.
func (s *Stack) litecoinLoginFile() (string, error) {
	password, err := s.secret("litecoin-rpc")
	if err != nil {
		return "", err
	}
	path := s.path("secrets", "litecoin-login")
	return path, writeFile(path, []byte(litecoinUser+":"+password+"\n"))
}

func (s *Stack) litecoin(wallet string) (*utxo.Client, error) {
	return s.litecoinAt("litecoind", wallet)
}

func (s *Stack) litecoinAt(name, wallet string) (*utxo.Client, error) {
	password, err := s.secret("litecoin-rpc")
	if err != nil {
		return nil, err
	}
	at := utxo.Endpoint{URL: s.url(name), Login: litecoinUser + ":" + password, Wallet: wallet}
	return utxo.New(at, utxo.Options{})
}

// MineLitecoin adds blocks to the private Litecoin chain. Their rewards go to a wallet that no
// test uses.
func (s *Stack) MineLitecoin(ctx context.Context, blocks int) error {
	rewards, err := s.litecoin(litecoinRewards)
	if err != nil {
		return err
	}
	defer rewards.Close()
	address, err := s.rewardsAddress(ctx, rewards)
	if err != nil {
		return err
	}
	_, err = rewards.Generate(ctx, address, uint64(blocks))
	return errors.Join(err, rewards.Flush(ctx))
}

// rewardsAddress returns an address that is created once and stored, so that the wallet does
// not grow.
func (s *Stack) rewardsAddress(ctx context.Context, rewards *utxo.Client) (string, error) {
	if known := s.readSecret("litecoin-rewards-address"); known != "" {
		return known, nil
	}
	address, err := rewards.NewAddress(ctx)
	if err != nil {
		return "", fmt.Errorf("address for rewards: %w", err)
	}
	return address, writeFile(s.path("secrets", "litecoin-rewards-address"), []byte(address+"\n"))
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
