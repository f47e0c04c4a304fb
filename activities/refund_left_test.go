package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// TestWhoHasLeftRefundsNothingByThemselves: a person in support may refund a sum without
// approval only while they work in the shop. Links that they made earlier, day by day,
// and that were not used, then wait for an approval.
func TestWhoHasLeftRefundsNothingByThemselves(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *shop, string){
		"removed": func(t *testing.T, s *shop, person string) {
			t.Helper()
			n, err := s.store.RemoveStaff(t.Context(), db.RemoveStaffParams{MerchantID: s.merchant, PersonID: person})
			require.NoError(t, err)
			require.EqualValues(t, 1, n)
		},
		"a cashier now": func(t *testing.T, s *shop, person string) {
			t.Helper()
			_, err := s.store.SetStaff(t.Context(), db.SetStaffParams{MerchantID: s.merchant, PersonID: person, Role: string(permission.Cashier)})
			require.NoError(t, err)
		},
		"with a sum of nothing now": func(t *testing.T, s *shop, person string) {
			t.Helper()
			_, err := s.store.SetStaff(t.Context(), db.SetStaffParams{MerchantID: s.merchant, PersonID: person, Role: string(permission.Support)})
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, 9)
			person := s.employ(t, permission.Support, money.OneXMR/500)
			charge := s.earn(t, 100)
			var links []string
			for day := range 3 {
				in := s.refundBy(person, charge, "0.002", start.Add(time.Duration(day)*24*time.Hour))
				in.ExpiresAt = start.Add(300 * 24 * time.Hour)
				require.NoError(t, s.createRefund(t.Context(), in))
				require.True(t, s.isAutomatic(t, in.RefundID))
				links = append(links, in.RefundID)
			}
			end(t, s, person)
			for _, id := range links {
				claim := secret.NewID("rc_")
				_, err := s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{
					RefundID: id, ClaimID: claim, Address: buyer, Now: start.Add(100 * 24 * time.Hour),
				})
				require.NoError(t, err)
				row, err := s.store.GetClaim(t.Context(), claim)
				require.NoError(t, err)
				require.Equal(t, "awaiting_approval", row.Status, "nobody of the staff made it go")
			}
		})
	}
}
