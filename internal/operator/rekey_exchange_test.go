package operator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// TestRotationReachesTheExchange seals one value for each of its columns.
func TestRotationReachesTheExchange(t *testing.T) {
	t.Parallel()
	ctx, r := t.Context(), newRotation(t)
	seal := func(table, column, id string) []byte {
		return r.seal(t, column, secret.AD{Table: table, Column: column, ID: id})
	}
	key, id := secret.NewID("sk_"), secret.NewTradeID()
	require.NoError(t, r.store.InsertSwapKey(ctx, db.InsertSwapKeyParams{
		ID: key, Class: "partner", KeyHash: []byte{1}, Prefix: "prt_", SecretSealed: seal("swap_keys", "secret", key), CreatedAt: time.Now(),
	}))
	r.exec(t, "INSERT INTO chains (id) VALUES ('xmr-Mainnet'), ('ltc-Mainnet') ON CONFLICT DO NOTHING")
	r.exec(t, `INSERT INTO wallets (id, chain_id, role, ticker, network, decimals)
		VALUES ('a', 'xmr-Mainnet', 'exchange', 'xmr', 'Mainnet', 12), ('b', 'ltc-Mainnet', 'exchange', 'ltc', 'Mainnet', 8)`)
	r.exec(t, `INSERT INTO trades (id, id_provider, details_sealed, provider, risk, wallet_from, wallet_to, ticker_from, network_from,
		ticker_to, network_to, amount_from, amount_to, rate, min_from, max_from, deposit_address,
		confirmations, created_at, window_seconds, expires_at, reserved, updated_at)
		VALUES ($1, $2, $3, 'durapay', 'precheck', 'a', 'b', 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1, 2, 2, 1, 2, 'd',
		2, now(), 60, now() + interval '1 minute', 2, now())`, id, secret.NewID("sw_"), seal("trades", "details", id))
	r.exec(t, "INSERT INTO received_payments (trade_id, wallet_id, tx_hash, address, subaddress_index, outputs, amount, first_seen_at, origins_sealed) VALUES ($1, 'a', 't', 'd', 1, 1, 1, now(), $2)",
		id, seal("received_payments", "origins", "a/t/d"))
	r.exec(t, "INSERT INTO received_payments (trade_id, wallet_id, tx_hash, address, subaddress_index, outputs, amount, first_seen_at) VALUES ($1, 'a', 'u', 'd', 1, 1, 1, now())", id)
	r.exec(t, `INSERT INTO outgoing_transactions (wallet_id, purpose, state, seq, tx_hash, raw, inputs, paid, fee, created_at, built_at)
		VALUES ('b', 'trade_payout', 'built', 1, 'h', '', '{}', 1, 0, now(), now())`)
	var transaction string
	require.NoError(t, r.store.Pool().QueryRow(ctx, "SELECT id::text FROM outgoing_transactions").Scan(&transaction))
	r.exec(t, "UPDATE outgoing_transactions SET proof_sealed = $1", seal("outgoing_transactions", "proof", transaction))
	r.exec(t, "INSERT INTO idempotency_keys (scope, key_hash, query_hash, trade_id, response_sealed, created_at) VALUES ('', '\\x01', '\\x01', $1, $2, now())",
		id, seal("idempotency_keys", "response", id))

	// A watcher that stores a payment without origins does not hold up the rotation.
	watcher, err := r.store.Pool().Begin(ctx)
	require.NoError(t, err)
	_, err = watcher.Exec(ctx, "UPDATE received_payments SET mature = false WHERE origins_sealed IS NULL")
	require.NoError(t, err)
	now := r.rotate(t, 5, "secret, details, origins, proof, response")
	require.NoError(t, watcher.Rollback(ctx))
	row, err := r.store.GetTrade(ctx, id)
	require.NoError(t, err)
	now.requireOpens(t, "details", row.DetailsSealed, secret.AD{Table: "trades", Column: "details", ID: id})
	deposits, err := r.store.TradeDeposits(ctx, id)
	require.NoError(t, err)
	now.requireOpens(t, "origins", deposits[0].OriginsSealed, secret.AD{Table: "received_payments", Column: "origins", ID: "a/t/d"})
}
