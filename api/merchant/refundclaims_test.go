package merchant_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A claim that the rows refuse is refused before Temporal is asked: it fills no history,
// and is answered while Temporal is away. One that may be taken needs Temporal.
func TestClaimsThatCannotBeTakenReachNoWorkflow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	claim := func(amount string) answer {
		return b.send(t, http.MethodPost, "/api/refunds/"+s.refund+"/claims", nobody(), `{"token":"token","address":"`+buyersAddress+`"`+amount+`}`)
	}
	require.GreaterOrEqual(t, claim("").status, http.StatusInternalServerError)
	require.GreaterOrEqual(t, claim(`,"amount_xmr":1`).status, http.StatusInternalServerError)
	for range 2 {
		claim(`,"amount_xmr":1.1`).require(t, http.StatusBadRequest, "more than what is left")
		claim(`,"amount_xmr":0.0001`).require(t, http.StatusBadRequest, "less than 0.001 XMR")
	}
	b.exec(t, "UPDATE refunds SET expires_at = now() - interval '1 day' WHERE id = $1", s.refund)
	claim("").require(t, http.StatusBadRequest, "expired")
	b.exec(t, "UPDATE refunds SET cancelled_at = now(), status = 'cancelled' WHERE id = $1", s.refund)
	claim("").require(t, http.StatusBadRequest, "cancelled")
}
