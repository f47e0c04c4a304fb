package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// eventsPath is where a shop receives its events.
const eventsPath = "/events"

// shop is a merchant with a receiver and a wallet to be paid out to.
type shop struct {
	*fixture.Shop

	testbed *testbed
	// sandboxHook receives the sandbox's events; none for a shop that does not use it.
	sandboxHook clients.Webhook
	// sent is what customers have sent for each charge.
	sent map[string]money.Piconero
	// released are the payouts that an operator gave up after they were sent.
	released map[string]bool
	// void are transactions of payouts, and charges whose payments, can never be
	// mined.
	void map[string]bool
}

// openShop signs a merchant up. At the end of the test the shop's books are
// compared with the chain.
func openShop(t *testing.T, w *testbed) *shop {
	t.Helper()
	s := &shop{testbed: w, sent: map[string]money.Piconero{}, released: map[string]bool{}, void: map[string]bool{}}
	var err error
	s.Shop, err = w.SignUp(within(t), "Test shop")
	require.NoError(t, err)
	require.NoError(t, s.PayOutTo(within(t), w.Customer))
	s.Hooks, err = fixture.StartReceiver()
	require.NoError(t, err)
	t.Cleanup(func() {
		if !t.Failed() {
			s.checkBooks(t)
		}
		require.NoError(t, s.Hooks.Close())
	})
	s.Webhook, err = s.CreateWebhook(within(t), s.Hooks.URL(eventsPath), clients.AllEvents()...)
	require.NoError(t, err)
	return s
}

// within bounds a wait; the context ends with the test at the latest.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), maxWait)
	t.Cleanup(cancel)
	return ctx
}

// database is a connection to the services' database.
func (w *testbed) database(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(within(t), w.Stack.Env()["DATABASE_URL"])
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// eventually waits for what no event tells.
func eventually(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), maxWait)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.NoError(t, err, what)
		}
	}
}

func xmr(text string) money.Piconero {
	amount, err := money.ParseXMR(text)
	if err != nil {
		panic(err)
	}
	return amount
}

// charge asks for an amount of XMR.
func (s *shop) charge(t *testing.T, amount string) clients.Charge {
	t.Helper()
	c := s.create(t, func() clients.NewCharge {
		return clients.NewCharge{Amount: money.MustDecimal(amount), Currency: "XMR"}
	})
	require.Equal(t, "pending", c.Status)
	require.Equal(t, xmr(amount), c.AmountXMR)
	return c
}

func (s *shop) create(t *testing.T, request func() clients.NewCharge) clients.Charge {
	t.Helper()
	return asked(t, "the charge is made", func(ctx context.Context) (clients.Charge, error) { return s.CreateCharge(ctx, request()) })
}

// asked makes a call, and repeats it while the service answers that it may work later.
func asked[T any](t *testing.T, what string, call func(context.Context) (T, error)) (answer T) {
	t.Helper()
	eventually(t, what, func(ctx context.Context) (err error) {
		answer, err = call(ctx)
		if err != nil && !later(err) {
			require.NoError(t, err, what)
		}
		return err
	})
	return answer
}

// later reports whether the service answered that it may work later.
func later(err error) bool {
	answer, ok := errors.AsType[*clients.StatusError](err)
	return ok && answer.Status >= http.StatusInternalServerError && answer.RetryAfter > 0
}

// pay sends the amount of each charge in one transaction.
func (s *shop) pay(t *testing.T, charges ...clients.Charge) fixture.Sent {
	t.Helper()
	outputs := make([]fixture.Output, len(charges))
	for i, c := range charges {
		outputs[i] = fixture.Output{Address: c.Subaddress, Amount: c.AmountXMR}
	}
	return s.payExactly(t, charges, outputs)
}

// payPart sends an amount for a charge in so many equal outputs of one
// transaction.
func (s *shop) payPart(t *testing.T, c clients.Charge, amount string, outputs int) fixture.Sent {
	t.Helper()
	list := make([]fixture.Output, outputs)
	for i := range list {
		list[i] = fixture.Output{Address: c.Subaddress, Amount: xmr(amount) / money.Piconero(outputs)}
	}
	return s.payExactly(t, []clients.Charge{c}, list)
}

func (s *shop) payExactly(t *testing.T, charges []clients.Charge, outputs []fixture.Output) fixture.Sent {
	t.Helper()
	sent, err := s.testbed.Customer.Pay(within(t), outputs...)
	require.NoError(t, err)
	s.testbed.awaitPassedOn(t, sent.Hash)
	for _, o := range outputs {
		for _, c := range charges {
			if c.Subaddress == o.Address {
				s.sent[c.ID] += o.Amount
			}
		}
	}
	return sent
}

// awaitPassedOn waits until the daemon mines a payment into the next block,
// and would not hold it back when it is restarted.
func (w *testbed) awaitPassedOn(t *testing.T, txHash string) {
	t.Helper()
	eventually(t, "the daemon passes the payment on", func(ctx context.Context) error {
		done, err := w.Chain.PassedOn(ctx, txHash)
		if err == nil && !done {
			err = errors.New("not yet")
		}
		return err
	})
}

// await returns the charge as an event about it shows it.
func (s *shop) await(t *testing.T, event, id string) clients.Charge {
	t.Helper()
	got := s.awaitRequest(t, fixture.AllOf(fixture.ArrivedAt(eventsPath), fixture.EventOf(event, id)))
	var c clients.Charge
	require.NoError(t, json.Unmarshal(got.Event.Data, &c))
	return c
}

func (s *shop) awaitRequest(t *testing.T, accept func(fixture.Request) bool) fixture.Request {
	t.Helper()
	got, err := s.Hooks.Await(within(t), accept)
	require.NoError(t, err)
	return got
}

func (s *shop) mine(t *testing.T, blocks int) {
	t.Helper()
	require.NoError(t, s.testbed.Chain.Mine(within(t), blocks))
}

// mineUntil adds two blocks, and one more whenever a second has passed
// without the event: a block may have been made before it could hold the
// payment.
func (s *shop) mineUntil(t *testing.T, event, id string) clients.Charge {
	t.Helper()
	deadline := within(t)
	accept := fixture.AllOf(fixture.ArrivedAt(eventsPath), fixture.EventOf(event, id))
	for blocks := 2; deadline.Err() == nil; blocks = 1 {
		require.NoError(t, s.testbed.Chain.Mine(deadline, blocks))
		ctx, cancel := context.WithTimeout(deadline, time.Second)
		_, err := s.Hooks.Await(ctx, accept)
		cancel()
		if err == nil {
			break
		}
	}
	return s.await(t, event, id)
}

// grow adds blocks until a condition is met: so many at once, and one more whenever
// a second has passed without it. A transaction that waits for a block may have
// come too late for the earlier ones.
func (s *shop) grow(t *testing.T, blocks int, what string, check func(context.Context) error) {
	t.Helper()
	s.mine(t, blocks)
	last := time.Now()
	eventually(t, what, func(ctx context.Context) error {
		err := check(ctx)
		if err != nil && time.Since(last) > time.Second {
			last = time.Now()
			err = errors.Join(err, s.testbed.Chain.Mine(ctx, 1))
		}
		return err
	})
}

// payable makes charges that are paid, confirmed and can be swept.
func (s *shop) payable(t *testing.T, amounts ...string) []clients.Charge {
	t.Helper()
	charges := make([]clients.Charge, len(amounts))
	for i, amount := range amounts {
		charges[i] = s.charge(t, amount)
	}
	s.pay(t, charges...)
	for i, c := range charges {
		charges[i] = s.mineUntil(t, "charge.confirmed", c.ID)
	}
	s.unlock(t)
	return charges
}

// unlock adds blocks until nothing of the balance is locked.
func (s *shop) unlock(t *testing.T) {
	t.Helper()
	s.grow(t, 10, "the balance unlocks", func(ctx context.Context) error {
		b, err := s.Balance(ctx)
		if err == nil && b.LockedXMR > 0 {
			err = fmt.Errorf("%s XMR are locked", b.LockedXMR)
		}
		return err
	})
}
