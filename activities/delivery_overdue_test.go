package activities_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/internal/webhook"
)

// TestOldDeliveryThatIsSentAgainIsOverdue has a merchant send again what is days
// old, and loses the run that would.
func TestOldDeliveryThatIsSentAgainIsOverdue(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, _ := receiver(t, http.StatusNoContent)
	s.webhook(t, url, charge.EventCreated)
	state, err := s.charges.CreateCharge(t.Context(), s.request())
	require.NoError(t, err)
	id, again := state.Deliveries[0], start.Add(72*time.Hour)
	lost := func(after time.Duration) (ids []string) {
		items, err := overdue.Find(t.Context(), s.store.Queries, overdue.Search{Now: again.Add(after), MaxRows: 10})
		require.NoError(t, err)
		for _, i := range items {
			if i.Kind == overdue.Delivery {
				ids = append(ids, i.ID)
			}
		}
		return ids
	}
	require.Equal(t, []string{id}, lost(0), "nobody has told for days")
	a := s.webhooks(loopback)
	require.Equal(t, webhook.Delivered, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 1}))
	require.Empty(t, lost(0))
	_, err = a.ReopenDelivery(t.Context(), deliveries.ReopenDelivery{Receiver: webhook.Merchant, ID: id, Now: again})
	require.NoError(t, err)
	require.Empty(t, lost(minutes(14)))
	require.Equal(t, []string{id}, lost(minutes(15)))
}
