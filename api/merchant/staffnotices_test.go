package merchant_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/permission"
)

// TestAnotherRoleIsNotified simulates a thief of session and password who makes a cashier an owner,
// who can then pay the balance out by refunds. The shop's own account gets a mail.
func TestAnotherRoleIsNotified(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.Mails = true })
	s, person := b.signup(t), b.signup(t)
	b.employ(t, s, person, permission.Cashier)
	notices := func() []string {
		return rowsOf[string](t, b, "SELECT kind || ' ' || merchant_id FROM account_notices")
	}
	for range 2 {
		b.as(t, s, http.MethodPut, "/api/account/staff/"+person.id, `{"role":"cashier"}`).require(t, http.StatusOK)
	}
	require.Empty(t, notices())
	for range 2 {
		b.as(t, s, http.MethodPut, "/api/account/staff/"+person.id, `{"role":"owner"}`).require(t, http.StatusOK)
	}
	require.Equal(t, []string{"staff_role " + s.id}, notices())
}
