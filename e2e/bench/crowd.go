package main

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/workflows"
)

// openCrowd opens a stack with very many open charges. It takes the charges that an
// earlier run has kept, or opens as many new ones as there is time for. It then sets
// the size to their number.
func (b *bench) openCrowd(ctx context.Context, dir string, addresses int) {
	w, kept := b.testbed, keptCrowd(b.sizes.open)
	taken := !b.fresh && kept.take(ctx, dir)
	w.startMerchants(ctx, dir)
	if !taken {
		b.gather(ctx, kept)
	}
	w.fillPool(ctx, addresses)
	b.sizes.open = value[int](ctx, w, "SELECT count(*) FROM charges WHERE status = 'pending'")
	b.crowd = w.openShop(ctx, nil)
}

const (
	// afterCrowd is what the measurements among the open charges take.
	afterCrowd = 6 * time.Minute
	// openedPerSecond is about how many charges a quiet machine opens, their addresses
	// included; leastOpen are opened in any case.
	openedPerSecond = 40
	leastOpen       = 1000
)

// gather opens charges, waits until they have their workflows, and keeps the stack for
// later runs. It removes charges that have no workflow in time.
func (b *bench) gather(ctx context.Context, kept crowdCopy) {
	w, want := b.testbed, b.sizes.open
	if room := int((time.Until(b.end) - afterCrowd).Seconds() * openedPerSecond); !b.quick && room < want {
		want = max(room, leastOpen)
		fixture.Reportf("there is time to open about %s charges", thousands(want))
	}
	w.fillPool(ctx, want)
	s := w.openShop(ctx, nil)
	begun := time.Now()
	w.insertOpen(ctx, s.id(), want)
	end := b.end.Add(-afterCrowd)
	if b.quick {
		end = b.end
	}
	remaining := w.startUntil(ctx, end)
	w.givenOut(ctx, end)
	fixture.Reportf("%s charges were opened in %s", thousands(want-remaining), time.Since(begun).Round(time.Second))
	if want-remaining >= b.sizes.open {
		kept.keep(ctx, w)
	}
}

// insertOpen writes charges as the API does: the row with an address from the pool,
// its event, and the wakeup by which the workers start its workflow.
func (w *testbed) insertOpen(ctx context.Context, merchantID string, charges int) {
	fixture.Must(w.db.Exec(ctx, `
		WITH free AS (
			SELECT a.subaddress_index, a.address, 'ch_' || substr(md5($1::text || a.subaddress_index), 1, 24) AS id
			FROM addresses a JOIN witnesses l ON l.wallet_id = a.wallet_id
			WHERE a.wallet_id = $2 AND a.subaddress_index > GREATEST(l.lease_from, l.handed_out) AND a.subaddress_index <= l.lease_to
			ORDER BY a.subaddress_index LIMIT $3::int
		), handed AS (
			UPDATE witnesses SET handed_out = (SELECT max(subaddress_index) FROM free) WHERE wallet_id = $2
		), made AS (
			INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency,
				amount_piconero, confirm_from_piconero, confirmations_required, created_at, expires_at, created_height)
			SELECT id, $1, 'live', 'api', $2, subaddress_index, address, 0.01, 'XMR', 10000000000, 10000000000, 2,
				now(), now() + $4::int * interval '1 minute', (SELECT c.chain_height FROM chains c JOIN wallets w ON w.chain_id = c.id WHERE w.id = $2)
			FROM free RETURNING id, created_at
		), told AS (
			INSERT INTO events (merchant_id, mode, type, resource_id, payload, created_at)
			SELECT $1, 'live', 'charge.created', id, json_build_object('event', 'charge.created', 'created_at', created_at,
				'data', json_build_object('id', id, 'status', 'pending'))::text, created_at FROM made
		)
		INSERT INTO wakeups (kind, id, owner, urgency, version) SELECT 'charges', id, $1, 3, 0 FROM made`,
		merchantID, liveWallet, charges, chargeMinutes))
	for _, table := range []string{"addresses", "charges", "events", "wakeups"} {
		fixture.Must(w.db.Exec(ctx, "VACUUM ANALYZE "+table))
	}
}

// givenOut waits until Temporal has given out the first tasks of the started workflows, or
// until the end of the time. Later tasks wait behind these.
func (w *testbed) givenOut(ctx context.Context, end time.Time) {
	temporal := fixture.Must(dialTemporal(ctx, w.URLs["TEMPORAL_ADDRESS"]))
	defer temporal.Close()
	for reported := time.Now(); time.Now().Before(end); {
		waiting := firstTasks(ctx, temporal)
		if waiting == 0 {
			return
		}
		if time.Since(reported) > 15*time.Second {
			reported = time.Now()
			fixture.Reportf("about %s first tasks wait", thousands(waiting))
		}
		fixture.Do(fixture.Pause(ctx, time.Second))
	}
}

// firstTasks is about how many tasks of the merchants' workflows Temporal has to give out.
func firstTasks(ctx context.Context, temporal client.Client) (waiting int) {
	queue := fixture.Must(temporal.DescribeTaskQueueEnhanced(ctx, client.DescribeTaskQueueEnhancedOptions{
		TaskQueue: workflows.MerchantQueue, TaskQueueTypes: []client.TaskQueueType{client.TaskQueueTypeWorkflow}, ReportStats: true,
	}))
	for _, version := range queue.VersionsInfo { //nolint:staticcheck // the development server tells it here
		if stats := version.TypesInfo[client.TaskQueueTypeWorkflow].Stats; stats != nil {
			waiting += int(stats.ApproximateBacklogCount)
		}
	}
	return waiting
}

// startUntil waits until the workers have started all workflows, and returns how many
// charges without one it has removed at the end of the time.
func (w *testbed) startUntil(ctx context.Context, end time.Time) (remaining int) {
	for reported := time.Now(); ; {
		if remaining = value[int](ctx, w, "SELECT count(*) FROM wakeups WHERE version = 0"); remaining == 0 {
			return 0
		}
		if time.Since(reported) > 15*time.Second {
			reported = time.Now()
			fixture.Reportf("%s charges wait for their workflows", thousands(remaining))
		}
		if time.Now().After(end) {
			break
		}
		fixture.Do(fixture.Pause(ctx, 500*time.Millisecond))
	}
	// A worker that holds rows right now still starts their workflows, and these find no charge.
	tag := fixture.Must(w.db.Exec(ctx, `WITH given AS (DELETE FROM wakeups WHERE version = 0 RETURNING id) DELETE FROM charges WHERE id IN (SELECT id FROM given)`))
	return int(tag.RowsAffected())
}
