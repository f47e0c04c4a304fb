package merchant_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// TestAWebhookBelongsToTheModeOfItsKey checks that a webhook receives only events of its key's
// mode. A key of the other mode finds no trace of it.
func TestAWebhookBelongsToTheModeOfItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	keys := map[string]string{
		"live": b.scoped(t, s, "WooCommerce", permission.ModifyStoreSettings), "sandbox": b.grant(t, s, "sandbox", permission.ModifyStoreSettings).text(t, "key"),
	}
	path := "/api/v1/stores/" + s.id + "/webhooks"
	record := func(mode string) []string {
		t.Helper()
		ids, err := b.store.RecordInvoiceEvents(t.Context(), db.RecordInvoiceEventsParams{
			MerchantID: s.id, Mode: mode, ResourceID: secret.NewID("ch_"), CreatedAt: b.clock.Now(), Types: []string{"InvoiceSettled"},
			Parts: []string{""}, Payloads: []string{`{"type":"InvoiceSettled"}`},
		})
		require.NoError(t, err)
		return ids
	}
	hooks := map[string]string{}
	subscribe := func(mode string) {
		t.Helper()
		hooks[mode] = b.send(t, http.MethodPost, path, token(keys[mode]), `{"url":"https://`+mode+`.example/hook"}`).require(t, http.StatusOK).text(t, "id")
	}
	subscribe("sandbox")
	require.Empty(t, record("live"), "a key of the sandbox hears of nothing live")
	require.Empty(t, rowsOf[string](t, b, "SELECT type FROM events"), "an event that nobody hears is not written")
	subscribe("live")
	for mode, hook := range hooks {
		sent := record(mode)
		require.Len(t, sent, 1, mode)
		require.Equal(t, []string{hook}, rowsOf[string](t, b, "SELECT webhook_id FROM deliveries WHERE id = '"+sent[0]+"'"), mode)
		hookPath := path + "/" + hook
		for other, k := range keys {
			if other == mode {
				b.send(t, http.MethodGet, hookPath+"/deliveries/"+sent[0], token(k), "").require(t, http.StatusOK)
				continue
			}
			require.NotContains(t, b.send(t, http.MethodGet, path, token(k), "").require(t, http.StatusOK).body, hook, "the list of %s", other)
			for _, r := range []request{
				{http.MethodGet, hookPath, token(k), ""}, {http.MethodPut, hookPath, token(k), `{"url":"https://thief.example"}`}, {http.MethodDelete, hookPath, token(k), ""},
				{http.MethodGet, hookPath + "/deliveries", token(k), ""}, {http.MethodGet, hookPath + "/deliveries/" + sent[0], token(k), ""},
				{http.MethodGet, hookPath + "/deliveries/" + sent[0] + "/request", token(k), ""}, {http.MethodPost, hookPath + "/deliveries/" + sent[0] + "/redeliver", token(k), ""},
			} {
				require.Equal(t, http.StatusNotFound, b.status(t, r), "%s %s with a key of %s", r.method, r.path, other)
			}
		}
		require.Contains(t, b.send(t, http.MethodGet, hookPath, token(keys[mode]), "").require(t, http.StatusOK).body, "https://"+mode+".example/hook")
	}
}
