package permission_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/permission"
)

// TestPermissionsContainOtherPermissions: a set covers what it has and what that contains,
// and nothing else.
func TestPermissionsContainOtherPermissions(t *testing.T) {
	t.Parallel()
	for granted, want := range map[permission.Permission][]permission.Permission{
		permission.ViewInvoices:        {permission.ViewInvoices},
		permission.CreateInvoice:       {permission.CreateInvoice},
		permission.ModifyInvoices:      {permission.ModifyInvoices, permission.ViewInvoices, permission.CreateInvoice},
		permission.ModifyWebhooks:      {permission.ModifyWebhooks},
		permission.CreatePullPayments:  {permission.CreatePullPayments, permission.CreateNonApprovedPullPayments},
		permission.ManagePayouts:       {permission.ManagePayouts, permission.ViewPayouts},
		permission.ModifyStoreSettings: slices.DeleteFunc(permission.Grantable(), func(p permission.Permission) bool { return p == permission.CreatePullPayments }),
		permission.ViewStoreSettings: {
			permission.ViewStoreSettings, permission.ViewInvoices, permission.ViewPaymentRequests, permission.ViewReports,
			permission.ViewPullPayments, permission.ViewPayouts,
		},
	} {
		set := permission.Of(granted)
		for _, p := range append(permission.Grantable(), permission.MoveMoney) {
			covers := false
			for _, w := range want {
				covers = covers || w == p
			}
			require.Equal(t, covers, set.Covers(p), "%s covers %s", granted, p)
		}
		require.True(t, set.Covers(""))
	}
	require.False(t, permission.Set{}.Covers(permission.ViewInvoices))
	require.True(t, permission.All().Covers(permission.MoveMoney))
}

// TestNoApplicationIsGivenMoney: an application cannot ask for the permission to
// pay money out to any address, nor for one that does not belong to a store.
func TestNoApplicationIsGivenMoney(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		string(permission.MoveMoney), "", "btcpay.user.canviewprofile", "btcpay.server.canmodifyserversettings", "unrestricted",
		"btcpay.store.canviewinvoices:x", "BTCPAY.STORE.CANVIEWINVOICES", " btcpay.store.canviewinvoices",
	} {
		_, known := permission.Parse(name)
		require.False(t, known, name)
	}
	for _, p := range permission.Grantable() {
		parsed, known := permission.Parse(string(p))
		require.True(t, known)
		require.Equal(t, p, parsed)
		require.False(t, permission.Of(p).Covers(permission.MoveMoney), p)
	}
}

// TestSetsKeepTheOrder: plugins read the store of the first permission, and
// compare the list with what they asked for.
func TestSetsKeepTheOrder(t *testing.T) {
	t.Parallel()
	set := permission.Of(permission.ModifyInvoices, permission.ViewInvoices, permission.ModifyInvoices)
	require.Equal(t, []string{"btcpay.store.canmodifyinvoices", "btcpay.store.canviewinvoices"}, set.Names())
	require.Equal(t, []string{"btcpay.store.canmodifyinvoices:s", "btcpay.store.canviewinvoices:s"}, set.In("s"))
	require.Equal(t, set, permission.FromNames(set.Names()))
	require.Equal(t, []string{"btcpay.store.canmodifystoresettings:s"}, permission.All().In("s"))
	require.Equal(t, []string{}, permission.Set{}.Names())
}
