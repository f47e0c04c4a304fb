package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// subscribe adds a webhook for charge.created at a path that answers so.
func (s *shop) subscribe(t *testing.T, path string, answer http.HandlerFunc) clients.Webhook {
	t.Helper()
	s.Hooks.Answer(path, answer)
	hook, err := s.CreateWebhook(within(t), s.Hooks.URL(path), "charge.created")
	require.NoError(t, err)
	return hook
}

// awaitDelivery waits until a webhook's delivery about a charge is over.
func (s *shop) awaitDelivery(t *testing.T, hook clients.Webhook, chargeID string) clients.Delivery {
	t.Helper()
	var now clients.Delivery
	eventually(t, "the delivery is over", func(ctx context.Context) (err error) {
		now, err = s.deliveryOf(ctx, hook.ID, chargeID)
		if err == nil && now.Status == "pending" {
			err = fmt.Errorf("it is pending after %d attempts", now.Attempts)
		}
		return err
	})
	return now
}

// deliveryOf is the one delivery of a webhook about a charge.
func (s *shop) deliveryOf(ctx context.Context, hookID, chargeID string) (clients.Delivery, error) {
	list, err := s.DeliveriesOf(ctx, hookID)
	if err != nil {
		return clients.Delivery{}, err
	}
	var found []clients.Delivery
	for _, d := range list {
		if d.ResourceID == chargeID {
			found = append(found, d)
		}
	}
	if len(found) != 1 {
		return clients.Delivery{}, fmt.Errorf("%d deliveries: %v", len(found), list)
	}
	return found[0], nil
}

func (s *shop) requestsAbout(path, chargeID string) []fixture.Request {
	var list []fixture.Request
	for _, q := range s.Hooks.Requests() {
		if q.Path == path && q.Event.ID == chargeID {
			list = append(list, q)
		}
	}
	return list
}
