package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/partner"
	"github.com/durapay/durapay/e2e/receiver"
	"github.com/durapay/durapay/e2e/regtest"
)

// fixture is a running stack with both services, and the people around it.
type fixture struct {
	stack     *stack.Stack
	urls      map[string]string
	chain     *regtest.Chain
	coins     *regtest.Litecoin
	customer  *regtest.Customer
	xmr       *payerXMR
	ltc       *payerLTC
	shops     []*shop
	trader    *trader
	hooks     *receiver.Receiver
	safeHooks *receiver.Receiver
}

// startup bounds the start of the stack.
const startup = 15 * time.Minute

// shopCount is how many merchants sweep.
const shopCount = 3

func openFixture(ctx context.Context, o options) (*fixture, error) {
	dir := o.dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "durapay-chaos-"); err != nil {
			return nil, err
		}
	}
	env := map[string]string{
		"DEV_BLOCK_SECONDS": "0", "CONFIRMATIONS_REQUIRED": "2", "RATE_LIMITS": "off", "CHARGE_TIMEOUT_MINUTES": "600",
		"DEPOSIT_WINDOW_SECONDS": "36000", "ADDRESS_POOL_TARGET": "120", "LOG_LEVEL": "WARN",
	}
	parts := append([]string{"merchant-api", "swap-api", "wallet-customer"}, stack.SandboxWallets()...)
	s, err := stack.Open(stack.Options{Dir: dir, Env: env, Parts: parts, Private: true})
	if err != nil {
		return nil, err
	}
	w := &fixture{stack: s}
	tellf("starting the stack in %s", dir)
	ctx, cancel := context.WithTimeout(ctx, startup)
	defer cancel()
	if err := s.Up(ctx); err != nil {
		return w, err
	}
	w.urls = s.Env()
	return w, w.meet(ctx, o.seed)
}

// meet makes the people.
func (w *fixture) meet(ctx context.Context, seed uint64) error {
	w.customer = regtest.NewCustomer(w.urls["CUSTOMER_WALLET_RPC_URL"])
	reward, err := w.customer.Address(ctx)
	if err != nil {
		return err
	}
	w.chain = regtest.NewChain(w.urls["MONEROD_RPC_URL"], reward)
	w.xmr = newPayerXMR(w.urls["CUSTOMER_WALLET_RPC_URL"], w.chain)
	if w.coins, err = regtest.NewLitecoin(ctx, w.urls["LITECOIN_RPC_URL"]); err != nil {
		return err
	}
	if w.ltc, err = newPayerLTC(w.urls["LITECOIN_RPC_URL"]); err != nil {
		return err
	}
	if w.hooks, err = receiver.Start(); err != nil {
		return err
	}
	if w.safeHooks, err = receiver.StartTLS(w.urls["RECEIVER_CERT_FILE"], w.urls["RECEIVER_KEY_FILE"]); err != nil {
		return err
	}
	for i := range shopCount {
		s, err := w.openShop(ctx, i, newDice(seed, fmt.Sprint("shop ", i)))
		if err != nil {
			return err
		}
		w.shops = append(w.shops, s)
	}
	printed, err := w.stack.Durapay(ctx, "admin", "swap-key", "create", "--class", "partner")
	if err != nil {
		return err
	}
	client := partner.Client{URL: w.urls["SWAP_URL"]}
	w.trader = &trader{fixture: w, client: client, dice: newDice(seed, "trader")}
	return json.Unmarshal(printed, &w.trader.client.Key)
}

// database is a connection of its own: those of before a kill are dead.
func (w *fixture) database(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, w.urls["DATABASE_URL"])
}

func (w *fixture) leave(keep bool) error {
	if w.coins != nil {
		w.coins.Close()
	}
	err := w.stack.Stop()
	if keep {
		tellf("logs are kept in %s", w.stack.Dir())
		return err
	}
	return errors.Join(err, os.RemoveAll(w.stack.Dir())) //nolint:gosec // the one that was made for it
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
