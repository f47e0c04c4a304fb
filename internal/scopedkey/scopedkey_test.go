package scopedkey_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/scopedkey"
)

// TestPermissionsContainOthers: a set covers what it has and what that contains,
// and nothing else.
func TestPermissionsContainOthers(t *testing.T) {
	t.Parallel()
	for granted, want := range map[scopedkey.Permission][]scopedkey.Permission{
		scopedkey.ViewInvoices:        {scopedkey.ViewInvoices},
		scopedkey.CreateInvoice:       {scopedkey.CreateInvoice},
		scopedkey.ModifyInvoices:      {scopedkey.ModifyInvoices, scopedkey.ViewInvoices, scopedkey.CreateInvoice},
		scopedkey.ModifyWebhooks:      {scopedkey.ModifyWebhooks},
		scopedkey.CreatePullPayments:  {scopedkey.CreatePullPayments, scopedkey.CreateNonApprovedPullPayments},
		scopedkey.ManagePayouts:       {scopedkey.ManagePayouts, scopedkey.ViewPayouts},
		scopedkey.ModifyStoreSettings: slices.DeleteFunc(scopedkey.Grantable(), func(p scopedkey.Permission) bool { return p == scopedkey.CreatePullPayments }),
		scopedkey.ViewStoreSettings: {
			scopedkey.ViewStoreSettings, scopedkey.ViewInvoices, scopedkey.ViewPaymentRequests, scopedkey.ViewReports,
			scopedkey.ViewPullPayments, scopedkey.ViewPayouts,
		},
	} {
		set := scopedkey.Of(granted)
		for _, p := range append(scopedkey.Grantable(), scopedkey.MoveMoney) {
			covers := false
			for _, w := range want {
				covers = covers || w == p
			}
			require.Equal(t, covers, set.Covers(p), "%s covers %s", granted, p)
		}
		require.True(t, set.Covers(""))
	}
	require.False(t, scopedkey.Set{}.Covers(scopedkey.ViewInvoices))
	require.True(t, scopedkey.All().Covers(scopedkey.MoveMoney))
}

// TestNoApplicationIsGivenMoney: an application cannot ask for the permission to
// pay money out to any address, nor for one that does not belong to a store.
func TestNoApplicationIsGivenMoney(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		string(scopedkey.MoveMoney), "", "btcpay.user.canviewprofile", "btcpay.server.canmodifyserversettings", "unrestricted",
		"btcpay.store.canviewinvoices:x", "BTCPAY.STORE.CANVIEWINVOICES", " btcpay.store.canviewinvoices",
	} {
		_, known := scopedkey.Parse(name)
		require.False(t, known, name)
	}
	for _, p := range scopedkey.Grantable() {
		parsed, known := scopedkey.Parse(string(p))
		require.True(t, known)
		require.Equal(t, p, parsed)
		require.False(t, scopedkey.Of(p).Covers(scopedkey.MoveMoney), p)
	}
}

// TestSetsKeepTheOrder: plugins read the store of the first permission, and
// compare the list with what they asked for.
func TestSetsKeepTheOrder(t *testing.T) {
	t.Parallel()
	set := scopedkey.Of(scopedkey.ModifyInvoices, scopedkey.ViewInvoices, scopedkey.ModifyInvoices)
	require.Equal(t, []string{"btcpay.store.canmodifyinvoices", "btcpay.store.canviewinvoices"}, set.Names())
	require.Equal(t, []string{"btcpay.store.canmodifyinvoices:s", "btcpay.store.canviewinvoices:s"}, set.In("s"))
	require.Equal(t, set, scopedkey.FromNames(set.Names()))
	require.Equal(t, []string{"btcpay.store.canmodifystoresettings:s"}, scopedkey.All().In("s"))
	require.Equal(t, []string{}, scopedkey.Set{}.Names())
}
