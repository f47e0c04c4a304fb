package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/receiver"
	"github.com/durapay/durapay/internal/money"
)

// checkBooks compares what the service says with what the chain shows and
// with what customers did.
func (s *shop) checkBooks(t *testing.T) {
	t.Helper()
	for _, key := range []string{s.account.APIKeys.Production, s.account.APIKeys.Sandbox} {
		s.ledger(key).checkCharges(t, s)
	}
	s.checkSignatures(t)
	s.checkPayouts(t)
}

// ledger is what the shop sees with one of its keys.
func (s *shop) ledger(key string) *ledger { return &ledger{s.WithKey(key)} }

// ledger is what one key of a shop shows.
type ledger struct{ *merchant.Client }

// checkCharges compares each charge with what was sent, and its events with
// its state: each event once, and exactly those that lead there.
func (l *ledger) checkCharges(t *testing.T, s *shop) {
	t.Helper()
	charges, err := l.Charges(within(t))
	require.NoError(t, err)
	events := l.events(t, s.webhook.ID)
	for _, c := range charges {
		require.Equal(t, s.sent[c.ID].String(), c.AmountReceivedXMR.String(), "%s: received", c.ID)
		require.ElementsMatch(t, expected(c), events[c.ID], "%s (%s): events", c.ID, c.Status)
	}
}

// expected are the events of a charge that is what it is.
func expected(c merchant.Charge) []string {
	events := []string{"charge.created"}
	if c.Status == "confirmed" && !c.Late {
		return append(events, "charge.pending", "charge.confirmed")
	}
	if c.Status == "pending" {
		if len(c.Payments) > 0 {
			events = append(events, "charge.pending")
		}
		return events
	}
	events = append(events, "charge.expired")
	if c.Late {
		events = append(events, "charge.late_confirmed")
	}
	return events
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

// checkSignatures verifies everything that arrived at the shop's webhook.
func (s *shop) checkSignatures(t *testing.T) {
	t.Helper()
	for _, q := range s.hooks.Requests() {
		if receiver.At(eventsPath)(q) {
			require.True(t, q.Signed(s.webhook.Secret), "%s %s: signature", q.Event.Name, q.Event.ID)
		}
	}
}

// checkPayouts compares the payouts with what arrived at the payout address:
// the same transactions with the same amounts, and one event for each.
func (s *shop) checkPayouts(t *testing.T) {
	t.Helper()
	payouts, err := s.Payouts(within(t))
	require.NoError(t, err)
	if len(payouts) == 0 {
		return
	}
	events := (&ledger{s.Client}).events(t, s.webhook.ID)
	booked := map[string]money.Piconero{}
	for _, p := range payouts {
		switch p.Status {
		case "broadcast", "confirmed":
			if p.SwapID == nil { // else it went to a provider
				booked[*p.TxHash] = p.AmountXMR
			}
			require.Equal(t, []string{"payout.sent"}, events[p.PayoutID], "events of %s", p.PayoutID)
		case "failed":
			if s.released[p.PayoutID] {
				continue // it was sent before
			}
			require.Empty(t, events[p.PayoutID], "events of %s", p.PayoutID)
		default:
			require.Fail(t, "unfinished payout", "%s is %s", p.PayoutID, p.Status)
		}
	}
	require.NoError(t, s.world.chain.MinePool(within(t)))
	eventually(t, "the payout address has what the books say", func(ctx context.Context) error {
		return s.compare(ctx, booked)
	})
}

func (s *shop) compare(ctx context.Context, booked map[string]money.Piconero) error {
	receipts, err := s.wallet.Receipts(ctx)
	if err != nil {
		return err
	}
	if len(receipts) != len(booked) {
		return fmt.Errorf("%d transactions on the chain, %d payouts in the books", len(receipts), len(booked))
	}
	for _, r := range receipts {
		if booked[r.TxHash] != r.Amount {
			return fmt.Errorf("%s: %s XMR on the chain, %s XMR in the books", r.TxHash, r.Amount, booked[r.TxHash])
		}
	}
	return nil
}
