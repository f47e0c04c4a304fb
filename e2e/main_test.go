package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/regtest"
)

// patience is how long anything may take that is expected to happen, on a
// machine that is busy with everything else too. Nothing is concluded from how
// long it takes.
const patience = 8 * time.Minute

// startup is how long a stack may take to be ready, the first on a machine too,
// which makes wallets and mines money.
const startup = 15 * time.Minute

// atOnce is how many tests run side by side: they wait, and two processors are busy with
// these; with more, none gets on.
const atOnce = "5"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := stopAll(code != 0); err != nil {
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
	// daemon is between the worker and monerod, prices stands for an exchange;
	// both in the troubled fixture only.
	daemon *proxy
	prices *exchange
}

// running are the stacks to stop at the end.
var (
	running   []*stack.Stack
	runningMu sync.Mutex
)

var calmFixture = sync.OnceValues(func() (*fixture, error) {
	// Every name that a service resolves is then in its log.
	return openWith(settings(map[string]string{"GODEBUG": "netdns=go+2"}), append(stack.MerchantParts(), stack.SandboxWallets()...), nil)
})

// calm is the fixture in which nothing breaks.
func calm(t *testing.T) *fixture {
	t.Helper()
	w, err := calmFixture()
	if err != nil {
		t.Fatalf("the stack does not start: %v", err)
	}
	return w
}

// settings are those of every stack here, and more.
func settings(more map[string]string) map[string]string {
	env := map[string]string{
		"DEV_BLOCK_SECONDS": "0", "CONFIRMATIONS_REQUIRED": "2", "RATE_LIMITS": "off",
		"ADDRESS_POOL_TARGET": "60",
	}
	maps.Copy(env, more)
	return env
}

// openFixture starts a stack of the merchants' side; prepare runs when its ports are
// known.
func openFixture(env map[string]string, prepare func(*stack.Stack)) (*fixture, error) {
	return openWith(env, stack.MerchantParts(), prepare)
}

// openWith is openFixture with chosen parts.
func openWith(env map[string]string, parts []string, prepare func(*stack.Stack)) (*fixture, error) {
	dir, err := os.MkdirTemp("", "durapay-e2e-")
	if err != nil {
		return nil, err
	}
	s, err := stack.Open(stack.Options{Dir: dir, Env: env, Parts: parts, Private: true})
	if err != nil {
		return nil, err
	}
	runningMu.Lock()
	running = append(running, s)
	runningMu.Unlock()
	if prepare != nil {
		prepare(s)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startup)
	defer cancel()
	if err := s.Up(ctx); err != nil {
		return nil, err
	}
	urls := s.Env()
	customer := regtest.NewCustomer(urls["CUSTOMER_WALLET_RPC_URL"])
	reward, err := customer.Address(ctx)
	if err != nil {
		return nil, err
	}
	return &fixture{
		stack: s, customer: customer, url: urls["MERCHANT_URL"],
		chain: regtest.NewChain("http://"+s.Addr("monerod"), reward),
	}, nil
}

// endWith stops the stack with a test that nobody shares it with: what is idle
// works on, and takes the processors from the others.
func (w *fixture) endWith(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		runningMu.Lock()
		running = slices.DeleteFunc(running, func(s *stack.Stack) bool { return s == w.stack })
		runningMu.Unlock()
		if err := end(w.stack, t.Failed()); err != nil {
			t.Error(err)
		}
	})
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

// stopAll ends what runs.
func stopAll(failed bool) error {
	errs := []error{stopTor()}
	for _, s := range running {
		errs = append(errs, end(s, failed))
	}
	return errors.Join(errs...)
}
