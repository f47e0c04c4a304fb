package merchant_test

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
)

// TestTwoPeopleApproveOneRefund approves a claim at the same moment and repeatedly. The claim is
// approved only once.
func TestTwoPeopleApproveOneRefund(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	s, person, helper := b.signup(t), b.signup(t), b.signup(t)
	b.employ(t, s, person, permission.Owner)
	b.employ(t, s, helper, permission.Support)
	charge := b.charge(t, s, config.Live)
	b.receive(t, charge, money.OneXMR)
	b.exec(t, "UPDATE received_payments SET mature = true WHERE charge_id = $1", charge)
	b.exec(t, "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", charge)

	support := b.worksFor(t, helper, s)
	made := support.postFrom(t, "/shops", "/charges/"+charge+"/refunds", url.Values{"variant": {"Custom"}, "amount": {"0.25"}, "currency": {"XMR"}}).require(t, http.StatusOK)
	link := regexpFind(publicURL+`/refund/(rf_[0-9a-f]{24}/[0-9a-f]{64})`, made.body)
	require.Len(t, link, 1, made.body)
	id, token := link[0][:27], link[0][28:]
	b.send(t, http.MethodPost, "/api/refunds/"+id+"/claims", anonymous(), fmt.Sprintf(`{"token":%q,"address":%q}`, token, payoutAddress)).require(t, http.StatusOK)
	require.Equal(t, []string{"awaiting_approval"}, rowsOf[string](t, b, "SELECT status FROM refund_claims"))
	require.Equal(t, http.StatusForbidden, support.postFrom(t, "/shops", "/refunds/"+id+"/approve", nil).status, "who made it does not approve it")

	people := []shopper{b.enterShop(t, s, ""), b.worksFor(t, person, s)}
	for range 2 {
		var both sync.WaitGroup
		answers := make([]answer, len(people))
		for i, v := range people {
			code := url.Values{"form": {formCode.FindStringSubmatch(v.page(t, "/refunds"))[1]}}
			both.Go(func() { answers[i] = v.send(t, http.MethodPost, "/refunds/"+id+"/approve", code) })
		}
		both.Wait()
		for _, a := range answers {
			a.leads(t, "/refunds?done=1")
		}
	}
	require.Equal(t, []string{"1"}, rowsOf[string](t, b, "SELECT count(*)::text FROM refund_claims WHERE approved_at IS NOT NULL"))
	require.Equal(t, []string{"1"}, rowsOf[string](t, b, "SELECT count(*)::text FROM refund_claims"))
	require.Equal(t, []string{helper.id}, rowsOf[string](t, b, "SELECT made_by FROM refunds"))
	require.Equal(t, []string{"4"}, rowsOf[string](t, b, "SELECT count(*)::text FROM actions WHERE operation = 'approveRefund' AND status = 200"))
}
