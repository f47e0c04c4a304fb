package activities_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/webhook"
)

// TestOldDeliveryThatIsSentAgainIsOverdue has a merchant redeliver an event that is days
// old, and loses the run of the redelivery. Before the delivery's first attempt, the
// search wakes the run of its charge, because that run makes the first attempt.
func TestOldDeliveryThatIsSentAgainIsOverdue(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, _ := receiver(t, http.StatusNoContent)
	s.webhook(t, url, charge.EventCreated)
	request := s.request()
	charged := request.ChargeID
	state := s.advance(t, s.create(t, request).ID, start)
	id, again := state.Deliveries[0], start.Add(72*time.Hour)
	lost := func(kind outbox.Kind, after time.Duration) (ids []string) {
		for _, i := range allOverdue(t, s.store, outbox.OverdueSearch{Now: again.Add(after)}) {
			if i.Kind == kind {
				ids = append(ids, i.ID)
			}
		}
		return ids
	}
	first := start.Sub(again)
	require.Empty(t, lost(outbox.Charges, first+minutes(14)))
	require.Equal(t, []string{charged}, lost(outbox.Charges, first+minutes(15)))
	require.Equal(t, []string{charged}, lost(outbox.Charges, 0), "it is named once, though its timeout is over too")
	require.Empty(t, lost(outbox.Deliveries, 0))
	s.exec(t, "UPDATE charges SET status = 'expired'")
	open, err := s.store.OpenCharges(t.Context())
	require.NoError(t, err)
	require.Len(t, open, 1, "its news are not told")
	pending, err := s.store.PendingDeliveries(t.Context())
	require.NoError(t, err)
	require.Empty(t, pending)

	a := s.webhooks(loopback)
	require.Equal(t, webhook.Delivered, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 1}))
	require.Empty(t, lost(outbox.Charges, 0))
	require.NoError(t, s.redeliver(t, id, again))
	require.Empty(t, lost(outbox.Deliveries, minutes(14)))
	require.Equal(t, []string{id}, lost(outbox.Deliveries, minutes(15)))
	require.Empty(t, lost(outbox.Charges, minutes(15)))
	pending, err = s.store.PendingDeliveries(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{id}, pending)
	open, err = s.store.OpenCharges(t.Context())
	require.NoError(t, err)
	require.Empty(t, open)

	// A delivery that was dropped before its first attempt and then redelivered has a run of
	// its own too.
	s.exec(t, "UPDATE deliveries SET attempts = 0, rounds = 2, round_from = 0")
	unsent, err := s.store.UnsentDeliveries(t.Context(), charged)
	require.NoError(t, err)
	require.Empty(t, unsent)
	require.Equal(t, []string{id}, lost(outbox.Deliveries, minutes(15)))
}
