package postgres_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// beforeOutgoing is the last version that kept transactions in two tables.
const beforeOutgoing = 22

// of22 is a transaction in each state, as the version before kept them. The
// trades are numbered by their deposits.
var of22 = []string{
	`INSERT INTO wallets (id, mode, primary_address) VALUES ('m', 'live', 'a'), ('s', 'sandbox', 'b')`,
	`INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, password_hash, live_wallet_id, sandbox_wallet_id)
		VALUES (repeat('a', 32), '', '', 'n', 'h', 'm', 's')`,
	`INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, fee, network_fee, amount,
		charges_paid, outputs, tx_hash, tx_blob, tx_key_sealed, key_images, height, error, created_at, built_at, sent_at, confirmed_at)
	SELECT 'po_' || lpad(n::text, 24, '0'), repeat('a', 32), 'm', s, '', 'x', 7000000000000, 0, 0, 1000000000000, 6000000000000, 1, 1,
		'payout ' || s, '\x01', '\x02', ARRAY['i' || n], CASE WHEN s = 'confirmed' THEN 5 END, CASE WHEN s = 'failed' THEN 'e' END, now(),
		now() + n * interval '1 s', CASE WHEN s IN ('broadcast', 'confirmed') THEN now() END, CASE WHEN s = 'confirmed' THEN now() END
	FROM unnest(ARRAY['building', 'broadcast', 'confirmed', 'failed']) WITH ORDINALITY AS t (s, n)`,
	`INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs, created_at)
		VALUES ('po_' || repeat('9', 24), repeat('a', 32), 'm', 'failed', '', 'x', 1, 0, 1, 1, now())`,
	`INSERT INTO exchange_wallets (id, ticker, network, decimals, looked_at) VALUES ('x', 'xmr', 'Mainnet', 12, now()), ('l', 'ltc', 'Mainnet', 8, now())`,
	`INSERT INTO trades (id, id_provider, password_sealed, provider, risk, wallet_from, wallet_to, ticker_from, network_from, ticker_to,
		network_to, amount_from, amount_to, rate, min_from, max_from, deposit_address, address, refund_address, confirmations, created_at,
		window_seconds, expires_at, status, reserved, updated_at)
	SELECT lpad(n::text, 32, '0'), 'sw_' || lpad(n::text, 24, '0'), '', 'durapay', 'precheck', 'x', 'l', 'xmr', 'Mainnet', 'ltc',
		'Mainnet', 1, 2, 2, 0.05, 20, 'd' || n, 'a', 'r', 2, now(), 3600, now() + interval '1 h', 'processing', 0, now() FROM generate_series(1, 8) n`,
	`INSERT INTO trade_deposits (trade_id, wallet_id, tx_hash, address, amount, height, confirmations, first_seen_at)
	SELECT lpad(n::text, 32, '0'), 'x', 't' || n, 'd' || n, 1, 1, 2, now() FROM generate_series(1, 8) n`,
	`INSERT INTO trade_transfers (trade_id, deposit_id, kind, wallet_id, address, amount, state, reason, tx_hash, raw, paid, fee, inputs,
		proof_sealed, created_at, built_at, sent_at, confirmed_at)
	SELECT d.trade_id, d.id, CASE WHEN n = 7 THEN 'refund' ELSE 'payout' END, CASE WHEN n = 2 THEN 'x' ELSE 'l' END, 'a', 2, CASE WHEN n = 7 THEN 'sent' WHEN n = 8 THEN 'failed' ELSE s END,
		CASE WHEN n >= 8 OR s = 'failed' THEN 'why' END, CASE WHEN built THEN 'h' || n END, CASE WHEN built THEN '\x03'::bytea END,
		CASE WHEN n = 7 THEN 1.5 WHEN built THEN 2 END, CASE WHEN n = 7 THEN 0.5 WHEN built THEN 0.1 END, CASE WHEN built THEN ARRAY['c' || n] END,
		CASE WHEN built THEN '\x04'::bytea END, now(), CASE WHEN built THEN now() - n * interval '1 s' END,
		CASE WHEN n IN (4, 5, 7) THEN now() END, CASE WHEN n = 5 THEN now() END
	FROM (SELECT n, s, n NOT IN (1, 2, 8) AS built FROM unnest(ARRAY['planned', 'building', 'built', 'sent', 'confirmed', 'failed', 'sent', 'failed'])
		WITH ORDINALITY AS t (s, n)) o JOIN trade_deposits d ON d.trade_id = lpad(o.n::text, 32, '0')`,
	`INSERT INTO trade_releases (transfer_id, tx_hash, raw, inputs, lost_height, released_at, actor)
	SELECT id, 'given up', '\x05', ARRAY['old'], 9, now(), 'cli:ann' FROM trade_transfers WHERE state = 'planned'`,
}

// TestTransactionsMoveIntoOneTable brings a database of the version before up to
// date: nothing that was signed is lost, nothing is owed twice, and the next
// transaction of each wallet is counted on.
func TestTransactionsMoveIntoOneTable(t *testing.T) {
	t.Parallel()
	store, err := postgres.Open(t.Context(), pgtest.NewURL(t), 4)
	require.NoError(t, err)
	t.Cleanup(store.Close)
	exec := func(sql string) {
		t.Helper()
		_, err := store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err, sql)
	}
	exec("DROP SCHEMA public CASCADE")
	exec("CREATE SCHEMA public")
	conn := stdlib.OpenDBFromPool(store.Pool())
	t.Cleanup(func() { _ = conn.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, os.DirFS("migrations"))
	require.NoError(t, err)
	_, err = provider.UpTo(t.Context(), beforeOutgoing)
	require.NoError(t, err)
	for _, sql := range of22 {
		exec(sql)
	}
	_, err = provider.UpTo(t.Context(), clearDetails)
	require.NoError(t, err)

	require.Equal(t, []string{
		"payout built payout building 6 1 payouts:tx_key:po_000000000000000000000001",
		"payout sent payout broadcast 6 1 payouts:tx_key:po_000000000000000000000002",
		"payout confirmed payout confirmed 6 1 payouts:tx_key:po_000000000000000000000003",
		"payout abandoned payout failed 6 1 payouts:tx_key:po_000000000000000000000004",
	}, column(t, store, `SELECT concat_ws(' ', purpose, state, tx_hash, paid::real, fee::real, proof_ad)
		FROM outgoing_transactions WHERE wallet_id = 'm' ORDER BY seq`))
	require.Equal(t, []string{
		"refund sent h7 1.5 0.5", "trade_payout failed h6 2 0.1", "trade_payout confirmed h5 2 0.1", "trade_payout sent h4 2 0.1",
		"trade_payout built h3 2 0.1", "trade_payout abandoned given up 2 0",
	}, column(t, store, `SELECT concat_ws(' ', purpose, state, tx_hash, paid::real, fee::real) FROM outgoing_transactions WHERE wallet_id = 'l' ORDER BY seq`))
	require.Equal(t, []string{"planned", "planned", "built h3", "sent h4", "confirmed h5", "failed h6", "sent h7", "failed"},
		column(t, store, `SELECT concat_ws(' ', state, tx_hash) FROM trade_payment_states ORDER BY trade_id`))
	require.Equal(t, []string{"l 6", "m 4"}, column(t, store, `SELECT wallet_id || ' ' || seq FROM outgoing_sequences ORDER BY 1`))
	migrateWithoutTrades(t, store, provider)
	id, err := store.ClaimWallet(t.Context(), db.ClaimWalletParams{WalletID: "m", Purpose: "payout", PayoutID: new("po_999999999999999999999999"), TradeIds: []string{}})
	require.NoError(t, err, "new rows do not meet the old ones")
	seq, err := store.StoreBuilt(t.Context(), db.StoreBuiltParams{ID: id, TxHash: "next", Raw: []byte{1}, Inputs: []string{}})
	require.NoError(t, err)
	require.EqualValues(t, 5, seq)
	_, err = store.StoreBuilt(t.Context(), db.StoreBuiltParams{ID: id, TxHash: "other", Raw: []byte{1}, Inputs: []string{}})
	require.True(t, postgres.IsNotFound(err), "bytes are stored once")
}

func column(t *testing.T, store *postgres.Store, sql string) []string {
	t.Helper()
	rows, err := store.Pool().Query(context.WithoutCancel(t.Context()), sql)
	require.NoError(t, err)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		all = append(all, text)
	}
	require.NoError(t, rows.Err())
	return all
}
