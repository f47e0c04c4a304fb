package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/receiver"
)

// subscribe adds a webhook for charge.created at a path that answers so.
func (s *shop) subscribe(t *testing.T, path string, answer http.HandlerFunc) merchant.Webhook {
	t.Helper()
	s.Hooks.Answer(path, answer)
	hook, err := s.CreateWebhook(within(t), s.Hooks.URL(path), "charge.created")
	require.NoError(t, err)
	return hook
}

// awaitDelivery waits until a webhook's delivery about a charge is over.
func (s *shop) awaitDelivery(t *testing.T, hook merchant.Webhook, chargeID string) merchant.Delivery {
	t.Helper()
	var now merchant.Delivery
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
func (s *shop) deliveryOf(ctx context.Context, hookID, chargeID string) (merchant.Delivery, error) {
	list, err := s.DeliveriesOf(ctx, hookID)
	if err != nil {
		return merchant.Delivery{}, err
	}
	var found []merchant.Delivery
	for _, d := range list {
		if d.ResourceID == chargeID {
			found = append(found, d)
		}
	}
	if len(found) != 1 {
		return merchant.Delivery{}, fmt.Errorf("%d deliveries: %v", len(found), list)
	}
	return found[0], nil
}

// requestsAbout returns the requests at a path that are about a charge.
func (s *shop) requestsAbout(path, chargeID string) []receiver.Request {
	var list []receiver.Request
	for _, q := range s.Hooks.Requests() {
		if q.Path == path && q.Event.ID == chargeID {
			list = append(list, q)
		}
	}
	return list
}
