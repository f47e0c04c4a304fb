package activities_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/webhook"
)

// fill takes slots for an owner and a target until there are none, and returns
// how many it got.
func fill(s *deliveries.Slots, owner, target string, tor bool) int {
	for n := 0; ; n++ {
		if _, ok := s.Take(owner, target, tor); !ok {
			return n
		}
	}
}

// TestThreeHangingAccountsLeaveSlotsToOtherAccounts counts slots and no time. A receiver that
// hangs gets at most as many slots as are free, never all.
func TestThreeHangingAccountsLeaveSlotsToOtherAccounts(t *testing.T) {
	t.Parallel()
	for _, tor := range []bool{false, true} {
		s := deliveries.NewSlots(2000)
		taken := 0
		for i := range 3 {
			taken += fill(s, fmt.Sprint("attacker", i), fmt.Sprintf("https://hang%d.example", i), tor)
		}
		// If they take turns, each gets the same share; the first to come gets more of it.
		all, inTor := s.Taken()
		require.Equal(t, taken, all)
		if tor {
			require.Equal(t, taken, inTor)
			require.LessOrEqual(t, taken, 500, "Tor has its part alone")
		}
		require.GreaterOrEqual(t, fill(s, "merchant", "https://shop.example", false), 125, "tor %t: %d taken", tor, taken)
		require.Positive(t, fill(s, "another", "https://another.example", false))
	}
}

// TestAThousandAccountsLeaveASlot is the same with accounts that cost nothing.
func TestAThousandAccountsLeaveASlot(t *testing.T) {
	t.Parallel()
	s := deliveries.NewSlots(2000)
	for round := true; round; {
		round = false
		for i := range 1000 {
			if _, ok := s.Take(fmt.Sprint("attacker", i), fmt.Sprintf("https://hang%d.example", i), false); ok {
				round = true
			}
		}
	}
	_, ok := s.Take("merchant", "https://shop.example", false)
	require.True(t, ok)
}

func TestOneHostIsCountedForAllAccounts(t *testing.T) {
	t.Parallel()
	s := deliveries.NewSlots(100)
	taken := 0
	for i := range 1000 {
		for _, target := range []string{"https://hang.example/a", "http://HANG.example.:8443/b?c=d"} {
			if _, ok := s.Take(fmt.Sprint("attacker", i), target, false); ok {
				taken++
			}
		}
	}
	require.Equal(t, 75, taken, "half, and first attempts while more than a quarter is free")
	require.Positive(t, fill(s, "merchant", "https://shop.example", false))
}

// A merchant may name the shop's host in a webhook, with a port that hangs.
func TestStrangersWhoNameAHostLeaveItsOwnerASlot(t *testing.T) {
	t.Parallel()
	for _, tor := range []bool{false, true} {
		s := deliveries.NewSlots(2000)
		for i := range 2 {
			require.Positive(t, fill(s, fmt.Sprint("stranger", i), "https://shop.example:81", tor))
		}
		for range 3 { // one after the other
			release, ok := s.Take("merchant", "https://shop.example", tor)
			require.True(t, ok)
			release()
		}
	}
}

func TestSlotsComeBack(t *testing.T) {
	t.Parallel()
	s := deliveries.NewSlots(8)
	for range 100 {
		for _, tor := range []bool{false, true} {
			release, ok := s.Take("merchant", "https://shop.example", tor)
			require.True(t, ok)
			release()
		}
	}
	all, tor := s.Taken()
	require.Zero(t, all+tor)
	var none *deliveries.Slots
	release, ok := none.Take("merchant", "%zz", true)
	require.True(t, ok)
	release()
}

// hanging is a receiver that answers when the test lets it.
type hanging struct {
	*httptest.Server
	begun chan struct{}
	leave func()
}

func hang(t *testing.T) *hanging {
	t.Helper()
	released := make(chan struct{})
	h := &hanging{begun: make(chan struct{}, 100), leave: sync.OnceFunc(func() { close(released) })}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h.begun <- struct{}{}
		<-released
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(h.Close)
	t.Cleanup(h.leave)
	return h
}

// TestAttemptWithoutASlotIsNotUsedUp has a merchant whose receiver hangs. An attempt
// without a slot is neither sent nor recorded, and is made later.
func TestAttemptWithoutASlotIsNotUsedUp(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	receiver := hang(t)
	s.webhook(t, receiver.URL, charge.EventCreated)
	var ids []string
	for range 2 {
		r := s.request()
		state := s.advance(t, s.create(t, r).ID, start)
		ids = append(ids, state.Deliveries[0])
	}
	a := s.webhooks(loopback)
	a.Slots = deliveries.NewSlots(2) // one of them for this merchant
	var suite testsuite.WorkflowTestSuite
	run := func(id string) error {
		env := suite.NewTestActivityEnvironment()
		env.RegisterActivity(a)
		_, err := env.ExecuteActivity(a.AttemptDelivery, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 1})
		return err
	}
	first := make(chan error, 1)
	go func() { first <- run(ids[0]) }()
	<-receiver.begun

	err := run(ids[1])
	var busy *temporal.ApplicationError
	require.ErrorAs(t, err, &busy)
	require.Equal(t, deliveries.BusyType, busy.Type())
	require.False(t, busy.NonRetryable())
	require.Positive(t, busy.NextRetryDelay())
	require.LessOrEqual(t, busy.NextRetryDelay(), 4*time.Second)
	d, err := s.store.GetDeliveryForSending(t.Context(), ids[1])
	require.NoError(t, err)
	require.Equal(t, string(webhook.Pending), d.Status)
	require.Zero(t, d.Attempts, "nothing was sent, nothing is used up")

	receiver.leave()
	require.NoError(t, <-first)
	require.NoError(t, run(ids[1]))
	for _, id := range ids {
		d, err := s.store.GetDeliveryForSending(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, string(webhook.Delivered), d.Status)
		require.EqualValues(t, 1, d.Attempts)
	}
}

// breaking is a sender that fails as no receiver can make it.
type breaking struct{}

// Post implements the sender of deliveries.Handler.
func (breaking) Post(context.Context, outbound.Request) (outbound.Response, error) { panic("broken") }

// TestABrokenAttemptGivesItsSlotBack: Temporal takes a panic for a failed
// attempt and makes it again, so each would keep a slot for good.
func TestABrokenAttemptGivesItsSlotBack(t *testing.T) {
	t.Parallel()
	slots := deliveries.NewSlots(8)
	s := open(t, 1)
	s.webhook(t, "https://shop.example", charge.EventCreated)
	state := s.advance(t, s.create(t, s.request()).ID, start)
	hooks := s.webhooks()
	hooks.Sender, hooks.Slots = breaking{}, slots
	require.Panics(t, func() {
		_, _ = hooks.AttemptDelivery(t.Context(), deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: state.Deliveries[0], Attempt: 1})
	})

	b := bureauOf(t)
	b.partner(t)
	hooks, id := hooksOf(b), tradeEvent(t, b, "http://partner.onion")
	hooks.Sender, hooks.Slots = breaking{}, slots
	require.Panics(t, func() {
		_, _ = hooks.AttemptDelivery(t.Context(), deliveries.AttemptDelivery{Receiver: webhook.Partner, ID: id, Attempt: 1})
	})
	all, tor := slots.Taken()
	require.Zero(t, all, "slots")
	require.Zero(t, tor, "slots of Tor")
}
