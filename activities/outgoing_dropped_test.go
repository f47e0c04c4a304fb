package activities_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/trade"
)

// TestConfirmedPayoutThatIsDropped lets a reorganization of 25 blocks take back a
// merchant's payout that was confirmed 20 blocks deep: it is broadcast again, the
// same bytes are relayed again, and it is confirmed in its new block.
func TestConfirmedPayoutThatIsDropped(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 120)
	sweeps := a.payouts()
	sweeps.Daemon = a.daemon
	id := a.reserved(t)
	a.built(t, id)
	var woken []string
	a.signal = func(id string) error {
		if strings.HasPrefix(id, "po_") {
			woken = append(woken, id)
		}
		return nil
	}
	look := func(want payout.Status) {
		t.Helper()
		for range 2 {
			require.NoError(t, a.scan(t.Context()))
		}
		require.Equal(t, want, a.payoutStatus(t, id))
	}
	a.placed["aa"] = 100
	require.NoError(t, step(t, sweeps, sweeps.RelayPayout, id, nil))
	require.NoError(t, step(t, sweeps, sweeps.CheckPayout, id, nil))
	a.mineBlocks(1)
	look(payout.Confirmed)
	require.Equal(t, []string{id}, woken, "when it was reserved")

	a.blocks = a.blocks[:96]
	delete(a.placed, "aa")
	a.mineBlocks(30)
	look(payout.Broadcast)
	require.Equal(t, []string{id, id}, woken, "a run looks after it")
	alerts := a.openAlerts(t)
	require.Equal(t, alert.SendDropped+" aa", alerts[0].Kind+" "+alerts[0].Subject)
	require.NoError(t, step(t, sweeps, sweeps.CheckPayout, id, nil))
	require.Equal(t, []string{"01"}, a.relayed)

	a.placed["aa"] = 126
	a.mineBlocks(11)
	require.NoError(t, step(t, sweeps, sweeps.CheckPayout, id, nil))
	a.mineBlocks(1)
	look(payout.Confirmed)
	for _, open := range a.openAlerts(t) {
		require.NotEqual(t, alert.SendDropped, open.Kind)
	}
	p, err := a.store.GetPayout(t.Context(), id)
	require.NoError(t, err)
	require.EqualValues(t, 126, *p.Height)

	// Once more, and the block holds another transaction that spends the same.
	a.blocks = a.blocks[:110]
	delete(a.placed, "aa")
	a.spent = true
	a.mineBlocks(40)
	look(payout.Broadcast)
	var depth payouts.Depth
	require.NoError(t, step(t, sweeps, sweeps.CheckPayout, id, &depth))
	require.True(t, depth.Stuck)
	require.Equal(t, []string{"01"}, a.relayed, "it can never be mined")
	require.Equal(t, alert.PayoutStuck, a.openAlerts(t)[0].Kind)
}

// TestConfirmedPayoutThatADeepReorganizationDrops: the blocks that are replaced
// were settled, and a checkpoint is among them.
func TestConfirmedPayoutThatADeepReorganizationDrops(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{61, 200, 1500} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			t.Parallel()
			a := tillOf(t, 1900)
			sweeps := a.payouts()
			sweeps.Daemon = a.daemon
			id := a.reserved(t)
			a.built(t, id)
			look := func(want payout.Status) {
				t.Helper()
				for range 5 { // a scan reads a page
					require.NoError(t, a.scan(t.Context()))
				}
				require.Equal(t, want, a.payoutStatus(t, id))
			}
			look(payout.Building)
			a.placed["aa"] = 1895
			a.mineBlocks(6)
			require.NoError(t, step(t, sweeps, sweeps.RelayPayout, id, nil))
			require.NoError(t, step(t, sweeps, sweeps.CheckPayout, id, nil))
			a.mineBlocks(depth - 11)
			look(payout.Confirmed)
			require.Len(t, a.blocks, 1895+depth)

			a.blocks = a.blocks[:1895]
			delete(a.placed, "aa")
			a.mineBlocks(depth + 1)
			look(payout.Broadcast)
			require.Equal(t, alert.SendDropped, a.openAlerts(t)[0].Kind)
		})
	}
}

// TestConfirmedPaymentOfATradeThatIsDropped: the trade stays completed, and its partner
// receives no event twice; the payee is paid once.
func TestConfirmedPaymentOfATradeThatIsDropped(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"relayed again": false, "spent otherwise": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			row, task := b.ready(t)
			b.send(t, b.advance(t, row.ID))
			b.mine(t, row.ID)
			require.Equal(t, trade.Completed, b.advance(t, row.ID).Status)
			path := b.path(t, row.ID)
			sent, err := b.store.GetTradePayment(t.Context(), task.TradePaymentID)
			require.NoError(t, err)
			tx, err := b.store.GetOutgoing(t.Context(), *sent.TransactionID)
			require.NoError(t, err)
			b.ltc.tip += 15
			b.look(t)
			require.Empty(t, b.alerts(t))

			b.signals = nil
			b.ltc.tip++
			delete(b.ltc.mined, *sent.TxHash)
			delete(b.ltc.heights, *sent.TxHash)
			delete(b.ltc.relayed, *sent.TxHash)
			for range 2 {
				b.look(t)
			}
			require.Contains(t, b.signals, row.ID)
			require.Equal(t, []string{alert.SendDropped}, b.alerts(t))
			state := b.advance(t, row.ID)
			require.Equal(t, trade.Completed, state.Status)
			require.Len(t, state.Payments, 1, "it is looked after")
			reservedInputs, err := b.store.ReservedInputs(t.Context(), "ltc")
			require.NoError(t, err)
			require.Equal(t, tx.Inputs, reservedInputs)
			if lost {
				b.loseForGood(t, row.ID, task.TradePaymentID)
				delete(b.ltc.coins, tx.Inputs[0])
				b.send(t, b.advance(t, row.ID))
			}
			for range 2 {
				require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: row.ID}))
			}
			require.Len(t, b.ltc.relayed, 1)
			require.Equal(t, lost, b.ltc.relayed[*sent.TxHash] == 0, "the same bytes, unless they can never be mined")
			b.mine(t, row.ID)
			state = b.advance(t, row.ID)
			require.Equal(t, trade.Completed, state.Status)
			require.Empty(t, state.Payments)
			require.Empty(t, b.alerts(t))
			require.Equal(t, path, b.path(t, row.ID))
		})
	}
}

// loseForGood shows the coins of a payment spent otherwise, deep, and has it given
// up.
func (b *bureau) loseForGood(t *testing.T, tradeID string, payment int64) {
	t.Helper()
	b.ltc.inputs = chain.InputsSpent
	require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: tradeID}))
	require.Equal(t, []string{alert.SendDropped, alert.TradePaymentStuck}, b.alerts(t))
	b.ltc.tip += 10
	for range 2 {
		require.NoError(t, b.payments.RetryTradePayment(t.Context(), trades.RetryTradePayment{
			TradeID: tradeID, TradePaymentID: payment, Actor: "cli:ann", Release: true,
		}))
	}
	b.ltc.inputs = chain.InputsFree
	b.now = b.now.Add(time.Minute)
}
