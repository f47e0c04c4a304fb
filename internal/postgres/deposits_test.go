package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
)

// depositStore has two wallets of the exchange, one of which reads its chain again, and a
// trade with 10 confirmations.
func depositStore(t *testing.T) *postgres.Store {
	t.Helper()
	store := pgtest.New(t)
	for _, sql := range []string{
		`INSERT INTO chains (id, chain_height) VALUES ('xmr-Mainnet', 120), ('ltc-Mainnet', 0)`,
		`INSERT INTO wallets (id, chain_id, role, ticker, network, decimals) VALUES ('x', 'xmr-Mainnet', 'exchange', 'xmr', 'Mainnet', 12),
			('l', 'ltc-Mainnet', 'exchange', 'ltc', 'Mainnet', 8)`,
		`INSERT INTO trades (id, id_provider, details_sealed, provider, risk, wallet_from, wallet_to, ticker_from, network_from, ticker_to,
			network_to, amount_from, amount_to, rate, min_from, max_from, deposit_address, confirmations, created_at, window_seconds, expires_at,
			reserved, updated_at)
		VALUES ('` + tradeAt(1) + `', 'sw_` + tradeAt(1)[:24] + `', '', 'durapay', 'precheck', 'x', 'l', 'xmr', 'Mainnet', 'ltc',
			'Mainnet', 1, 2, 2, 1, 20, 'd', 10, now(), 60, now() + interval '1 minute', 0, now())`,
	} {
		_, err := store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	return store
}

// TestDepositsAreAsDeepAsTheDaemonHasSaid: depth and lock of a deposit are computed from
// the height of its wallet's chain. A deposit is deep and unlocked only once it is mature,
// which only a scan that asked the daemon for it says.
func TestDepositsAreAsDeepAsTheDaemonHasSaid(t *testing.T) {
	t.Parallel()
	store := depositStore(t)
	for name, c := range map[string]struct {
		columns, values string
		confirmations   int64
		locked          bool
	}{
		"in the pool":                         {"spendable_after", "0", 0, false},
		"in the pool, to be locked":           {"spendable_after", "10", 0, true},
		"young":                               {"height, mature_height", "115, 125", 5, false},
		"old, and nobody asked":               {"height, mature_height", "100, 110", 9, false},
		"mature":                              {"height, mature_height, mature", "100, 110, true", 20, false},
		"young, locked by consensus":          {"height, mature_height, spendable_after", "115, 125, 10", 5, true},
		"old, locked, and nobody asked":       {"height, mature_height, spendable_after", "100, 110, 10", 20, true},
		"locked by its payer":                 {"height, mature_height, unlock_height", "100, 900, 900", 20, true},
		"after that lock, and nobody asked":   {"height, mature_height, unlock_height", "100, 118, 118", 20, true},
		"after a time, and nobody asked":      {"height, mature_height, unlock_at", "100, 110, '2026-01-01'", 20, true},
		"mature after a lock":                 {"height, mature_height, unlock_height, spendable_after, mature", "100, 118, 118, 10, true", 20, false},
		"locked for no longer than its block": {"height, mature_height, unlock_height", "115, 125, 100", 5, false},
		"missing":                             {"vanished_at", "now()", 0, false},
	} {
		_, err := store.Pool().Exec(t.Context(), `INSERT INTO received_payments
				(trade_id, wallet_id, tx_hash, address, subaddress_index, outputs, amount, first_seen_at, `+c.columns+`)
			VALUES ($1, 'x', $2, 'd', 1, 1, 1, now(), `+c.values+`)`, tradeAt(1), name)
		require.NoError(t, err, name)
		var confirmations int64
		var locked bool
		require.NoError(t, store.Pool().QueryRow(t.Context(), "SELECT confirmations, locked FROM trade_deposits WHERE tx_hash = $1", name).
			Scan(&confirmations, &locked))
		require.Equal(t, c.confirmations, confirmations, name)
		require.Equal(t, c.locked, locked, name)
	}
}

// TestDepositStaysDeepWhileItsWalletReadsTheChainAgain, and amounts are exact in whole coins.
func TestDepositStaysDeepWhileItsWalletReadsTheChainAgain(t *testing.T) {
	t.Parallel()
	store := depositStore(t)
	_, err := store.Pool().Exec(t.Context(), `INSERT INTO received_payments
			(trade_id, wallet_id, tx_hash, address, subaddress_index, outputs, amount, first_seen_at, height, mature_height, mature)
		VALUES ($1, 'l', 'a', 'd', 1, 1, 18446744073709551615, now(), 100, 110, true), ($1, 'x', 'b', 'd', 1, 1, 100, now(), 100, 110, true)`, tradeAt(1))
	require.NoError(t, err)
	deposits, err := store.TradeDeposits(t.Context(), tradeAt(1))
	require.NoError(t, err)
	require.Len(t, deposits, 2)
	require.EqualValues(t, 10, deposits[0].Confirmations)
	require.False(t, deposits[0].Locked)
	require.Equal(t, []string{"184467440737.09551615", "0.0000000001"}, []string{deposits[0].Amount.String(), deposits[1].Amount.String()})
}
