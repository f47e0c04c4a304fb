package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
)

// TestSwapFloodLeavesTradesPossible asks for more trades than there are deposit
// addresses ready: each is made with an address of its own or refused in
// words, and afterwards trades are made as before.
func TestSwapFloodLeavesTradesPossible(t *testing.T) {
	t.Parallel()
	b := fullStacks.take(t).bourse
	payee, err := b.Customer.Address(t.Context())
	require.NoError(t, err)
	query := url.Values{
		"ticker_from": {"ltc"}, "ticker_to": {"xmr"}, "network_from": {"Mainnet"}, "network_to": {"Mainnet"},
		"amount_from": {"0.1"}, "address": {payee}, "refund": {b.ltcAddress(t)},
	}
	const trades, atOnce = 120, 4
	var mu sync.Mutex
	deposits, refused := map[string]bool{}, 0
	var wait sync.WaitGroup
	for range atOnce {
		wait.Go(func() {
			for range trades / atOnce {
				key := secret.NewTradeID()
				var status int
				var body string
				eventually(t, "the exchange makes the trade or refuses", func(context.Context) error {
					status, body = b.get(t, "new_trade", query, key, nil)
					if status == http.StatusInternalServerError { // it took too long, and the trade may be made
						return errors.New(body)
					}
					return nil
				})
				var made swap
				if err := json.Unmarshal([]byte(body), &made); err != nil {
					t.Error(err)
				}
				mu.Lock()
				switch {
				case status == http.StatusCreated && !deposits[made.Deposit]:
					deposits[made.Deposit] = true
				case status == http.StatusServiceUnavailable && made.Deposit == "":
					refused++
				default:
					t.Errorf("%d %s", status, body)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	require.Equal(t, trades, len(deposits)+refused)
	require.NotEmpty(t, deposits)
	t.Logf("%d trades were made, %d refused", len(deposits), refused)
	eventually(t, "a trade is made again", func(context.Context) error {
		if status, body := b.get(t, "new_trade", query, secret.NewTradeID(), nil); status != http.StatusCreated {
			return fmt.Errorf("%d %s", status, body)
		}
		return nil
	})
}

// TestSwapFurtherDepositIsSentBack pays a trade a second time after it was
// settled: that money comes back, and the trade stays what it is.
func TestSwapFurtherDepositIsSentBack(t *testing.T) {
	t.Parallel()
	b := fullStacks.take(t).bourse
	payee, err := b.Customer.Address(t.Context())
	require.NoError(t, err)
	refund := b.ltcAddress(t)
	made := b.trade(t, "ltc", "xmr", "0.5", payee, refund)
	b.payLTC(t, made.Deposit, "0.5")
	done := b.until(t, made.TradeID, "completed")
	require.Nil(t, done.Refund)
	b.payLTC(t, made.Deposit, "0.2")
	eventually(t, "the further deposit is sent back", func(ctx context.Context) error {
		if err := b.Stack.MineLitecoin(ctx, 1); err != nil {
			return err
		}
		if b.look(t, made.TradeID).Refund == nil {
			return fmt.Errorf("nothing is sent back")
		}
		return nil
	})
	back := money.MustDecimal(b.ltcReceived(t, refund))
	require.Positive(t, back.Sign())
	require.Negative(t, back.Cmp(money.MustDecimal("0.2")), "less the chain fee")
	now := b.look(t, made.TradeID)
	require.Equal(t, []string{"completed", "0.5", *done.Payout}, []string{now.Status, now.Received, *now.Payout})
}
