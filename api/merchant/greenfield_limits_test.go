package merchant_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/permission"
)

// TestGreenfieldIsLimited checks that reads and changes share the limits of our own API, and
// that redeliveries have a separate one. A refusal has the form of this surface.
func TestGreenfieldIsLimited(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s, other := b.signup(t), b.signup(t)
	k, theirs := b.scoped(t, s, "Magento", permission.ModifyStoreSettings), b.scoped(t, other, "Magento", permission.ModifyStoreSettings)
	store := "/api/v1/stores/" + s.id
	get := func(path string, who as) request { return request{http.MethodGet, path, who, ""} }
	again := request{http.MethodPost, store + "/webhooks/wh_x/deliveries/whd_x/redeliver", token(k), ""}
	for _, c := range []struct {
		name           string
		limit, allowed int
		first          request
		shares, spares []request
	}{
		{
			"redeliveries", 60, http.StatusNotFound, again, []request{{http.MethodPost, store + "/webhooks/wh_y/deliveries/whd_y/redeliver", token(k), ""}},
			[]request{get(store+"/invoices/x", token(k)), get(store+"/webhooks/wh_x", token(k))},
		},
		{
			"everything else", 500, http.StatusNotFound, get("/api/v1/invoices/x", token(theirs)),
			[]request{
				get("/api/v1/stores", token(theirs)), {http.MethodPost, "/api/v1/invoices/x/status", token(theirs), `{"status":"Settled"}`},
				{http.MethodPut, "/api/v1/invoices/x", token(theirs), `{"metadata":{}}`}, get("/api/v1/api-keys/current", token(theirs)),
			},
			[]request{get("/api/v1/stores", token(k))},
		},
	} {
		requireLimit(t, c.limit, c.allowed, func() int { return b.status(t, c.first) })
		for _, r := range append(c.shares, c.first) {
			refused := b.send(t, r.method, r.path, r.who, r.body)
			require.Equal(t, http.StatusTooManyRequests, refused.status, "%s: %s", c.name, r.path)
			require.Equal(t, "60", refused.header.Get("Retry-After"), c.name)
			require.Equal(t, "too-many-requests", refused.text(t, "code"), refused.body)
			require.NotEmpty(t, refused.text(t, "message"))
		}
		for _, r := range c.spares {
			require.NotEqual(t, http.StatusTooManyRequests, b.status(t, r), "%s spares %s", c.name, r.path)
		}
	}
	require.Equal(t, http.StatusTooManyRequests, b.status(t, get("/api/charges", key(theirs))), "our own API counts with it")
}
