package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/internal/money"
)

// killInTheMiddle kills a part while one charge waits for money, another for
// confirmations, and a payout is half done; then it starts the part again.
// Nothing may be lost, and nothing may happen twice.
func killInTheMiddle(t *testing.T, w *fixture, part string) {
	s := openShop(t, w)
	s.payable(t, "0.1", "0.2")
	waiting, paid := s.charge(t, "0.3"), s.charge(t, "0.4")
	s.pay(t, paid)
	s.await(t, "charge.pending", paid.ID)
	customers := s.customersArrive()

	var sweep *sweeping
	if part == "wallet-spend" {
		sweep = s.killWhileBuilding(t, part)
	} else {
		sweep = s.killWhileRelaying(t, part)
	}
	if part != "monerod" {
		s.mine(t, 1) // the chain goes on meanwhile
	}
	s.restart(t, part)
	customers.requireAll(t, s)

	s.pay(t, waiting)
	s.mineUntil(t, "charge.confirmed", waiting.ID)
	s.await(t, "charge.confirmed", paid.ID)
	p := sweep.outcome(t)
	require.Equal(t, 2, p.ChargesPaid)
	s.requireOnePayout(t)
}

// killWhileRelaying kills a part at the moment when the worker hands the
// transaction of a payout to the daemon.
func (s *shop) killWhileRelaying(t *testing.T, part string) *sweeping {
	t.Helper()
	held := s.fixture.daemon.holdBefore(relayPath)
	sweep := s.sweepUntil(t, held.reached)
	require.NoError(t, s.fixture.stack.Kill(part))
	close(held.release)
	return sweep
}

// killWhileBuilding kills a part while the spending wallet works.
func (s *shop) killWhileBuilding(t *testing.T, part string) *sweeping {
	t.Helper()
	require.NoError(t, s.fixture.stack.Pause("wallet-spend"))
	sweep := s.sweep(t)
	eventually(t, "the payout is being built", func(ctx context.Context) error {
		list, err := s.Payouts(ctx)
		if err != nil || len(list) > 0 && list[0].Status == "building" {
			return err
		}
		select {
		case refused := <-sweep.done: // given up before there was a payout
			require.Error(t, refused, "the wallet is paused")
			sweep = s.sweep(t)
		default:
		}
		return errors.New("not yet")
	})
	require.NoError(t, s.fixture.stack.Kill(part))
	return sweep
}

// restart starts a killed part and waits until the whole service works.
func (s *shop) restart(t *testing.T, part string) {
	t.Helper()
	require.NoError(t, s.fixture.stack.StartPart(within(t), part))
	require.NoError(t, s.fixture.stack.WaitReady(within(t), "worker"))
	require.NoError(t, s.fixture.stack.WaitReady(within(t), "merchant-api"))
}

// arriving makes charges beside the test.
type arriving struct {
	stop context.CancelFunc
	// made are the charges that the service said it made.
	made chan []merchant.Charge
}

// mostCustomers bounds how many charges are made during one kill.
const mostCustomers = 30

// customersArrive makes charges until requireAll, whether that works or not.
func (s *shop) customersArrive() *arriving {
	ctx, stop := context.WithCancel(context.Background())
	a := &arriving{stop: stop, made: make(chan []merchant.Charge, 1)}
	go func() {
		var made []merchant.Charge
		for ctx.Err() == nil && len(made) < mostCustomers {
			c, err := s.CreateCharge(ctx, merchant.NewCharge{Amount: money.MustDecimal("0.01"), Currency: "XMR"})
			if err == nil {
				made = append(made, c)
			}
		}
		a.made <- made
	}()
	return a
}

// requireAll says that no charge that was promised is lost, and that each has
// an address of its own. Its events are looked at with the books.
func (a *arriving) requireAll(t *testing.T, s *shop) {
	t.Helper()
	a.stop()
	addresses := map[string]bool{}
	made := <-a.made
	for _, promised := range made {
		c, err := s.Charge(within(t), promised.ID)
		require.NoError(t, err)
		require.Equal(t, promised.Subaddress, c.Subaddress)
		require.False(t, addresses[c.Subaddress], "an address was given out twice")
		addresses[c.Subaddress] = true
	}
	t.Logf("%d charges were made meanwhile", len(made))
}

// sweeping is a sweep that runs beside the test.
type sweeping struct {
	shop *shop
	done chan error
}

func (s *shop) sweep(t *testing.T) *sweeping {
	t.Helper()
	run := &sweeping{shop: s, done: make(chan error, 1)}
	ctx := within(t)
	go func() {
		_, err := s.Sweep(ctx)
		run.done <- err
	}()
	return run
}

// sweepUntil sweeps until something that a test waits for is reached. A sweep
// that is refused, as when no provider had an offer in time, is asked for
// again; one that takes longer than the service answers within goes on.
func (s *shop) sweepUntil(t *testing.T, reached <-chan struct{}) *sweeping {
	t.Helper()
	for deadline := within(t); ; {
		run := s.sweep(t)
		select {
		case <-reached:
			return run
		case err := <-run.done:
			run.done <- err // for outcome
			if err == nil || later(err) {
				wait(t, reached)
				return run
			}
			t.Logf("the sweep is refused: %v", err)
			require.NoError(t, deadline.Err())
			time.Sleep(time.Second) // a merchant's pause: nothing says when a sweep is not refused any more
		}
	}
}

// outcome waits until the sweep's payout is sent. Whoever asked for it may
// have got an error, because his call was cut off: then he tries again, as
// the contract says, when there is no payout to be seen.
func (r *sweeping) outcome(t *testing.T) merchant.Payout {
	t.Helper()
	if err := <-r.done; err != nil {
		t.Logf("the sweep's caller got: %v", err)
	}
	var sent merchant.Payout
	eventually(t, "the payout is sent", func(ctx context.Context) error {
		list, err := r.shop.Payouts(ctx)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			_, err = r.shop.Sweep(ctx)
			return errors.Join(errors.New("asked again"), err)
		}
		if list[0].Status != "broadcast" && list[0].Status != "confirmed" {
			return fmt.Errorf("%s", list[0].Status)
		}
		sent = list[0]
		return nil
	})
	return sent
}

func (s *shop) requireOnePayout(t *testing.T) {
	t.Helper()
	list, err := s.Payouts(within(t))
	require.NoError(t, err)
	require.Len(t, list, 1)
}

func wait(t *testing.T, what <-chan struct{}) {
	t.Helper()
	select {
	case <-what:
	case <-within(t).Done():
		t.Fatal("it did not come to this")
	}
}
