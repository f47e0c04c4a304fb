package main

import (
	"context"
	"strconv"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
)

const (
	// addressBatch is how many addresses are asked for at a time; poolKept is how many
	// the worker keeps ready by itself.
	addressBatch = monero.MaxCreate
	poolKept     = "1"
)

// fillPool makes addresses ahead and has none made afterwards, so that the wallet does
// nothing else during a measurement. The worker would make the same ones at a tenth of the
// speed, because it leaves the wallet time for other calls. The worker then moves the
// lease beyond them, as it does when it died between the two.
func (w *testbed) fillPool(ctx context.Context, addresses int) {
	w.up(ctx)
	begun := time.Now()
	w.watched(ctx, liveScanned)
	w.makeAddresses(ctx, addresses+leaseAhead)
	for target := 0; ; {
		// Those may be handed out that the lease reaches.
		free := value[int](ctx, w, `SELECT count(*) FROM addresses a JOIN witnesses l ON l.wallet_id = a.wallet_id
			WHERE a.wallet_id = $1 AND a.subaddress_index > GREATEST(l.lease_from, l.handed_out) AND a.subaddress_index <= l.lease_to
				AND l.lease_instance = database_instance()`, liveWallet)
		if free >= addresses {
			break
		}
		// It wants more than the lease reaches: that moves the lease.
		if free >= target {
			target = free + 1
			w.env["ADDRESS_POOL_TARGET"] = strconv.Itoa(target)
			w.up(ctx)
		}
		fixture.Do(fixture.Pause(ctx, 200*time.Millisecond))
	}
	fixture.Reportf("%s addresses were made in %s", thousands(addresses), time.Since(begun).Round(time.Second))
	w.env["ADDRESS_POOL_TARGET"] = poolKept
	w.upAgain(ctx)
}

// leaseAhead is more than a lease reaches beyond the addresses that the worker made.
const leaseAhead = 64

// makeAddresses has the wallet make so many addresses, and writes them into the pool.
func (w *testbed) makeAddresses(ctx context.Context, addresses int) {
	wallet := monero.NewWallet(monero.Endpoint{URL: w.spendURL}, monero.Options{})
	reported := time.Now()
	for made := 0; made < addresses; made += addressBatch {
		indices, texts := make([]int32, addressBatch), make([]string, addressBatch)
		for n, a := range fixture.Must(wallet.CreateAddresses(ctx, addressBatch)) {
			indices[n], texts[n] = int32(a.Index), a.Address
		}
		fixture.Must(w.db.Exec(ctx, `INSERT INTO addresses (wallet_id, subaddress_index, address)
			SELECT $1, * FROM unnest($2::integer[], $3::text[])`, liveWallet, indices, texts))
		if time.Since(reported) > 15*time.Second {
			reported = time.Now()
			fixture.Reportf("%s of %s addresses are made", thousands(made), thousands(addresses))
		}
	}
	fixture.Do(wallet.Store(ctx))
}
