package chain_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/watch"
)

// miner makes the blocks of a private chain.
type miner interface {
	// mine adds blocks. Afterwards all of the pool's transactions that can be mined are in
	// blocks, if necessary in additional ones.
	mine(t *testing.T, n int)
	// mineWithout adds blocks that leave a transaction in the pool. It skips the test if the
	// chain cannot do that.
	mineWithout(t *testing.T, tx transaction, n int)
	// pop removes blocks from the chain and does not replace them.
	pop(t *testing.T, n int)
}

// fixture is a real private chain with a customer on it.
type fixture interface {
	miner

	// customerAddress returns a fresh address of the customer.
	customerAddress(t *testing.T) string
	// received returns how much a transaction paid to the customer's address.
	received(t *testing.T, txHash, address string) uint64
	// rivals returns two transactions that spend the same coins and pay to one address each,
	// without sending them.
	rivals(t *testing.T, first, second string, amount uint64) (a, b transaction)
	send(t *testing.T, tx transaction)
	// raised sends a payment and then the same one with a higher fee. It skips the test if
	// the coin has no such feature.
	raised(t *testing.T, address string, amount uint64) (first, second transaction)
	// lock sends a payment into the chain that cannot be spent for more than Depth blocks.
	lock(t *testing.T, address string, amount uint64) transaction
	// pay sends a payment into the pool.
	pay(t *testing.T, address string, amount uint64) transaction
	// replace makes the daemon forget tx, as after a reorganization to a chain in which the
	// rival, if there is one, is mined.
	replace(t *testing.T, tx transaction, rival *transaction)
}

type transaction struct {
	hash, raw string
}

// coinFacts are the properties of a coin that the scenarios need.
type coinFacts struct {
	ticker string
	// atomic is a tenth of a coin, in atomic units.
	atomic uint64
	// origins reports whether the chain shows the payer.
	origins bool
	// parts are the processes whose crash the wallet must survive.
	parts []string
}

func (f coinFacts) unit() uint64        { return f.atomic }
func (f coinFacts) showsOrigins() bool  { return f.origins }
func (f coinFacts) processes() []string { return f.parts }

// bench is a fixture and the wallet under test.
type bench struct {
	fixture
	coinFacts

	stack  *stack.Stack
	config config.ExchangeWallet
	wallet chain.Wallet
	// follower is the only watcher of the wallet, through all of its crashes.
	follower *follower
	// store outlives the wallet.
	store *moneroStore
}

// maxWait is how long an expected event may take. The tests draw no conclusion from the
// time that it takes.
const maxWait = 10 * time.Minute

// unhurried returns options with which calls wait however busy the machine is.
func unhurried() jsonrpc.Options {
	return jsonrpc.Options{CallTimeout: maxWait, BreakerFailures: 1000}
}

func startStack(t *testing.T, parts ...string) *stack.Stack {
	t.Helper()
	s := stack.ForTest(t, stack.Options{Parts: parts})
	t.Cleanup(func() {
		if t.Failed() {
			for _, name := range parts {
				text, _ := os.ReadFile(s.Dir() + "/log/" + name + ".log")
				t.Logf("%s:\n%s", name, text[max(0, len(text)-1500):])
			}
		}
	})
	return s
}

func newBench(t *testing.T, s *stack.Stack, w fixture, facts coinFacts) *bench {
	t.Helper()
	wallets, err := config.LoadExchangeWallets(s.ExchangeWalletsFile())
	require.NoError(t, err)
	b := &bench{fixture: w, coinFacts: facts, stack: s, store: &moneroStore{keys: map[string][]string{}}}
	for _, c := range wallets {
		if c.Ticker == facts.ticker {
			b.config = c
		}
	}
	b.wallet = b.open(t)
	b.follower = follow(b.wallet)
	return b
}

// open makes a wallet that remembers nothing, as after a restart.
func (b *bench) open(t *testing.T) chain.Wallet {
	t.Helper()
	w, err := openWallet(b.config, sharedOptions{
		Daemon: monero.Endpoint{URL: "http://" + b.stack.Addr("monerod")},
		Calls:  unhurried(), Store: b.store,
	})
	require.NoError(t, err)
	return w
}

// crash kills daemon and wallets and starts them again.
func (b *bench) crash(t *testing.T) {
	t.Helper()
	for _, name := range b.processes() {
		require.NoError(t, b.stack.Kill(name))
	}
	require.NoError(t, b.stack.Up(t.Context()))
	b.wallet = b.open(t)
	b.follower.Wallet = b.wallet
	b.tip(t)
}

// eventually calls until it succeeds. It waits only for a chain that is unavailable.
func eventually[T any](t *testing.T, ask func(context.Context) (T, error)) T {
	t.Helper()
	v, err := answered(t, ask)
	require.NoError(t, err)
	return v
}

// answered calls until the chain is available, and returns its answer, which may be an
// error.
func answered[T any](t *testing.T, ask func(context.Context) (T, error)) (T, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), maxWait)
	defer cancel()
	for {
		v, err := ask(ctx)
		if !errors.Is(err, chain.ErrUnavailable) && !errors.Is(err, chain.ErrLagging) && !errors.Is(err, watch.ErrSuperseded) {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (b *bench) tip(t *testing.T) chain.Tip {
	t.Helper()
	return eventually(t, b.wallet.Tip)
}

func (b *bench) address(t *testing.T) string {
	t.Helper()
	return b.newAddress(t).Text
}

// newAddress makes an address and stores it.
func (b *bench) newAddress(t *testing.T) chain.Address {
	t.Helper()
	a := eventually(t, b.wallet.NewAddress)
	if number, err := strconv.ParseUint(a.Ref, 10, 64); err == nil {
		b.store.highest.Store(number)
	}
	return a
}

// balance returns what the wallet holds while coins are reserved.
func (b *bench) balance(t *testing.T, promised ...string) chain.Balance {
	t.Helper()
	return eventually(t, func(ctx context.Context) (chain.Balance, error) { return b.wallet.Balance(ctx, promised) })
}

func inPool(txHash string) func(chain.Deposit) bool {
	return func(d chain.Deposit) bool { return d.TxHash == txHash && d.Height == 0 && !d.Missing }
}

func mined(txHash string) func(chain.Deposit) bool {
	return func(d chain.Deposit) bool { return d.TxHash == txHash && d.Height > 0 && !d.Missing }
}

func gone(txHash string) func(chain.Deposit) bool {
	return func(d chain.Deposit) bool { return d.TxHash == txHash && d.Missing }
}

// confirm mines until a transaction of ours is in a block.
func (b *bench) confirm(t *testing.T, built chain.Built) chain.Found {
	t.Helper()
	for begun := time.Now(); ; {
		b.mine(t, 1)
		if f := b.find(t, built); f.State == chain.Mined {
			return f
		}
		require.Less(t, time.Since(begun), maxWait, "%s is not mined", built.TxHash)
	}
}

func (b *bench) find(t *testing.T, built chain.Built) chain.Found {
	t.Helper()
	return eventually(t, func(ctx context.Context) (chain.Found, error) { return b.wallet.Find(ctx, built) })
}

func (b *bench) build(t *testing.T, pay chain.Payment) chain.Built {
	t.Helper()
	built := eventually(t, func(ctx context.Context) (chain.Built, error) { return b.wallet.Build(ctx, pay) })
	require.NotEmpty(t, built.Raw)
	require.NotEmpty(t, built.Inputs)
	require.Positive(t, built.Fee)
	return built
}

func (b *bench) try(t *testing.T, pay chain.Payment) error {
	t.Helper()
	_, err := answered(t, func(ctx context.Context) (chain.Built, error) { return b.wallet.Build(ctx, pay) })
	return err
}

func (b *bench) relay(t *testing.T, built chain.Built) {
	t.Helper()
	require.NoError(t, b.tryRelay(t, built))
}

func (b *bench) tryRelay(t *testing.T, built chain.Built) error {
	t.Helper()
	_, err := answered(t, func(ctx context.Context) (struct{}, error) { return struct{}{}, b.wallet.Relay(ctx, built) })
	return err
}

func (b *bench) release(t *testing.T, built chain.Built) error {
	t.Helper()
	_, err := answered(t, func(ctx context.Context) (struct{}, error) { return struct{}{}, b.wallet.Release(ctx, built) })
	return err
}

func (b *bench) deposit(t *testing.T, txHash, address string) (chain.Deposit, error) {
	t.Helper()
	return answered(t, func(ctx context.Context) (chain.Deposit, error) { return b.wallet.Deposit(ctx, txHash, address) })
}

// interrupted returns the wallet, which blocks at its n-th call to the chain until it is
// released.
func (b *bench) interrupted(t *testing.T, n int32) (w chain.Wallet, reached, release chan struct{}) {
	t.Helper()
	reached, release = make(chan struct{}), make(chan struct{})
	var asked atomic.Int32
	return b.watched(t, func() {
		if asked.Add(1) == n {
			close(reached)
			<-release
		}
	}), reached, release
}

// watched returns the wallet, which calls before ahead of each of its calls to the chain.
func (b *bench) watched(t *testing.T, before func()) chain.Wallet {
	t.Helper()
	through := func(target string) string {
		to, err := url.Parse(target)
		require.NoError(t, err)
		forward := httputil.NewSingleHostReverseProxy(to)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			before()
			forward.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	c, daemon := b.config, through("http://"+b.stack.Addr("monerod"))
	if c.Monero != nil {
		own := *c.Monero
		own.SpendURL = through(own.SpendURL)
		c.Monero = &own
	} else {
		own := *c.Daemon
		own.URL = through(own.URL)
		c.Daemon = &own
	}
	w, err := openWallet(c, sharedOptions{Daemon: monero.Endpoint{URL: daemon}, Calls: unhurried(), Store: b.store})
	require.NoError(t, err)
	return w
}

// between runs ask once for each call that it makes to the chain, and mines a block
// before that call. prepare runs before each time.
func (b *bench) between(t *testing.T, prepare func(), ask func(chain.Wallet) error) {
	t.Helper()
	for n := int32(1); ; n++ {
		prepare()
		w, reached, release := b.interrupted(t, n)
		answer := make(chan error, 1)
		go func() { answer <- ask(w) }()
		select {
		case <-reached:
			func() {
				defer close(release) // otherwise a failure here waits for the held call
				b.mine(t, 1)
			}()
			require.NoError(t, <-answer, "a block before question %d", n)
		case err := <-answer:
			require.NoError(t, err)
			require.Greater(t, n, int32(1), "no question was held")
			return
		}
	}
}
