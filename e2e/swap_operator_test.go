package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
)

// shownTrade is what operators see of a trade.
type shownTrade struct {
	Status   string `json:"status"`
	Deposits []struct {
		Confirmations int64 `json:"confirmations"`
		Locked        bool  `json:"locked"`
	} `json:"deposits"`
	Payments []struct {
		ID     int64   `json:"id"`
		State  string  `json:"state"`
		TxHash *string `json:"tx_hash"`
	} `json:"payments"`
}

// operate runs a command about trades that shows one.
func (b *bourse) operate(ctx context.Context, command, what string) (shown shownTrade, err error) {
	printed, err := b.Stack.Durapay(ctx, "admin", "--json", "trades", command, what)
	if err == nil {
		err = json.Unmarshal(printed, &shown)
	}
	return shown, err
}

// TestSwapWhoseDepositItsPayerLocked is ended by an operator, and the deposit
// is sent back once it can be spent: the trade stays expired until the refund is deep,
// and is refunded then.
func TestSwapWhoseDepositItsPayerLocked(t *testing.T) {
	t.Parallel()
	b := fullStacks.take(t).bourse
	refund, err := b.Customer.NewAccount(within(t))
	require.NoError(t, err)
	made := b.newTrade(t, url.Values{
		"ticker_from": {"xmr"}, "ticker_to": {"ltc"}, "network_from": {"Mainnet"}, "network_to": {"Mainnet"},
		"amount_from": {"0.3"}, "address": {b.ltcAddress(t)}, "refund": {refund.Address}, "provider": {"durapay"},
	})
	var ended swap
	height, err := b.Chain.Height(within(t))
	require.NoError(t, err)
	sent, err := b.Customer.PayLocked(within(t), height+50, fixture.Output{Address: made.Deposit, Amount: xmr("0.3")})
	require.NoError(t, err)
	b.awaitPassedOn(t, sent.Hash)
	require.NoError(t, b.Chain.Mine(within(t), deepXMR+2))
	eventually(t, "the deposit is deep", func(ctx context.Context) error {
		shown, err := b.operate(ctx, "show", made.TradeID)
		if err == nil && (len(shown.Deposits) != 1 || shown.Deposits[0].Confirmations < deepXMR) {
			err = fmt.Errorf("%+v", shown)
		}
		return err
	})
	require.Equal(t, "confirming", b.look(t, made.TradeID).Status, "it cannot be spent")
	b.closeWindow(t, made.TradeID)
	for range 2 {
		_, err = b.operate(within(t), "end", made.TradeID)
		require.NoError(t, err)
	}
	eventually(t, "the trade ends", func(ctx context.Context) error {
		shown, err := b.operate(ctx, "show", made.TradeID)
		if err == nil && shown.Status != "expired" {
			err = errors.New(shown.Status)
		}
		return err
	})
	require.Nil(t, b.look(t, made.TradeID).Refund)
	require.NoError(t, b.Chain.Mine(within(t), 40))
	eventually(t, "the deposit is sent back", func(context.Context) error {
		if ended = b.look(t, made.TradeID); ended.Refund == nil {
			return errors.New("nothing is sent")
		}
		return nil
	})
	b.awaitPassedOn(t, *ended.Refund)
	// It may be in one of the last blocks already, and deep enough by now.
	for b.depth(t, *ended.Refund) < refundDepth {
		status := b.look(t, made.TradeID).Status
		if b.depth(t, *ended.Refund) < refundDepth {
			require.Equal(t, "expired", status, "the refund is not deep")
		}
		require.NoError(t, b.Chain.Mine(within(t), 1))
	}
	eventually(t, "the trade is refunded", func(context.Context) error {
		if ended = b.look(t, made.TradeID); ended.Status != "refunded" {
			return errors.New(ended.Status)
		}
		return nil
	})
	require.Nil(t, ended.Payout)
	eventually(t, "the customer has it", func(ctx context.Context) error {
		got, err := refund.Receipts(ctx)
		if err == nil && (len(got) != 1 || got[0].TxHash != *ended.Refund || got[0].Amount >= xmr("0.3") || got[0].Amount < xmr("0.29")) {
			err = fmt.Errorf("%+v", got)
		}
		return err
	})
}

// refundDepth is how deep the stack's exchange wants its own transactions.
const refundDepth = 2

// depth is how many confirmations a Monero transaction has; 0 in the pool.
func (b *bourse) depth(t *testing.T, txHash string) int {
	t.Helper()
	found, err := b.Chain.Where(within(t), txHash)
	require.NoError(t, err)
	tip, err := b.Chain.Height(within(t))
	require.NoError(t, err)
	if found.State != monero.Mined {
		return 0
	}
	return int(tip - found.Height)
}

// closeWindow makes a trade older than its deposit window.
func (b *bourse) closeWindow(t *testing.T, tradeID string) {
	t.Helper()
	done, err := b.database(t).Exec(within(t), "UPDATE trades SET created_at = created_at - interval '1 day', expires_at = expires_at - interval '1 day' WHERE id = $1", tradeID)
	require.NoError(t, err)
	require.EqualValues(t, 1, done.RowsAffected())
}

// TestOperatorRetriesARefusedTradePayout has the daemon refuse a payout: the trade fails,
// and an operator has the same bytes sent when the daemon takes them.
func TestOperatorRetriesARefusedTradePayout(t *testing.T) {
	t.Parallel()
	b := newMarket(t, fullStacks.take(t).bourse)
	d := b.deal(t, "ltc", "0.33")
	b.daemon.refuse(relayPath, `{"status":"Failed","reason":"","double_spend":false,"fee_too_low":true,"not_relayed":false}`)
	b.pay(t, d)
	require.NoError(t, b.Coins.Mine(within(t), 2))
	b.await(t, d, "failed")
	failed, err := b.operate(within(t), "show", d.TradeID)
	require.NoError(t, err)
	require.Len(t, failed.Payments, 1)
	require.Equal(t, "failed", failed.Payments[0].State)
	b.daemon.accept(relayPath)
	for range 2 {
		_, err = b.operate(within(t), "retry", fmt.Sprint(failed.Payments[0].ID))
		require.NoError(t, err)
	}
	eventually(t, "the payout is sent and confirmed", func(context.Context) error {
		now := b.look(t, d.TradeID)
		if now.Status == "completed" {
			require.Equal(t, *failed.Payments[0].TxHash, *now.Payout)
			return nil
		}
		b.mineBoth(t)
		return errors.New(now.Status)
	})
	paid, _ := b.requirePaidOnce(t, d)
	require.Equal(t, pays(t, d.swap, d.amount, 12), paid.String())
}
