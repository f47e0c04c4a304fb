package merchant_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
)

// TestASwitchThatIsPressedTwiceIsSwitched checks that the form that switches a link leads to the
// state that its page offered, no matter how often it is sent.
func TestASwitchThatIsPressedTwiceIsSwitched(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	for _, c := range []struct{ page, path, table, column, id string }{
		{"/charges/" + s.charge, "/charges/" + s.charge + "/toggle-active", "charges", "link_active", s.charge},
		{"/payment-requests/" + s.request, "/payment-requests/" + s.request + "/toggle", "payment_requests", "active", s.request},
	} {
		for _, want := range []string{"false", "true"} {
			page := v.page(t, c.page)
			require.Contains(t, page, fmt.Sprintf(`name="active" value=%q`, want), c.page)
			// The form is sent twice, and then the same form from another window.
			form, window := url.Values{"form": {formCode.FindStringSubmatch(page)[1]}, "active": {want}}, url.Values{"form": {formCode.FindStringSubmatch(v.page(t, c.page))[1]}, "active": {want}}
			for i, sent := range []url.Values{form, form, window} {
				a := v.send(t, http.MethodPost, c.path, sent)
				if i == 1 {
					require.Equal(t, http.StatusConflict, a.status, a.body)
				} else {
					a.leads(t, c.page+"?done=1")
				}
				require.Equal(t, []string{want}, rowsOf[string](t, b, fmt.Sprintf("SELECT %s::text FROM %s WHERE id = '%s'", c.column, c.table, c.id)), c.path)
			}
		}
	}
}

// TestAChargeThatIsPaidLateIsFollowed checks that the charge's page reloads itself while a
// payment gets confirmations, and not afterwards.
func TestAChargeThatIsPaidLateIsFollowed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	again := func() string { return v.send(t, http.MethodGet, "/charges/"+s.charge, nil).header.Get("Refresh") }
	b.exec(t, "UPDATE charges SET status = 'expired', invoice_status = 'Expired', expires_at = $2 WHERE id = $1", s.charge, b.clock.Now())
	require.Empty(t, again(), "nothing is under way")
	b.receive(t, s.charge, money.OneXMR)
	pgtest.SetChain(t, b.store, "live-1", 103)
	require.Equal(t, "15", again(), "it gets deeper")
	pgtest.SetChain(t, b.store, "live-1", 200)
	require.Empty(t, again(), "it is deep enough")
}
