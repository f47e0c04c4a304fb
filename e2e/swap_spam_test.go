package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

const (
	// spamDeposits are made to one trade, each far below its minimum.
	spamDeposits = 300
	spamAmount   = "0.002"
	// mostHistory is how large the history of a trade may become, in bytes,
	// whatever is sent to its address.
	mostHistory = 200_000
)

// TestSwapSpamDelaysNoOtherTrade sends hundreds of small deposits to the address of
// one trade, all of them to be sent back, while another waits for its payout
// from the same wallet.
func TestSwapSpamDelaysNoOtherTrade(t *testing.T) {
	t.Parallel()
	b := fullStacks.take(t).bourse
	b.spent = true // refunds continue for long
	m := &pairSetup{bourse: b}
	spam, honest := m.deal(t, "ltc", "0.3"), m.deal(t, "xmr", "0.2")
	m.pay(t, honest)
	require.NoError(t, b.Chain.MineInto(within(t), honest.deposit))
	for range spamDeposits {
		_, err := b.Pay(within(t), fixture.Litecoin, spam.Deposit, money.MustDecimal(spamAmount))
		require.NoError(t, err)
	}
	require.NoError(t, b.Coins.Mine(within(t), 2))
	require.NoError(t, b.Chain.Mine(within(t), deepXMR))
	m.until(t, honest.TradeID, "completed")
	m.requirePaidOnce(t, honest)

	conn := m.database(t)
	var before int
	require.NoError(t, conn.QueryRow(within(t), `SELECT count(DISTINCT r.transaction_id) FROM trade_payment_states p JOIN trade_payment_states r ON r.wallet_id = p.wallet_id
		WHERE p.trade_id = $1 AND r.trade_id = $2 AND r.built_at > p.created_at AND r.built_at < p.built_at`, honest.TradeID, spam.TradeID).Scan(&before))
	require.LessOrEqual(t, before, 1, "transactions of refunds that were made while the payout waited, beside the one that was under way")

	eventually(t, "all deposits are known", func(ctx context.Context) error {
		var known int
		err := conn.QueryRow(ctx, "SELECT count(*) FROM trade_deposits WHERE trade_id = $1 AND height IS NOT NULL", spam.TradeID).Scan(&known)
		if err == nil && known < spamDeposits {
			err = fmt.Errorf("%d are", known)
		}
		return err
	})
	for _, size := range b.histories(t, "trade-"+spam.TradeID) {
		require.Less(t, size, int64(mostHistory), "bytes of a history")
	}
}

// histories are the sizes (bytes) of the histories of every run of a workflow.
func (w *testbed) histories(t *testing.T, workflowID string) []int64 {
	t.Helper()
	env := w.Stack.Env()
	temporal, err := client.Dial(client.Options{
		HostPort: env["TEMPORAL_ADDRESS"], Namespace: env["TEMPORAL_NAMESPACE"],
		ConnectionOptions: client.ConnectionOptions{GetSystemInfoTimeout: maxWait},
	})
	require.NoError(t, err)
	defer temporal.Close()
	var sizes []int64
	eventually(t, "Temporal lists the workflow", func(ctx context.Context) error {
		found, err := temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: fmt.Sprintf("WorkflowId = '%s'", workflowID)})
		if err != nil {
			return err
		}
		sizes = nil
		for _, run := range found.GetExecutions() {
			now, err := temporal.DescribeWorkflowExecution(ctx, workflowID, run.GetExecution().GetRunId())
			if err != nil {
				return err
			}
			sizes = append(sizes, now.GetWorkflowExecutionInfo().GetHistorySizeBytes())
		}
		if len(sizes) == 0 {
			err = fmt.Errorf("there is no run of %s", workflowID)
		}
		return err
	})
	t.Logf("%s: %v bytes", workflowID, sizes)
	return sizes
}
