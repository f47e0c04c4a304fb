package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/regtest"
)

// patience is how long anything may take that is expected to happen, on a
// machine that is busy with everything else too. Nothing is concluded from how
// long it takes.
const patience = 10 * time.Minute

// startup is how long a stack may take to be ready, the first on a machine too,
// which makes wallets and mines money.
const startup = 15 * time.Minute

// unbounded lets every test wait for its stack at the same time. The kinds of stacks bound
// how many work: two processors are busy with those.
const unbounded = "1000"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", unbounded); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := stopTor(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// fixture is a running stack and the people around it.
type fixture struct {
	stack    *stack.Stack
	chain    *regtest.Chain
	customer *regtest.Customer
	url      string
	// daemon is between the services and monerod, where the stack has that.
	daemon *proxy
	// env are the settings of the stack, and own those that it was started with.
	env, own map[string]string
	// spent is set by a test that leaves something under way: no other test gets the stack.
	spent bool
}

func (w *fixture) base() *fixture { return w }

// settings are those of every stack here, and more.
func settings(more map[string]string) map[string]string {
	env := map[string]string{
		"DEV_BLOCK_SECONDS": "0", "CONFIRMATIONS_REQUIRED": "2", "RATE_LIMITS": "off",
		"ADDRESS_POOL_TARGET": "60",
	}
	maps.Copy(env, more)
	return env
}

// openWith starts a stack of these parts and what they need; prepare, if there is one,
// runs when its ports are known.
func openWith(env map[string]string, parts []string, prepare func(*stack.Stack) error) (*fixture, error) {
	dir, err := os.MkdirTemp("", "durapay-e2e-")
	if err != nil {
		return nil, err
	}
	s, err := stack.Open(stack.Options{Dir: dir, Env: env, Parts: parts, Private: true})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startup)
	defer cancel()
	if prepare != nil {
		err = prepare(s)
	}
	if err == nil {
		err = s.Up(ctx)
	}
	urls := s.Env()
	customer := regtest.NewCustomer(urls["CUSTOMER_WALLET_RPC_URL"])
	var reward string
	if err == nil {
		reward, err = customer.Address(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, end(s, true))
	}
	return &fixture{
		stack: s, customer: customer, url: urls["MERCHANT_URL"], env: env, own: maps.Clone(env),
		chain: regtest.NewChain("http://"+s.Addr("monerod"), reward),
	}, nil
}

// end stops a stack; the files of a failed run are kept to be looked at.
func end(s *stack.Stack, failed bool) error {
	err := s.Stop()
	if failed {
		fmt.Fprintln(os.Stderr, "logs are kept in", s.Dir())
		return err
	}
	return errors.Join(err, os.RemoveAll(s.Dir()))
}
