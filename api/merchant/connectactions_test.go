package merchant_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConnectingIsAmongTheActions checks that the list of who did what names the key that a consent
// has made, once, and no consent that was denied.
func TestConnectingIsAmongTheActions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := &browser{b: b}
	require.Equal(t, http.StatusOK, v.fill(t, v.consent(t, s, woo()), "answer", "deny").status)
	asks := v.consent(t, s, woo())
	for range 2 {
		require.Equal(t, http.StatusOK, v.fill(t, asks, "answer", "allow").status)
	}
	list := b.send(t, http.MethodGet, "/api/account/actions", session(s.token), "").require(t, http.StatusOK).field(t, "actions").([]any)
	require.Len(t, list, 1)
	done := list[0].(map[string]any)
	require.Equal(t, []any{s.id, s.email, "", "createApplicationKey", "/api-keys/authorize", "200"},
		[]any{done["person_id"], done["email"], done["role"], done["operation"], done["path"], fmt.Sprint(done["status"])})
}
