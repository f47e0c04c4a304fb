package rekey_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rekey"
	"github.com/durapay/durapay/internal/secret"
)

// TestRotationReachesTheExchange seals one value of each of its columns.
func TestRotationReachesTheExchange(t *testing.T) {
	t.Parallel()
	ctx, file, store := t.Context(), t.TempDir()+"/keyset.json", pgtest.New(t)
	require.NoError(t, secret.NewKeysetFile(file))
	box, err := secret.Open(file)
	require.NoError(t, err)
	seal := func(table, column, id string) []byte {
		sealed, err := box.Seal([]byte(column), secret.AD{Table: table, Column: column, ID: id})
		require.NoError(t, err)
		return sealed
	}
	exec := func(sql string, args ...any) {
		_, err := store.Pool().Exec(ctx, sql, args...)
		require.NoError(t, err)
	}
	key, id := secret.NewID("sk_"), secret.NewTradeID()
	require.NoError(t, store.InsertSwapKey(ctx, db.InsertSwapKeyParams{
		ID: key, Class: "partner", KeyHash: []byte{1}, Prefix: "prt_", SecretSealed: seal("swap_keys", "secret", key), CreatedAt: time.Now(),
	}))
	exec("INSERT INTO exchange_wallets (id, ticker, network, decimals) VALUES ('a', 'xmr', 'Mainnet', 12), ('b', 'ltc', 'Mainnet', 8)")
	exec(`INSERT INTO trades (id, id_provider, details_sealed, provider, risk, wallet_from, wallet_to, ticker_from, network_from,
		ticker_to, network_to, amount_from, amount_to, rate, min_from, max_from, deposit_address,
		confirmations, created_at, window_seconds, expires_at, reserved, updated_at)
		VALUES ($1, $2, $3, 'durapay', 'precheck', 'a', 'b', 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1, 2, 2, 1, 2, 'd',
		2, now(), 60, now() + interval '1 minute', 2, now())`, id, secret.NewID("sw_"), seal("trades", "details", id))
	exec("INSERT INTO trade_deposits (trade_id, wallet_id, tx_hash, address, amount, first_seen_at, origins_sealed) VALUES ($1, 'a', 't', 'd', 1, now(), $2)",
		id, seal("trade_deposits", "origins", "a/t/d"))
	exec("INSERT INTO trade_deposits (trade_id, wallet_id, tx_hash, address, amount, first_seen_at) VALUES ($1, 'a', 'u', 'd', 1, now())", id)
	exec(`INSERT INTO outgoing_transactions (wallet_id, purpose, state, seq, tx_hash, raw, inputs, paid, fee, created_at, built_at)
		VALUES ('b', 'trade_payout', 'built', 1, 'h', '', '{}', 1, 0, now(), now())`)
	var transaction string
	require.NoError(t, store.Pool().QueryRow(ctx, "SELECT id::text FROM outgoing_transactions").Scan(&transaction))
	exec("UPDATE outgoing_transactions SET proof_sealed = $1", seal("outgoing_transactions", "proof", transaction))
	exec("INSERT INTO idempotency_keys (scope, key_hash, query_hash, trade_id, response_sealed, created_at) VALUES ('', '\\x01', '\\x01', $1, $2, now())",
		id, seal("idempotency_keys", "response", id))

	require.NoError(t, secret.Rotate(file))
	require.NoError(t, box.Reload())
	n, err := rekey.All(ctx, store, box)
	require.NoError(t, err)
	require.Equal(t, 5, n, "secret, details, origins, proof, response")
	n, err = rekey.All(ctx, store, box)
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = secret.DropOldKeys(file)
	require.NoError(t, err)
	fresh, err := secret.Open(file)
	require.NoError(t, err)
	row, err := store.GetTrade(ctx, id)
	require.NoError(t, err)
	plain, err := fresh.Unseal(row.DetailsSealed, secret.AD{Table: "trades", Column: "details", ID: id})
	require.NoError(t, err)
	require.Equal(t, "details", string(plain))
	deposits, err := store.TradeDeposits(ctx, id)
	require.NoError(t, err)
	plain, err = fresh.Unseal(deposits[0].OriginsSealed, secret.AD{Table: "trade_deposits", Column: "origins", ID: "a/t/d"})
	require.NoError(t, err)
	require.Equal(t, "origins", string(plain))
}
