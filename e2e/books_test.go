package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// checkBooks compares what the service says with what the chain shows and
// with what customers did.
func (s *shop) checkBooks(t *testing.T) {
	t.Helper()
	s.ledger(s.Account.APIKeys.Production).checkCharges(t, s, s.Webhook.ID)
	if s.sandboxHook.ID != "" {
		s.ledger(s.Account.APIKeys.Sandbox).checkCharges(t, s, s.sandboxHook.ID)
	}
	s.checkSignatures(t)
	s.checkPayouts(t)
}

// ledger is what the shop sees with one of its keys.
func (s *shop) ledger(key string) *ledger { return &ledger{s.WithKey(key)} }

// ledger is what one key of a shop shows.
type ledger struct{ *clients.Merchant }

// checkCharges compares each charge with the amount that was sent, and its events
// with its state.
func (l *ledger) checkCharges(t *testing.T, s *shop, webhookID string) {
	t.Helper()
	charges, err := l.Charges(within(t))
	require.NoError(t, err)
	events := l.events(t, webhookID)
	for _, c := range charges {
		if !s.void[c.ID] { // else its events follow payments that can never be mined
			require.Empty(t, fixture.ChargeFaults(c, events[c.ID], s.sent[c.ID]))
		}
	}
}

// events are the names of the events of each resource, as the delivery log of
// a webhook has them. charge.pending is left out for charges that expired,
// because a part of the money may or may not have been seen in time.
func (l *ledger) events(t *testing.T, webhookID string) map[string][]string {
	t.Helper()
	deliveries, err := l.DeliveriesOf(within(t), webhookID)
	require.NoError(t, err)
	expired := map[string]bool{}
	for _, d := range deliveries {
		expired[d.ResourceID] = expired[d.ResourceID] || d.Event == "charge.expired"
	}
	events := map[string][]string{}
	for _, d := range deliveries {
		if d.Event != "charge.pending" || !expired[d.ResourceID] {
			events[d.ResourceID] = append(events[d.ResourceID], d.Event)
		}
	}
	return events
}

// arrived are the names of the events about a resource that came to the shop's
// webhook. A delivery that came several times, as one may, is one.
func (s *shop) arrived(id string) (names []string) {
	known := map[string]bool{}
	for _, q := range s.requestsAbout(eventsPath, id) {
		if delivery := q.Header.Get("Webhook-Id"); !known[delivery] {
			known[delivery] = true
			names = append(names, q.Event.Name)
		}
	}
	return names
}

// checkSignatures verifies everything that arrived at the shop's webhook.
func (s *shop) checkSignatures(t *testing.T) {
	t.Helper()
	for _, q := range s.Hooks.Requests() {
		if fixture.ArrivedAt(eventsPath)(q) {
			require.True(t, q.Signed(s.Webhook.Secret), "%s %s: signature", q.Event.Name, q.Event.ID)
		}
	}
}

// checkPayouts compares the payouts with what arrived at the payout address,
// and with their events.
func (s *shop) checkPayouts(t *testing.T) {
	t.Helper()
	payouts, err := s.Payouts(within(t))
	require.NoError(t, err)
	if len(payouts) == 0 {
		return
	}
	events := (&ledger{s.Merchant}).events(t, s.Webhook.ID)
	for _, p := range payouts {
		require.Empty(t, fixture.PayoutFaults(p, events[p.PayoutID], s.released[p.PayoutID]))
	}
	payouts = slices.DeleteFunc(payouts, func(p clients.Payout) bool { return p.TxHash != nil && s.void[*p.TxHash] })
	var sent []string
	for _, p := range payouts {
		if p.Status == "broadcast" || p.Status == "confirmed" {
			sent = append(sent, *p.TxHash)
		}
	}
	require.NoError(t, s.testbed.Chain.MineAll(within(t), sent...))
	eventually(t, "the payout address has what the books say", func(ctx context.Context) error {
		receipts, err := s.Wallet.Receipts(ctx)
		// The daemon may keep transactions in its pool that can never be mined.
		receipts = slices.DeleteFunc(receipts, func(r fixture.Receipt) bool { return s.void[r.TxHash] })
		if faults := fixture.PaidOutTo(payouts, receipts); err == nil && len(faults) > 0 {
			err = fmt.Errorf("%v", faults)
		}
		return err
	})
}
