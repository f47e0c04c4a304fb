package main

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/exchange"
)

// trade inserts a trade of 1 XMR for 2 LTC with a deposit and a payout.
func (i *installation) trade(t *testing.T, id, status, payment string) {
	t.Helper()
	details, err := exchange.Details{Address: "payee", Refund: "payer"}.Seal(i.box, id)
	require.NoError(t, err)
	for _, sql := range []string{
		`INSERT INTO chains (id) VALUES ('xmr-Mainnet'), ('ltc-Mainnet') ON CONFLICT DO NOTHING`,
		`INSERT INTO wallets (id, chain_id, role, ticker, network, decimals)
			VALUES ('x', 'xmr-Mainnet', 'exchange', 'xmr', 'Mainnet', 12), ('l', 'ltc-Mainnet', 'exchange', 'ltc', 'Mainnet', 8)
			ON CONFLICT DO NOTHING`,
		`INSERT INTO trades (id, id_provider, details_sealed, provider, risk, wallet_from, wallet_to, ticker_from, network_from,
			ticker_to, network_to, amount_from, amount_to, rate, min_from, max_from, deposit_address,
			confirmations, created_at, window_seconds, expires_at, reserved, updated_at, status)
		VALUES ('` + id + `', 'sw_` + id[:24] + `', '\x` + hex.EncodeToString(details) + `', 'p', 'precheck', 'x', 'l', 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1, 2, 2, 1, 9,
			'd` + id + `', 2, now(), 60, now() + interval '1 minute', 0, now() - interval '2 hours', '` + status + `')`,
		`INSERT INTO received_payments (trade_id, wallet_id, tx_hash, address, subaddress_index, outputs, amount, first_seen_at)
			VALUES ('` + id + `', 'x', 'tx', 'd` + id + `', 1, 1, 1000000000000, now())`,
		`UPDATE trades SET counted_deposit = (SELECT max(id) FROM trade_deposits) WHERE id = '` + id + `'`,
		`INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, created_at, reason)
			SELECT '` + id + `', max(id), 'payout', 'l', 2, now(),
				CASE WHEN '` + payment + `' = 'failed' THEN 'refused' END FROM trade_deposits`,
		`INSERT INTO trade_events (trade_id, status, prev_status, occurred_at, payload, delivery)
			VALUES ('` + id + `', '` + status + `', 'x', now(), '{}', 'none')`,
	} {
		_, err := i.store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
}

func TestTradesAreListedAndShown(t *testing.T) {
	t.Parallel()
	i := install(t)
	failed, hangs, done := strings.Repeat("a", 32), strings.Repeat("b", 32), strings.Repeat("c", 32)
	i.trade(t, failed, "failed", "failed")
	i.trade(t, hangs, "processing", "planned")
	i.trade(t, done, "expired", "planned")
	_, err := i.store.Pool().Exec(t.Context(), `INSERT INTO alerts (kind, subject, detail)
		VALUES ('trade_failed', $1, 'x'), ('trade_payment_failed', $1 || '/1', 'x'), ('payout_stuck', $2, 'x')`, failed, done)
	require.NoError(t, err)

	require.Len(t, i.must(t, "trades", "list")["trades"], 3)
	require.Len(t, i.must(t, "trades", "list", "--limit=1")["trades"], 1)
	require.Len(t, i.must(t, "trades", "list", "--status=expired")["trades"], 1)
	stuck := i.must(t, "trades", "list", "--stuck")["trades"].([]any)
	alerts := map[any]any{}
	for _, one := range stuck {
		alerts[one.(map[string]any)["trade_id"]] = one.(map[string]any)["alerts"]
	}
	require.Equal(t, map[any]any{failed: "trade_failed, trade_payment_failed", hangs: nil}, alerts)

	shown := i.must(t, "trades", "show", failed)
	require.Equal(t, "xmr Mainnet", shown["from"])
	require.Equal(t, []any{"payee", "payer"}, []any{shown["address"], shown["refund_address"]})
	require.Equal(t, "payee", shown["payments"].([]any)[0].(map[string]any)["address"])
	require.Len(t, shown["deposits"], 1)
	require.Equal(t, true, shown["deposits"].([]any)[0].(map[string]any)["counted"])
	require.Equal(t, "refused", shown["payments"].([]any)[0].(map[string]any)["reason"])
	require.Len(t, shown["events"], 1)
	require.NotContains(t, shown, "password")
	for _, args := range [][]string{{"show", "x"}, {"list", "--stuck", "--status=failed"}, {"retry", "x"}} {
		_, refused := i.run(t, append([]string{"trades"}, args...)...)
		require.NotEmpty(t, refused, args)
	}
}
