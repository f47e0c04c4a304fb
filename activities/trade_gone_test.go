package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

// A Temporal that was restored from an older copy takes up runs of trades that have
// ended since, and that retention has removed: there is nothing to try again.
func TestNothingIsTriedAgainForATradeThatIsGone(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	_, err := b.follow(t, secret.NewTradeID())
	requireRefused(t, err, refusals.Missing)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), trades.TradePaymentTask{TradePaymentID: 1}))
}
