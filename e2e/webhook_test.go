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
	s.hooks.Answer(path, answer)
	hook, err := s.CreateWebhook(within(t), s.hooks.URL(path), "charge.created")
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

// redeliver has a finished delivery sent again. The run that finished it may
// not have closed yet: then it is asked again.
func (s *shop) redeliver(t *testing.T, deliveryID string) {
	t.Helper()
	eventually(t, "the delivery is opened again", func(ctx context.Context) error { return s.Redeliver(ctx, deliveryID) })
}

// requestsAbout are those at a path that tell of a charge.
func (s *shop) requestsAbout(path, chargeID string) []receiver.Request {
	var list []receiver.Request
	for _, q := range s.hooks.Requests() {
		if q.Path == path && q.Event.ID == chargeID {
			list = append(list, q)
		}
	}
	return list
}

func TestThreeAttemptsWithTheSameBytes(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	hook := s.subscribe(t, "/broken", receiver.Status(http.StatusInternalServerError))
	c := s.charge(t, "0.1")
	d := s.awaitDelivery(t, hook, c.ID)
	require.Equal(t, "failed", d.Status)
	require.Equal(t, 3, d.Attempts)
	require.NotNil(t, d.HTTPStatus)
	require.Equal(t, 500, *d.HTTPStatus)
	attempts := s.requestsAbout("/broken", c.ID)
	require.GreaterOrEqual(t, len(attempts), 3, "one that is cut off is made again")
	for _, a := range attempts {
		require.Equal(t, attempts[0].Body, a.Body)
		require.True(t, a.Signed(hook.Secret))
	}
	require.JSONEq(t, string(attempts[0].Body), string(d.Payload), "the payload stays in the log")

	s.hooks.Answer("/broken", receiver.Status(http.StatusNoContent))
	s.redeliver(t, d.ID)
	d = s.awaitDelivery(t, hook, c.ID)
	require.Equal(t, "delivered", d.Status)
	require.GreaterOrEqual(t, d.Attempts, 4)
	again := s.requestsAbout("/broken", c.ID)[len(attempts):]
	require.NotEmpty(t, again)
	require.Equal(t, attempts[0].Body, again[0].Body)
	require.True(t, again[0].Signed(hook.Secret))
}

// TestAReceiverThatHangs delays nobody else, is given up, and is tried again.
func TestAReceiverThatHangs(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	var hook merchant.Webhook
	var hanging receiver.Request
	var c, other merchant.Charge
	// Another try when the machine was slower than the patience with a
	// receiver; one that delays the others fails every time.
	over := true
	for try := 0; over && try < 3; try++ {
		path := fmt.Sprintf("/slow-%d", try)
		hook = s.subscribe(t, path, receiver.InTurn(receiver.Hang, receiver.Status(http.StatusOK)))
		c = s.charge(t, "0.1")
		hanging = s.awaitRequest(t, receiver.All(receiver.At(path), receiver.Of("charge.created", c.ID)))
		s.await(t, "charge.created", c.ID)
		other = s.charge(t, "0.1")
		s.await(t, "charge.created", other.ID)
		select {
		case <-hanging.Done:
		default:
			over = false
		}
	}
	require.False(t, over, "the others were served only after the receiver that hangs was given up")
	select {
	case <-hanging.Done:
	case <-within(t).Done():
		t.Fatal("a receiver that hangs is waited for without end")
	}
	eventually(t, "both deliveries are made", func(ctx context.Context) error {
		list, err := s.DeliveriesOf(ctx, hook.ID)
		if err != nil {
			return err
		}
		attempts := map[string]int{}
		for _, d := range list {
			if d.Status == "delivered" {
				attempts[d.ResourceID] = d.Attempts
			}
		}
		if attempts[c.ID] < 2 || attempts[other.ID] < 1 {
			return fmt.Errorf("attempts until delivered: %v", attempts)
		}
		return nil
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	hook := s.subscribe(t, "/moved", receiver.InTurn(
		receiver.Redirect(s.hooks.URL("/elsewhere")), receiver.Status(http.StatusOK)))
	c := s.charge(t, "0.1")
	d := s.awaitDelivery(t, hook, c.ID)
	require.Equal(t, "delivered", d.Status)
	require.GreaterOrEqual(t, d.Attempts, 2, "a redirect is a failure")
	require.Empty(t, s.requestsAbout("/elsewhere", c.ID))
}

func TestPrivateTargetsAreDropped(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	var hooks []merchant.Webhook
	for _, url := range []string{
		"http://10.0.0.1/", "http://192.168.1.1:8080/x", "http://169.254.169.254/latest/meta-data/",
		"http://100.64.0.1/", "http://[fe80::1]/", "http://[::ffff:10.0.0.1]/", "http://0.0.0.0/",
	} {
		hook, err := s.CreateWebhook(within(t), url, "charge.created")
		if err != nil {
			require.Equal(t, 400, merchant.Status(err), url)
			continue
		}
		hooks = append(hooks, hook)
	}
	require.NotEmpty(t, hooks, "a private address written plainly is accepted")
	c := s.charge(t, "0.1")
	for _, hook := range hooks {
		d := s.awaitDelivery(t, hook, c.ID)
		require.Equal(t, "dropped", d.Status, hook.URL)
		require.Nil(t, d.HTTPStatus, hook.URL)
		require.Equal(t, 1, d.Attempts, hook.URL)
	}
}

func TestDeletedWebhookGetsNothing(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	hook := s.subscribe(t, "/old", receiver.Status(http.StatusOK))
	require.NoError(t, s.DeleteWebhook(within(t), hook.ID))
	c := s.charge(t, "0.1")
	s.await(t, "charge.created", c.ID)
	require.Empty(t, s.requestsAbout("/old", c.ID))
}
