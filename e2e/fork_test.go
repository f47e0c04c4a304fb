package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
)

// forked is a stack with both services whose chains have a second daemon each.
type forked struct {
	*pairSetup

	merchants *testbed
	fork      *fixture.Fork
	coinsFork *fixture.LitecoinFork
}

// forkConfirmations is how deep the payments of merchants must lie here.
const forkConfirmations = 10

// forkedStacks are such stacks. A test that fails may leave the chains of its stack parted.
var forkedStacks = newKind(1, openForked)

func openForked() (*forked, error) {
	env := settings(map[string]string{"CONFIRMATIONS_REQUIRED": fmt.Sprint(forkConfirmations)})
	w, err := openWith(env, append(stack.ForkParts(), "merchant-api", "swap-api", "wallet-customer"), nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxWait)
	defer cancel()
	urls := w.Stack.Env()
	exchange := *w
	exchange.url = urls["SWAP_URL"]
	f := &forked{merchants: w, pairSetup: &pairSetup{bourse: &bourse{testbed: &exchange, litecoin: urls["LITECOIN_RPC_URL"]}}}
	if f.coinsFork, err = fixture.NewLitecoinFork(ctx, f.litecoin, w.Stack.LitecoinForkURL(), w.Stack.Addr("litecoind-fork-p2p")); err != nil {
		return nil, err
	}
	reward, err := w.Customer.Address(ctx)
	if err != nil {
		return nil, err
	}
	f.fork = fixture.NewFork(w.Chain, fixture.NewChain("http://"+w.Stack.Addr("monerod-fork"), reward))
	if err := f.copyOf("live").Learn(ctx, forkAddresses); err != nil {
		return nil, err
	}
	return f, f.fork.Join(ctx)
}

// forkAddresses are more than are handed out here, and given up where a wallet is
// recovered.
const forkAddresses = 400

// TestDoubleSpendsIn20BlocksOfMonero takes 20 blocks back, in which there are payments of charges
// at several depths and a deposit.
func TestDoubleSpendsIn20BlocksOfMonero(t *testing.T) {
	t.Parallel()
	f := forkedStacks.take(t)
	charges, deposit := f.openForkedCharges(t), f.openDeepDeposit(t)
	require.NoError(t, f.fork.Part(within(t)))
	charges.sign(t)
	f.pay(t, deposit.d)
	charges.pay(t)
	deposit.answer(t)
	charges.takeBack(t)
	to, err := f.Customer.Address(within(t))
	require.NoError(t, err)
	_, err = f.copyOf("customer").TakeBack(within(t), deposit.d.deposit, to)
	require.NoError(t, err)
	require.NoError(t, f.fork.Outgrow(within(t), 0))
	charges.move(t)
	require.NoError(t, f.fork.Join(within(t)))
	charges.check(t)
	deposit.check(t)
}

// copyOf returns the wallet of a name that is connected to the second daemon.
func (f *forked) copyOf(name string) *fixture.Copy {
	return f.fork.Copy("http://" + f.merchants.Stack.Addr("wallet-fork-"+name))
}

// requireKept requires that the daemon still knows a transaction that can be in no
// block any more.
func (f *forked) requireKept(t *testing.T, txHash string) {
	t.Helper()
	found, err := f.merchants.Chain.Where(within(t), txHash)
	require.NoError(t, err)
	require.Equal(t, monero.InPool, found.State, "the pool is not emptied")
}

// awaitNotice waits until operators are shown a notice of a kind about a
// subject.
func (w *testbed) awaitNotice(t *testing.T, kind, subject string) {
	t.Helper()
	w.awaitShown(t, kind, subject, true)
}

// awaitNoNotice waits until they are shown none any more.
func (w *testbed) awaitNoNotice(t *testing.T, kind, subject string) {
	t.Helper()
	w.awaitShown(t, kind, subject, false)
}

func (w *testbed) awaitShown(t *testing.T, kind, subject string, open bool) {
	t.Helper()
	eventually(t, fmt.Sprintf("operators are told %s of %s: %t", kind, subject, open), func(ctx context.Context) error {
		printed, err := w.Stack.Durapay(ctx, "admin", "--json", "alerts", "list")
		if err != nil {
			return err
		}
		var shown struct {
			Alerts []struct {
				Kind    string `json:"kind"`
				Subject string `json:"subject"`
			} `json:"alerts"`
		}
		if err := json.Unmarshal(printed, &shown); err != nil {
			return err
		}
		for _, a := range shown.Alerts {
			if a.Kind == kind && a.Subject == subject {
				if open {
					return nil
				}
				return errors.New("the alert is still open")
			}
		}
		if open {
			return fmt.Errorf("they are shown %s", printed)
		}
		return nil
	})
}
