package swap_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/rates"
)

// received inserts a deposit with enough confirmations to the address of a trade, as the
// watcher does.
func (b *bench) received(t *testing.T, made map[string]any, amount string) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), `INSERT INTO received_payments (trade_id, wallet_id, tx_hash, address, subaddress_index, outputs, amount, height, mature_height, mature, first_seen_at, mined_at)
		VALUES ($1, 'xmr', 'deposit', $2, 1, 1, $3::numeric * 1e12, 100, 109, true, now(), now())`, made["trade_id"], made["address_provider"], amount)
	require.NoError(t, err)
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE chains SET chain_height = 120 WHERE id = 'xmr-Mainnet'")
	require.NoError(t, err)
	id, ok := made["trade_id"].(string)
	require.True(t, ok)
	require.NoError(t, b.store.WakeTrades(t.Context(), []string{id}))
}

// first returns the only object of a list.
func (a answer) first(t *testing.T) map[string]any {
	t.Helper()
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &list), a.body)
	require.Len(t, list, 1)
	return list[0]
}

// TestTheLeastIsNoOptionOnTheMost creates a trade of the minimum amount, waits until the
// payout coin has fallen to half its price, and sends the maximum amount. The agreed amount
// and 1 % more are paid at the locked rate, the rest at the current price.
func TestTheLeastIsNoOptionOnTheMost(t *testing.T) {
	t.Parallel()
	var xmr atomic.Value
	xmr.Store("150")
	b := setupWithTemporal(t, withLimits, func(d *swap.Deps) {
		d.Quoter.ExcessBP = 100
		d.Quoter.Market = func(ticker string) (rates.Book, error) {
			price := money.MustDecimal("75")
			if ticker == "xmr" {
				price = money.MustDecimal(xmr.Load().(string))
			}
			return rates.Book{Bid: price, Ask: price}, nil
		}
	})
	answered := b.get(t, "new_trade", tradeQuery("amount_from", "0.05"), with("Idempotency-Key", "option"))
	require.Equal(t, http.StatusCreated, answered.status, answered.body)
	made := answered.object(t)
	rate := money.MustDecimal(made["rate"].(string))
	xmr.Store("75")
	b.received(t, made, "20")
	require.Eventually(t, func() bool {
		found := b.get(t, "trade", url.Values{"id": {made["trade_id"].(string)}})
		return found.status == http.StatusOK && found.first(t)["status"] == "processing" && found.first(t)["amount_received"] == "20"
	}, 8*time.Minute, 20*time.Millisecond)
	var payout money.Decimal
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT payout FROM trades").Scan(&payout))
	atLocked, beyond := money.MustDecimal("0.0505"), money.MustDecimal("19.9495")
	most := rate.Mul(atLocked).Add(beyond.Mul(money.MustDecimal("0.98"))) // 75 for 75 less 2 %
	require.Equal(t, most.Floor(8).String(), payout.String())
	require.Negative(t, payout.Cmp(rate.Mul(money.MustDecimal("20"))), "not the rate of before for all of it")
}
