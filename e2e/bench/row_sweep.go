package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
)

// sweepBar is what a sweep may take of the wallet's own time for the build.
const sweepBar = 1.15

// sweepableBlocks are more than lock an output, rewardBlocks those that lock a
// reward; deepDown is the wait for money that is unlocked.
const (
	sweepableBlocks = 11
	rewardBlocks    = 60
	deepDown        = 2 * time.Minute
)

// sweepRounds are so many that one moment in which the machine is busy with
// something else does not decide.
const sweepRounds = 3

// sweep compares whole sweeps with the build alone, of the same outputs by the
// same wallet directly before: the middle one of some rounds.
func (b *bench) sweep(ctx context.Context) {
	s := b.testbed.openShop(ctx, nil)
	fixture.Do(s.PayOutTo(ctx, b.testbed.Customer))
	rounds := make([]sweepRound, sweepRounds)
	for i := range rounds {
		rounds[i] = b.sweepOnce(ctx, s, s.Wallet.Address)
	}
	slices.SortFunc(rounds, func(a, b sweepRound) int { return cmp.Compare(a.ratio(), b.ratio()) })
	middle := rounds[len(rounds)/2]
	b.table.add(row{
		measure: fmt.Sprintf("sweep of %d outputs, the middle of %d", middle.outputs, len(rounds)),
		value:   short(middle.took), reference: "build alone " + short(middle.build),
		ratio: fmt.Sprintf("%s (%s to %s)", ratioText(middle.ratio()), ratioText(rounds[0].ratio()), ratioText(rounds[len(rounds)-1].ratio())),
		bar:   fmt.Sprintf("ratio ≤ %.2f", sweepBar), met: middle.ratio() <= sweepBar,
	})
}

// sweepRound is one sweep and the build of the same outputs before it.
type sweepRound struct {
	outputs     int
	build, took time.Duration
}

func (r sweepRound) ratio() float64 { return quotient(r.took, r.build) }

func (b *bench) sweepOnce(ctx context.Context, s *shop, to string) sweepRound {
	charges := s.charges(ctx, b.sizes.sweep)
	s.earn(ctx, charges)
	build := b.buildAlone(ctx, to, charges)
	begun := time.Now()
	paid := fixture.Must(s.Sweep(ctx))
	return sweepRound{paid.ChargesPaid, build, time.Since(begun)}
}

// earn pays the charges, one output each, and waits until all are unlocked. The
// payments of other rows have gathered the customer's money in few outputs; the
// rewards of their blocks are as many again.
func (s *shop) earn(ctx context.Context, charges []clients.Charge) {
	fixture.Do(s.testbed.Chain.Mine(ctx, rewardBlocks))
	var sent []string
	for from := 0; from < len(charges); from += fixture.MaxOutputs {
		some := charges[from:min(from+fixture.MaxOutputs, len(charges))]
		sent = append(sent, fixture.Must(s.testbed.Customer.Pay(ctx, fixture.Outputs(some...)...)).Hash)
	}
	fixture.Do(s.testbed.Chain.MineAll(ctx, sent...))
	fixture.Do(s.testbed.Chain.Mine(ctx, sweepableBlocks))
	ctx, cancel := context.WithTimeout(ctx, deepDown)
	defer cancel()
	fixture.Must(s.Unlocked(ctx, len(charges)))
}

// buildAlone is the wallet's time for the transaction, the second of two: the
// first also reads what the next ones find in memory.
func (b *bench) buildAlone(ctx context.Context, to string, charges []clients.Charge) time.Duration {
	wallet := monero.NewWallet(monero.Endpoint{URL: "http://" + b.testbed.Stack.Addr("wallet-spend")}, monero.Options{})
	fixture.Must(wallet.Refresh(ctx))
	indices := make([]uint32, len(charges))
	for i, c := range charges {
		indices[i] = uint32(c.SubaddressIndex)
	}
	return times(ctx, 2, func(ctx context.Context, _ int64) error {
		built, err := wallet.SweepAll(ctx, to, indices)
		if err == nil && len(built[0].KeyImages) != len(charges) {
			err = errors.New("the wallet left outputs out")
		}
		return err
	})[1]
}
