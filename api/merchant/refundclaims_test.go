package merchant_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
)

// A claim that the rows rule out is refused before the call to Temporal. It fills no history,
// and the refusal works while Temporal is unreachable. A possible claim needs Temporal.
func TestClaimsThatCannotBeTakenReachNoWorkflow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	claim := func(amount string) answer {
		return b.send(t, http.MethodPost, "/api/refunds/"+s.refund+"/claims", anonymous(), `{"token":"token","address":"`+buyersAddress+`"`+amount+`}`)
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

// TestARefundIsReadAsItWasAtOneMoment cancels a refund and its claims during a read. The reader
// sees the complete earlier state.
func TestARefundIsReadAsItWasAtOneMoment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, next_at, created_at)
		SELECT 'rc_0123456789abcdef01234567', id, 'awaiting_approval', amount, '\x01', '8…x', now(), now() FROM refunds WHERE id = $1`, s.refund)
	writer, err := b.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = writer.Rollback(t.Context()) }()
	_, err = writer.Exec(t.Context(), "LOCK TABLE refund_claims")
	require.NoError(t, err)
	var reader sync.WaitGroup
	var read answer
	reader.Go(func() { read = b.send(t, http.MethodGet, "/api/refunds/"+s.refund, key(s.live), "") })
	pgtest.AwaitBlocked(t, b.store, writer, 1)
	for _, sql := range []string{
		"UPDATE refunds SET cancelled_at = now(), status = 'cancelled' WHERE id = $1", "UPDATE refund_claims SET status = 'cancelled' WHERE refund_id = $1",
	} {
		_, err = writer.Exec(t.Context(), sql, s.refund)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Commit(t.Context()))
	reader.Wait()
	require.Equal(t, "awaiting_approval", read.require(t, http.StatusOK).text(t, "status"))
	require.Equal(t, "cancelled", b.send(t, http.MethodGet, "/api/refunds/"+s.refund, key(s.live), "").require(t, http.StatusOK).text(t, "status"))
}
