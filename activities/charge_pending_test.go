package activities_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/refusals"
)

// pending returns the counter of pending charges, after it was compared with the charges.
func (s *shop) pending(t *testing.T) int {
	t.Helper()
	counted := s.number(t, "SELECT COALESCE(sum(charges), 0) FROM pending_charges WHERE merchant_id = $1", s.merchant)
	require.Equal(t, s.number(t, "SELECT count(*) FROM charges WHERE merchant_id = $1 AND status = 'pending'", s.merchant), counted)
	return counted
}

// The counter of pending charges is exact, however charges end, and however many are made
// at once.
func TestPendingChargesAreCountedExactly(t *testing.T) {
	t.Parallel()
	s := open(t, 200)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 5 {
				in := s.request()
				for range 2 { // a creation that is delivered twice counts once
					if _, err := s.charges.Create(context.Background(), in); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wait.Wait()
	require.Equal(t, 40, s.pending(t))
	rapid.Check(t, func(r *rapid.T) {
		for _, status := range rapid.SliceOfN(rapid.SampledFrom([]string{"pending", "expired", "confirmed"}), 1, 4).Draw(r, "statuses") {
			_, err := s.store.Pool().Exec(t.Context(), `UPDATE charges SET status = $1, confirmed_at = CASE WHEN $1 = 'confirmed' THEN now() END
				WHERE id IN (SELECT id FROM charges ORDER BY random() LIMIT 7)`, status)
			require.NoError(r, err)
		}
		s.pending(t)
	})
	s.exec(t, "DELETE FROM charges WHERE id IN (SELECT id FROM charges ORDER BY random() LIMIT 20)")
	s.pending(t)
	s.exec(t, "DELETE FROM charges")
	require.Zero(t, s.pending(t))
}

// A merchant cannot have more charges pending than it may; a charge that exists
// is found all the same.
func TestPendingChargesAreCapped(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	s.charges.PendingMax = 3
	first := s.request()
	s.create(t, first)
	s.create(t, s.request())
	s.create(t, s.request())
	_, err := s.charges.Create(t.Context(), s.request())
	requireRefused(t, err, refusals.TooMany)
	s.create(t, first)
	s.exec(t, "UPDATE merchants SET pending_charges_max = 4")
	s.create(t, s.request())
	_, err = s.charges.Create(t.Context(), s.request())
	requireRefused(t, err, refusals.TooMany)
	s.expire(t, first.ChargeID)
	s.create(t, s.request())
	require.Equal(t, 4, s.pending(t))
}

// Who made a charge is known while it is pending, and no longer.
func TestWhoMadeAChargeIsForgotten(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	in := s.request()
	in.Source, in.ClientCode, in.CrowdCode = charge.FromButton, []byte("client"), []byte("crowd")
	id := s.create(t, in).ID
	known := "SELECT count(*) FROM charges WHERE client_code IS NOT NULL AND crowd_code IS NOT NULL"
	require.Equal(t, 1, s.number(t, known))
	s.pay(t, id, 1, 0)
	s.advance(t, id, start.Add(time.Minute))
	require.Equal(t, 1, s.number(t, known), "still pending")
	s.advance(t, id, start.Add(time.Hour))
	require.Zero(t, s.number(t, known))
	require.Zero(t, s.number(t, "SELECT count(*) FROM charges WHERE client_code IS NOT NULL OR crowd_code IS NOT NULL"))
}
