package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/internal/money"
)

// TestACreationIsKilled kills the process that makes a charge between any two of its
// steps. The process runs in addition to the stack's; its connections to PostgreSQL and
// Temporal lead through the test. It is not restarted: the worker finishes its work.
func TestACreationIsKilled(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	for name, test := range map[string]func(*testing.T, *doomed){
		"before the commit":      killedBeforeTheCommit,
		"before the answer":      killedBeforeTheAnswer,
		"before the start":       killedBeforeTheStart,
		"before the wakeup goes": killedBeforeTheWakeupGoes,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, openDoomed(t, w))
		})
	}
}

// doomed is a shop whose charges are made by a process that is killed.
type doomed struct {
	*shop
	// api is that process, client asks it, and database and temporal are its ways.
	api      *another
	client   *clients.Merchant
	database *wire
	temporal *line
	// order is the order that is sold.
	order string
	// looks is a connection of the test.
	looks *pgx.Conn
}

func openDoomed(t *testing.T, w *testbed) *doomed {
	t.Helper()
	d := &doomed{shop: openShop(t, w), order: "order-" + rand.Text(), looks: w.database(t)}
	env := w.Stack.Env()
	database, err := url.Parse(env["DATABASE_URL"])
	require.NoError(t, err)
	d.database, d.temporal = startWire(t, database.Host), startLine(t, env["TEMPORAL_ADDRESS"])
	database.Host = d.database.addr
	d.api = w.another(t, "merchant-api", map[string]string{"DATABASE_URL": database.String(), "TEMPORAL_ADDRESS": d.temporal.addr})
	other := *d.Merchant
	other.BaseURL = d.api.url
	d.client = &other
	return d
}

// kill ends the process as a power failure does.
func (d *doomed) kill(t *testing.T) {
	t.Helper()
	d.api.end(t, syscall.SIGKILL)
}

// sell asks for the order's charge.
func (d *doomed) sell(ctx context.Context, client *clients.Merchant) (clients.Charge, error) {
	metadata, err := json.Marshal(map[string]string{"order_id": d.order})
	if err != nil {
		return clients.Charge{}, err
	}
	return client.CreateCharge(ctx, clients.NewCharge{Amount: money.MustDecimal("0.1"), Currency: "XMR", Metadata: metadata})
}

// sellUntil requests a charge from the process, and kills it when a message is held.
// The request gets no answer.
func (d *doomed) sellUntil(t *testing.T, held *wireTrap, meanwhile func()) {
	t.Helper()
	ctx, done := within(t), make(chan error, 1)
	go func() {
		_, err := d.sell(ctx, d.client)
		done <- err
	}()
	wait(t, held.reached)
	meanwhile()
	d.kill(t)
	err := <-done
	require.Error(t, err)
	require.Zero(t, clients.Status(err), "%v", err)
}

// written is how much the shop has in the database.
type written struct{ Charges, Events, Deliveries int }

func (d *doomed) written(t *testing.T) (n written) {
	t.Helper()
	err := d.looks.QueryRow(within(t), `SELECT (SELECT count(*) FROM charges WHERE merchant_id = $1),
		(SELECT count(*) FROM events WHERE merchant_id = $1), (SELECT count(*) FROM deliveries WHERE merchant_id = $1)`,
		d.Account.Merchant.MerchantID).Scan(&n.Charges, &n.Events, &n.Deliveries)
	require.NoError(t, err)
	return n
}

// waitingCharges returns how many of the shop's charges wait for their workflow.
func (s *shop) waitingCharges(t *testing.T, look *pgx.Conn) (n int) {
	t.Helper()
	err := look.QueryRow(within(t), "SELECT count(*) FROM wakeups WHERE owner = $1", s.Account.Merchant.MerchantID).Scan(&n)
	require.NoError(t, err)
	return n
}

// onlyCharge returns the order's charge, as a merchant without an answer finds it.
func (d *doomed) onlyCharge(t *testing.T) clients.Charge {
	t.Helper()
	list, err := d.ChargesOfOrder(within(t), d.order)
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

// requireStartedOnce waits until the workflow of each charge has been started, and
// requires that there was one run, which sent charge.created once.
func (s *shop) requireStartedOnce(t *testing.T, look *pgx.Conn, chargeIDs ...string) {
	t.Helper()
	for _, id := range chargeIDs {
		eventually(t, "it is told that the charge was made", func(ctx context.Context) error { return s.createdDelivered(ctx, id) })
	}
	eventually(t, "the wakeups are gone", func(context.Context) error {
		if n := s.waitingCharges(t, look); n > 0 {
			return fmt.Errorf("there are %d", n)
		}
		return nil
	})
	for _, id := range chargeIDs {
		require.Len(t, s.testbed.runs(t, "charge-"+id), 1)
		arrived := slices.DeleteFunc(s.arrived(id), func(event string) bool { return event != "charge.created" })
		require.Len(t, arrived, 1, id)
	}
}

// createdDelivered looks in the delivery log for the one delivery of a charge's creation,
// and returns an error until it is over.
func (s *shop) createdDelivered(ctx context.Context, id string) error {
	list, err := s.DeliveriesOf(ctx, s.Webhook.ID)
	if err != nil {
		return err
	}
	var status []string
	for _, d := range list {
		if d.ResourceID == id && d.Event == "charge.created" {
			status = append(status, d.Status)
		}
	}
	if !slices.Equal(status, []string{"delivered"}) {
		err = fmt.Errorf("its deliveries: %v", status)
	}
	return err
}

// killedBeforeTheCommit: everything is inserted and nothing is there. The address is lost
// with the process.
func killedBeforeTheCommit(t *testing.T, d *doomed) {
	before := d.written(t)
	held := d.database.holdCommit(d.order)
	d.sellUntil(t, held, func() {
		eventually(t, "all of it is inserted", func(ctx context.Context) error {
			var n int
			err := d.looks.QueryRow(ctx, `SELECT count(DISTINCT l.relation) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
				WHERE a.client_port = $1 AND l.mode = 'RowExclusiveLock'
				AND l.relation IN ('charges'::regclass, 'events'::regclass, 'deliveries'::regclass, 'wakeups'::regclass)`, held.port).Scan(&n)
			if err == nil && n != 4 {
				err = fmt.Errorf("%d tables of 4", n)
			}
			return err
		})
	})
	eventually(t, "the server ends the transaction", func(ctx context.Context) error {
		var n int
		err := d.looks.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE client_port = $1", held.port).Scan(&n)
		if err == nil && n > 0 {
			err = errors.New("it is open")
		}
		return err
	})
	require.Equal(t, before, d.written(t))
	require.Zero(t, d.waitingCharges(t, d.looks))
	list, err := d.ChargesOfOrder(within(t), d.order)
	require.NoError(t, err)
	require.Empty(t, list)

	eventually(t, "it is sold", func(ctx context.Context) error {
		_, err := d.sell(ctx, d.Merchant)
		return err
	})
	c := d.onlyCharge(t)
	d.requireStartedOnce(t, d.looks, c.ID)
	d.pay(t, c)
	d.mineUntil(t, "charge.confirmed", c.ID)
}

// killedBeforeTheAnswer: the charge exists, and the merchant got no answer. A search
// for the order finds it.
func killedBeforeTheAnswer(t *testing.T, d *doomed) {
	before := d.written(t)
	d.sellUntil(t, d.database.holdCommitted(d.order), func() {
		before.Charges++
		before.Events++
		before.Deliveries++
		require.Equal(t, before, d.written(t))
	})
	c := d.onlyCharge(t)
	d.requireStartedOnce(t, d.looks, c.ID)
	require.Equal(t, before, d.written(t))
	d.pay(t, c)
	d.mineUntil(t, "charge.confirmed", c.ID)
}

// killedBeforeTheStart: the merchant has the charge, and Temporal has received nothing
// from the process that made it. First the process stays alive, cut off, and leaves the
// wakeup to the worker. Then it dies right after it has answered.
func killedBeforeTheStart(t *testing.T, d *doomed) {
	d.temporal.shut.Lock()
	t.Cleanup(d.temporal.shut.Unlock) // a message that is late changes nothing
	first, err := d.sell(within(t), d.client)
	require.NoError(t, err)
	d.requireStartedOnce(t, d.looks, first.ID)
	second, err := d.sell(within(t), d.client)
	require.NoError(t, err)
	d.kill(t)
	d.requireStartedOnce(t, d.looks, first.ID, second.ID)
}

// killedBeforeTheWakeupGoes: the workflow runs, and the wakeup makes a worker
// start it again.
func killedBeforeTheWakeupGoes(t *testing.T, d *doomed) {
	held := d.database.holdStatement("name: EndWakeups ")
	c, err := d.sell(within(t), d.client)
	require.NoError(t, err)
	wait(t, held.reached)
	d.kill(t)
	d.requireStartedOnce(t, d.looks, c.ID)
}
