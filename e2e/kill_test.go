package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
)

// killWhileBuilding kills the worker while the spending wallet works.
func (s *shop) killWhileBuilding(t *testing.T) *sweeping {
	t.Helper()
	require.NoError(t, s.testbed.Stack.Pause("wallet-spend"))
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
	require.NoError(t, s.testbed.Stack.Kill("worker"))
	return sweep
}

// restart starts a killed part and waits until the whole service works.
func (s *shop) restart(t *testing.T, part string) {
	t.Helper()
	require.NoError(t, s.testbed.Stack.StartPart(within(t), part))
	require.NoError(t, s.testbed.Stack.WaitReady(within(t), "worker"))
	require.NoError(t, s.testbed.Stack.WaitReady(within(t), "merchant-api"))
}

// sweeping is a sweep that runs at the same time as the test.
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
// that is answered before, as when no provider had an offer in time or when it takes
// longer than the service answers within, is asked for again.
func (s *shop) sweepUntil(t *testing.T, reached <-chan struct{}) *sweeping {
	t.Helper()
	var run *sweeping
	eventually(t, "a sweep is taken", func(context.Context) error {
		run = s.sweep(t)
		select {
		case <-reached:
			return nil
		case err := <-run.done:
			run.done <- err // for outcome
			return errors.Join(errors.New("the sweep is answered"), err)
		}
	})
	return run
}

// outcome waits until the sweep's payout is sent. The caller may have got an error,
// because its call was cut off. Then outcome sweeps again, as the contract says, if
// there is no payout in the list.
func (r *sweeping) outcome(t *testing.T) clients.Payout {
	t.Helper()
	if err := <-r.done; err != nil {
		t.Logf("the sweep's caller got: %v", err)
	}
	var sent clients.Payout
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
