package merchant_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
)

// TestLinksOfAKeyThatHasEndedNeedApproval simulates a thief who has stored the links that a stolen
// key made. Once the key is revoked or replaced, they are worth nothing without an approval.
func TestLinksOfAKeyThatHasEndedNeedApproval(t *testing.T) {
	t.Parallel()
	b, _ := refundBench(t)
	s := b.signup(t)
	b.lets(t, s, "0.1")
	charge := b.gained(t, s, money.OneXMR)
	app := b.grant(t, s, "live", permission.CreatePullPayments)
	claims := map[string]func() string{}
	for name, k := range map[string]string{"application": app.text(t, "key"), "account": s.live} {
		made := b.send(t, http.MethodPost, "/api/charges/"+charge+"/refunds", key(k), tenthOfOne).require(t, http.StatusOK)
		require.Equal(t, true, made.field(t, "automatic"))
		link := made.text(t, "link")
		parts := 0
		claims[name] = func() string {
			parts++
			body := fmt.Sprintf(`{"token":%q,"address":%q,"amount_xmr":0.00%d}`, link[strings.LastIndex(link, "/")+1:], buyersAddress, parts)
			claimed := b.send(t, http.MethodPost, "/api/refunds/"+made.text(t, "id")+"/claims", anonymous(), body).require(t, http.StatusOK)
			return rowsOf[string](t, b, "SELECT (approved_at IS NOT NULL)::text FROM refund_claims WHERE id = '"+claimed.text(t, "claim_id")+"'")[0]
		}
		require.Equal(t, "true", claims[name](), name)
	}
	b.as(t, s, http.MethodPost, "/api/account/application-keys/"+app.text(t, "details.id")+"/revoke", "{}").require(t, http.StatusOK)
	require.Equal(t, "false", claims["application"]())
	require.Equal(t, "true", claims["account"](), "the other key is in force")
	b.as(t, s, http.MethodPost, "/api/account/keys/regenerate", `{"type":"production"}`).require(t, http.StatusOK)
	require.Equal(t, "false", claims["account"]())
}
