package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// Accounts whose receivers hang behind Tor, and the charges of each, which are
	// those that the rate limit lets a key make in a minute. Together their events
	// are more than a worker attempts at once through Tor.
	hangingShops    = 3
	hangingHooks    = 10
	hangingBurst    = 30
	hangingReceiver = "http://hanging.example/"
	// mostHanging is more than an attempt may hang.
	mostHanging = time.Minute
	// burstTime is more than the burst with which they begin may take.
	burstTime = 30 * time.Second
)

func (b *bench) strangerAddresses() int {
	return int(3*b.webhookTurn().Seconds())*mostCharges + hangingShops*hangingBurst
}

// strangers measures that nobody notices accounts whose receivers hang behind
// Tor for 30 seconds, on every attempt that they can get. What it compares with
// is taken before they begin and once they have ended, since the machine may
// not be the same meanwhile.
func (b *bench) strangers(ctx context.Context) error {
	good, err := b.fixture.openShop(ctx, []string{"charge.created"}, goodPaths()...)
	if err != nil {
		return err
	}
	alone, err := good.deliveries(ctx, b.webhookTurn())
	if err != nil {
		return err
	}
	var shops [hangingShops]hangingShop
	group, groupCtx := errgroup.WithContext(ctx)
	for i := range shops {
		group.Go(func() (err error) {
			shops[i], err = b.fixture.hangBehindTor(groupCtx)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := good.outlastBurst(ctx, 2*percentile(alone, 99)); err != nil {
		return err
	}
	before := b.fixture.proxy.hanging.Load()
	beside, err := good.deliveries(ctx, b.webhookTurn())
	if err != nil {
		return err
	}
	hanging := min(before, b.fixture.proxy.hanging.Load())
	for _, s := range shops {
		if err := s.giveUp(ctx); err != nil {
			return err
		}
	}
	if err := b.fixture.untilNothingHangs(ctx); err != nil {
		return err
	}
	after, err := good.deliveries(ctx, b.webhookTurn())
	if err != nil {
		return err
	}
	alone = append(alone, after...)
	ratio := quotient(percentile(beside, 99), percentile(alone, 99))
	b.table.add(row{
		measure: fmt.Sprintf("delivery while three accounts hang behind Tor, %d attempts at a time", hanging), value: spread(beside),
		reference: "they do not: " + spread(alone), ratio: ratioText(ratio) + " (p99)", bar: "p99 ± 10 %",
		met: ratio <= 1+hangBar && hanging > 0,
	})
	return nil
}

// outlastBurst returns once the shop's events arrive in usual time again: what a
// burst costs others is what any busy account costs them, see neighbour. It returns
// after burstTime in any case, so that what goes on to hold others up is measured.
func (s *shop) outlastBurst(ctx context.Context, usual time.Duration) error {
	for begun := time.Now(); time.Since(begun) < burstTime; {
		took, err := s.deliveries(ctx, 0)
		if err != nil {
			return err
		}
		if percentile(took, 100) <= usual {
			progressf("the burst took %s", time.Since(begun).Round(time.Second))
			return nil
		}
	}
	return nil
}

// hangingShop is a shop with the webhooks whose receivers hang.
type hangingShop struct {
	*shop

	hooks [hangingHooks]string
}

// hangBehindTor opens a shop whose receivers hang, and has it send them more
// than they take.
func (w *fixture) hangBehindTor(ctx context.Context) (s hangingShop, err error) {
	if s.shop, err = w.openShop(ctx, nil); err != nil {
		return s, err
	}
	for i := range s.hooks {
		hook, err := s.CreateTorWebhook(ctx, hangingReceiver+strconv.Itoa(i), "charge.created")
		if err != nil {
			return s, err
		}
		s.hooks[i] = hook.ID
	}
	// What is refused to it is its own loss.
	for range hangingBurst {
		if _, err := s.charge(ctx); err != nil {
			progressf("an account whose receivers hang: %v", err)
		}
	}
	return s, ctx.Err()
}

// giveUp removes the shop's webhooks, and with them all that waits for another
// attempt.
func (s hangingShop) giveUp(ctx context.Context) error {
	for _, id := range s.hooks {
		if err := s.DeleteWebhook(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// untilNothingHangs returns when no attempt is at the proxy.
func (w *fixture) untilNothingHangs(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, mostHanging)
	defer cancel()
	for w.proxy.hanging.Load() > 0 {
		if err := pause(ctx, time.Second); err != nil {
			return fmt.Errorf("%d attempts go on: %w", w.proxy.hanging.Load(), err)
		}
	}
	return nil
}
