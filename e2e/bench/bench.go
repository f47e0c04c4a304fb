package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

type bench struct {
	options

	sizes sizes
	// end is until when the run may take; skipped are the rows that did not fit.
	end     time.Time
	skipped []string
	table   table
	// testbed is the stack of the stage; exchange is that of the exchange.
	testbed  *testbed
	exchange *exchange
	// crowd is the merchant of the other open charges, on the stage's stack.
	crowd *shop
	// books are the merchants of the row lists.
	books books
	// calm are the results with nothing else open.
	calm struct {
		payments         waits
		rest, restBefore resting
	}
}

// stage makes the chosen steps of a stage that fit into the time, on a stack that is
// started for them.
func (b *bench) stage(ctx context.Context, s stage) error {
	chosen := slices.DeleteFunc(s.steps, func(one step) bool { return !b.wants(one) })
	if len(chosen) == 0 {
		return nil
	}
	if !b.fits(startingStack + chosen[0].takes) {
		b.skip(chosen...)
		return nil
	}
	home, err := homeOf(b.dir, s.name)
	if err != nil {
		return err
	}
	begun := time.Now()
	b.testbed = &testbed{env: settings()}
	defer b.testbed.stop(b.dir != "")
	if err := fixture.Try(func() { s.open(b, ctx, home, b.addressesOf(chosen)) }); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	fixture.Reportf("the stack of %s took %s", s.name, time.Since(begun).Round(time.Second))
	var failures []error
	for _, one := range chosen {
		failures = append(failures, b.do(ctx, one))
	}
	return errors.Join(failures...)
}

// wants reports whether a step is made: it is chosen itself, or a chosen step needs it.
func (b *bench) wants(s step) bool {
	return b.rows[s.name] || slices.ContainsFunc(s.neededBy, func(name string) bool { return b.rows[name] })
}

// fits reports whether something that takes this long still fits into the run. Quick
// sizes always do.
func (b *bench) fits(takes time.Duration) bool {
	return time.Now().Before(b.end) && (b.quick || time.Now().Add(takes).Before(b.end))
}

func (b *bench) skip(steps ...step) {
	for _, s := range steps {
		b.skipped = append(b.skipped, s.name)
		fixture.Reportf("%s is left out: it takes about %s, and %s are left", s.name, s.takes, time.Until(b.end).Round(time.Second))
	}
}

// do makes one step. A timeout ends a step that hangs, so the other steps keep their time.
func (b *bench) do(ctx context.Context, s step) error {
	if !b.fits(s.takes) {
		b.skip(s)
		return nil
	}
	fixture.Reportf("%s begins, about %s", s.name, s.takes)
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, timeoutFactor*s.takes+minTimeout)
	defer cancel()
	err := fixture.Try(func() { s.do(b, ctx) })
	if err != nil {
		err = fmt.Errorf("%s: %w", s.name, err)
		fixture.Reportf("FAILED: %v", err)
	}
	fixture.Reportf("%s took %s", s.name, time.Since(begun).Round(time.Second))
	return err
}

// A step may take timeoutFactor times what it takes on a quiet machine, and at least
// minTimeout. A stack needs startingStack to begin.
const (
	timeoutFactor = 3
	minTimeout    = 4 * time.Minute
	startingStack = 90 * time.Second
)

// homeOf is the directory of a stack: a part of the one that is kept, or a
// temporary one.
func homeOf(dir, name string) (home string, err error) {
	if dir == "" {
		home, err = os.MkdirTemp("", "durapay-bench-")
	} else {
		home = filepath.Join(dir, name)
		err = os.MkdirAll(home, 0o755) //nolint:gosec // the database has another user
	}
	if err != nil {
		return "", err
	}
	return home, os.Chmod(home, 0o755) //nolint:gosec // the database has another user
}

// spare are addresses beyond those that steps say they need.
const spare = 400

func (b *bench) addressesOf(steps []step) int {
	n := spare
	for _, s := range steps {
		if s.addresses != nil {
			n += s.addresses(b.sizes)
		}
	}
	return n
}

func (b *bench) openMerchants(ctx context.Context, dir string, addresses int) {
	b.testbed.startMerchants(ctx, dir)
	b.testbed.fillPool(ctx, addresses)
	b.crowd = b.testbed.openShop(ctx, nil)
}

func (b *bench) openExchange(ctx context.Context, dir string, addresses int) {
	b.exchange = &exchange{testbed: b.testbed, payees: map[string]fixture.Payee{}}
	// For Monero these are all addresses that the watchers make.
	b.exchange.open(ctx, dir, spareWatched+b.sizes.deposits*perDeposit+perDeposit, addresses)
}

// spareWatched are addresses beyond those of the deposits.
const spareWatched = 20
