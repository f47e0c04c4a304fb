package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// bench is one run.
type bench struct {
	sizes sizes
	rows  map[string]bool
	table table
	world *world
	// crowd is the merchant of the other open charges.
	crowd *shop
	// opened is how many charges the crowd has.
	opened int64
	// calm are the results with no other open charges.
	calm struct {
		payments waits
		rest     float64
	}
}

// step is one measurement. Those of a name are chosen together.
type step struct {
	name string
	do   func(*bench, context.Context) error
}

// steps are in the order in which they are made: first those that want few
// open charges.
func steps() []step {
	return []step{
		{"payments", (*bench).calmPayments},
		{"rest", (*bench).calmRest},
		{"charges", (*bench).chargeRates},
		{"crowd", (*bench).gather},
		{"payments", (*bench).crowdedPayments},
		{"rest", (*bench).crowdedRest},
		{"memory", (*bench).memory},
		{"sweep", (*bench).sweep},
		{"webhooks", (*bench).webhooks},
		{"public", (*bench).publicReads},
		{"limiter", (*bench).limiter},
		{"quotes", (*bench).quotes},
		{"login", (*bench).logins},
		{"report", (*bench).reports},
		{"prune", (*bench).pruning},
		{"lists", (*bench).lists},
	}
}

const crowdStep = "crowd"

// names are those that can be chosen.
func names() []string {
	var list []string
	for _, s := range steps() {
		if s.name != crowdStep && !slices.Contains(list, s.name) {
			list = append(list, s.name)
		}
	}
	return list
}

// crowded says whether a chosen row wants many open charges.
func (b *bench) crowded() bool { return b.rows["payments"] || b.rows["rest"] || b.rows["memory"] }

// run makes the chosen measurements. One that fails does not keep the others
// from being made.
func (b *bench) run(ctx context.Context, dir string) error {
	keep := dir != ""
	if !keep {
		var err error
		if dir, err = os.MkdirTemp("", "durapay-bench-"); err != nil {
			return err
		}
	}
	w, err := enter(ctx, dir, b.addresses())
	if w.stack != nil {
		defer func() {
			if err := w.stop(keep); err != nil {
				progressf("stopping the stack: %v", err)
			}
		}()
	}
	if err != nil {
		return err
	}
	b.world = w
	if b.crowd, err = w.openShop(ctx, nil); err != nil {
		return err
	}
	var failures []error
	for _, s := range steps() {
		if !b.rows[s.name] && (s.name != crowdStep || !b.crowded()) {
			continue
		}
		begun := time.Now()
		if err := s.do(b, ctx); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", s.name, err))
			progressf("%s failed: %v", s.name, err)
		}
		progressf("%s took %s", s.name, time.Since(begun).Round(time.Second))
	}
	return errors.Join(failures...)
}

// spare are addresses beyond those of the crowd.
const spare = 400

// addresses is how many the chosen rows need.
func (b *bench) addresses() int {
	n := spare
	if b.rows["payments"] {
		n += 2 * b.sizes.payments * b.sizes.perPayment
	}
	if b.rows["charges"] {
		n += b.rateAddresses()
	}
	if b.crowded() {
		n += b.sizes.open
	}
	if b.rows["webhooks"] {
		n += b.webhookAddresses()
	}
	if b.rows["limiter"] {
		n += publicCharges
	}
	if b.rows["prune"] {
		n += b.sizes.creations + int(pruneTime.Seconds())
	}
	return n
}

// gather opens charges until there are as many as the crowded rows want.
func (b *bench) gather(ctx context.Context) error {
	missing := int64(b.sizes.open) - b.opened
	if missing <= 0 {
		return nil
	}
	progressf("opening %s charges", thousands(int(missing)))
	begun := time.Now()
	err := repeat(ctx, gatherClients, missing, b.crowd.post)
	b.opened += missing
	progressf("%s charges were opened in %s", thousands(int(missing)), time.Since(begun).Round(time.Second))
	return err
}

const gatherClients = 16
