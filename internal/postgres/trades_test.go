package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

const (
	// oldTrades were completed long ago. openTrades wait for a deposit.
	oldTrades, openTrades = 100_000, 5_000
	// mostRead is the number of rows of a table that a query may read without an
	// index.
	mostRead = 100
)

// tradeAt returns the identifier of the n-th trade. The open trades come first.
func tradeAt(n int) string { return fmt.Sprintf("%032x", n) }

// fillTrades writes the rows of an exchange that has run for a long time.
func fillTrades(t *testing.T, store *postgres.Store) {
	t.Helper()
	for _, sql := range []string{
		`INSERT INTO chains (id) VALUES ('xmr-Mainnet'), ('ltc-Mainnet')`,
		`INSERT INTO wallets (id, chain_id, role, ticker, network, decimals, balance_current_at)
		VALUES ('x', 'xmr-Mainnet', 'exchange', 'xmr', 'Mainnet', 12, now()), ('l', 'ltc-Mainnet', 'exchange', 'ltc', 'Mainnet', 8, now())`,
		`INSERT INTO trades (id, id_provider, details_sealed, provider, risk, wallet_from, wallet_to, ticker_from, network_from, ticker_to,
			network_to, amount_from, amount_to, rate, min_from, max_from, deposit_address, confirmations, created_at,
			window_seconds, expires_at, status, reserved, client_code, updated_at)
		SELECT lpad(to_hex(n), 32, '0'), 'sw_' || lpad(to_hex(n), 24, '0'), '\x00', 'durapay', 'precheck', 'x', 'l', 'xmr', 'Mainnet', 'ltc',
			'Mainnet', 1, 2, 2, 0.05, 20, 'd' || n, 2, now() - n * interval '1 minute',
			3600, now() - n * interval '1 minute' + interval '1 hour', CASE WHEN n <= $1 THEN 'awaiting_deposit' ELSE 'completed' END,
			CASE WHEN n <= $1 THEN 2 ELSE 0 END, CASE WHEN n <= $1 THEN '\x01'::bytea END, now() FROM generate_series(1, $2::int) n`,
		`INSERT INTO addresses (wallet_id, address, subaddress_index)
		SELECT 'x', 'd' || n, n FROM generate_series(1 + 0 * $1::int, $2::int + 50) n`,
		`INSERT INTO received_payments (trade_id, wallet_id, tx_hash, address, subaddress_index, outputs, amount, height, mature_height, mature, first_seen_at)
		SELECT lpad(to_hex(n), 32, '0'), 'x', 't' || n, 'd' || n, n, 1, 1, 1, 3, true, now() FROM generate_series($1 + 1, $2::int) n`,
		`INSERT INTO outgoing_transactions (id, wallet_id, purpose, trade_ids, state, seq, tx_hash, raw, paid, fee, inputs, created_at,
			built_at, sent_at, confirmed_at)
		SELECT id, 'l', 'trade_payout', ARRAY[trade_id], 'confirmed', id, 'p' || id, '\x00', 2, 0, '{}', first_seen_at, first_seen_at,
			first_seen_at, first_seen_at FROM trade_deposits WHERE $1::int < $2::int`,
		`INSERT INTO trade_payments (id, trade_id, deposit_id, kind, wallet_id, amount, created_at, transaction_id, paid, fee)
		SELECT id, trade_id, id, 'payout', 'l', 2, first_seen_at, id, 2, 0 FROM trade_deposits WHERE $1::int < $2::int`,
		`INSERT INTO trade_events (trade_id, status, prev_status, occurred_at, payload, delivery)
		SELECT trade_id, 'completed', 'sending', now(), '{}', 'none' FROM trade_deposits WHERE $1::int < $2::int`,
		`INSERT INTO idempotency_keys (scope, key_hash, query_hash, trade_id, created_at)
		SELECT '', id::bytea, '\x00', id, created_at FROM trades WHERE $1::int < $2::int`,
	} {
		var args []any
		if strings.Contains(sql, "$1") {
			args = []any{openTrades, oldTrades}
		}
		_, err := store.Pool().Exec(t.Context(), sql, args...)
		require.NoError(t, err, sql)
	}
	for _, table := range []string{"trades", "addresses", "received_payments", "trade_payments", "outgoing_transactions", "trade_events", "idempotency_keys"} {
		_, err := store.Pool().Exec(t.Context(), "VACUUM ANALYZE "+table)
		require.NoError(t, err)
	}
}

// TestQueriesOfTradesUseTheirIndexes runs all queries of quotes, trades and
// watchers among many old trades. It counts the rows that were read without an
// index.
func TestQueriesOfTradesUseTheirIndexes(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	fillTrades(t, store)
	witnesstest.Open(t, store, "x")
	_, err := store.Pool().Exec(t.Context(), "UPDATE witnesses SET handed_out = $1", oldTrades)
	require.NoError(t, err)
	now, old := time.Now(), tradeAt(oldTrades/2)
	var deposit, payment, event int64
	require.NoError(t, store.Pool().QueryRow(t.Context(), `SELECT d.id, x.id, e.id FROM trade_deposits d JOIN trade_payments x ON x.deposit_id = d.id
		JOIN trade_events e ON e.trade_id = d.trade_id WHERE d.trade_id = $1`, old).Scan(&deposit, &payment, &event))
	for name, ask := range map[string]func(context.Context, *db.Queries) error{
		"inventory": func(ctx context.Context, q *db.Queries) error { _, err := q.ReservedInventory(ctx, "l"); return err },
		"begin a trade": func(ctx context.Context, q *db.Queries) error {
			_, err := q.BeginTrade(ctx, db.BeginTradeParams{WalletFrom: "x", WalletTo: "l", ClientCode: []byte{1}})
			return err
		},
		"an address for a trade": func(ctx context.Context, q *db.Queries) error {
			_, err := q.HandOutAddresses(ctx, db.HandOutAddressesParams{WalletID: "x", Most: 1})
			return err
		},
		"an order in hand": func(ctx context.Context, q *db.Queries) error {
			if _, err := q.OrderInHand(ctx, old); !postgres.IsNotFound(err) {
				return err
			}
			return nil
		},
		"holdings": func(ctx context.Context, q *db.Queries) error { _, err := q.ExchangeHoldings(ctx); return err },
		"free addresses": func(ctx context.Context, q *db.Queries) error {
			_, err := q.FreeAddresses(ctx, db.FreeAddressesParams{WalletID: "x", Limit: 1000})
			return err
		},
		"trades at addresses": func(ctx context.Context, q *db.Queries) error {
			_, err := q.HoldTradesAt(ctx, db.HoldTradesAtParams{WalletIds: []string{"x"}, Addresses: []string{"d7", "d70000", "e"}})
			return err
		},
		"charges at addresses": func(ctx context.Context, q *db.Queries) error {
			_, err := q.HoldChargesAt(ctx, db.HoldChargesAtParams{WalletIds: []string{"x"}, Addresses: []string{"d7", "d70000", "e"}})
			return err
		},
		"an unmatched payment": func(ctx context.Context, q *db.Queries) error {
			_, err := q.IndexOfAddress(ctx, db.IndexOfAddressParams{WalletID: "x", Address: "d70000"})
			return err
		},
		"deposits of transactions": func(ctx context.Context, q *db.Queries) error {
			_, err := q.FindReceivedPayments(ctx, db.FindReceivedPaymentsParams{WalletIds: []string{"x"}, TxHashes: []string{"t70000"}})
			return err
		},
		"watched deposits": func(ctx context.Context, q *db.Queries) error {
			_, err := q.WatchedPayments(ctx, db.WatchedPaymentsParams{
				WalletIds: []string{"x"}, FromHeight: 1000, ToHeight: 1060, ChainHeight: 1061, Now: now, DroppedSince: now.Add(-time.Hour), DroppedLimit: 100,
			})
			return err
		},
		"deposits to screen": func(ctx context.Context, q *db.Queries) error {
			_, err := q.UnscreenedDeposits(ctx, db.UnscreenedDepositsParams{WalletIds: []string{"x"}, Now: now, MaxRows: 10})
			return err
		},
		"maturing": func(ctx context.Context, q *db.Queries) error {
			_, err := q.MaturePayments(ctx, db.MaturePaymentsParams{WalletIds: []string{"x"}, ChainHeight: 5000, Now: now, Located: []string{"t70000"}})
			return err
		},
		"moving": func(ctx context.Context, q *db.Queries) error {
			_, err := q.MovePayments(ctx, db.MovePaymentsParams{
				Now: now, Ids: []int64{deposit}, Heights: []int64{4000}, Dropped: []bool{false}, Contested: []bool{false},
			})
			return err
		},
		"revaluing": func(ctx context.Context, q *db.Queries) error {
			return q.RevaluePayment(ctx, db.RevaluePaymentParams{ID: deposit, Amount: 2})
		},
		"a deposit that is worth nothing": func(ctx context.Context, q *db.Queries) error {
			_, err := q.DropWorthlessDeposit(ctx, deposit)
			return err
		},
		"abandoning": func(ctx context.Context, q *db.Queries) error {
			_, err := q.AbandonLockedDeposits(ctx, old)
			return err
		},
		"the last relay": func(ctx context.Context, q *db.Queries) error { _, err := q.LastRelay(ctx, "l"); return err },
		"lookup":         func(ctx context.Context, q *db.Queries) error { _, err := q.GetTrade(ctx, old); return err },
		"transactions":   func(ctx context.Context, q *db.Queries) error { _, err := q.TradeTransactions(ctx, old); return err },
		"deposits":       func(ctx context.Context, q *db.Queries) error { _, err := q.TradeDeposits(ctx, old); return err },
		"payments":       func(ctx context.Context, q *db.Queries) error { _, err := q.TradePayments(ctx, old); return err },
		"events":         func(ctx context.Context, q *db.Queries) error { _, err := q.TradeEvents(ctx, old); return err },
		"unsent events":  func(ctx context.Context, q *db.Queries) error { _, err := q.UnsentTradeEvents(ctx, old); return err },
		"dead events": func(ctx context.Context, q *db.Queries) error {
			_, err := q.DeadTradeEvents(ctx, db.DeadTradeEventsParams{Limit: 50})
			return err
		},
		"a payment's deposit": func(ctx context.Context, q *db.Queries) error { _, err := q.PaidDeposit(ctx, payment); return err },
		"payments of a transaction": func(ctx context.Context, q *db.Queries) error {
			_, err := q.PaymentsOfTransaction(ctx, payment)
			return err
		},
		"unrelayed": func(ctx context.Context, q *db.Queries) error {
			_, err := q.UnrelayedOutgoing(ctx, "l")
			require.True(t, postgres.IsNotFound(err))
			return nil
		},
		"promised inputs": func(ctx context.Context, q *db.Queries) error { _, err := q.ReservedInputs(ctx, "l"); return err },
		"sending":         func(ctx context.Context, q *db.Queries) error { _, err := q.TradesSending(ctx, []string{"l"}); return err },
		"overdue": func(ctx context.Context, q *db.Queries) error {
			_, err := q.TradesOverdue(ctx, db.TradesOverdueParams{WalletIds: []string{"x"}, Before: now})
			return err
		},
		"the search of what is overdue": func(ctx context.Context, q *db.Queries) error {
			_, err := q.OverdueTrades(ctx, db.OverdueTradesParams{
				Before: now.Add(-90 * 24 * time.Hour), SettledBefore: now.Add(-90 * 24 * time.Hour), MovedAfter: now, RecentBlocks: -2, MostRecent: 20_000, MaxRows: 200,
			})
			return err
		},
		"deliveries that are overdue": func(ctx context.Context, q *db.Queries) error {
			_, err := q.OverdueDeliveries(ctx, db.OverdueDeliveriesParams{Before: now, MaxRows: 200})
			return err
		},
		"list": func(ctx context.Context, q *db.Queries) error {
			_, err := q.NewestTrades(ctx, db.NewestTradesParams{Statuses: []string{"completed", "failed"}, Before: now, MaxRows: 50})
			return err
		},
		"claims": func(ctx context.Context, q *db.Queries) error {
			_, err := q.PruneIdempotencyKeys(ctx, db.PruneIdempotencyKeysParams{Before: now.Add(-24 * time.Hour), Batch: 10})
			return err
		},
		"an answer": func(ctx context.Context, q *db.Queries) error {
			_, err := q.KeepIdempotentResponse(ctx, db.KeepIdempotentResponseParams{TradeID: old, ResponseSealed: []byte{1}})
			return err
		},
		"old trades": func(ctx context.Context, q *db.Queries) error {
			_, err := q.OldTrades(ctx, db.OldTradesParams{Before: now.Add(-24 * time.Hour), Batch: 100})
			return err
		},
		"prune": func(ctx context.Context, q *db.Queries) error { return q.DeleteTrades(ctx, []string{old}) },
	} {
		require.Empty(t, readWhole(t, store, ask), "%s reads tables without an index", name)
	}
	require.NotZero(t, deposit+event)
}

// readWhole returns the tables of which a query read many rows without an
// index. It runs the query in a transaction that is rolled back.
func readWhole(t *testing.T, store *postgres.Store, ask func(context.Context, *db.Queries) error) (tables []string) {
	t.Helper()
	tx, err := store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	before := scanned(t, tx) // numbers that this connection has not reported yet
	require.NoError(t, ask(t.Context(), store.WithTx(tx)))
	for table, n := range scanned(t, tx) {
		if n-before[table] > mostRead {
			tables = append(tables, table)
		}
	}
	return tables
}

// scanned returns the number of rows of each table that were read without an
// index.
func scanned(t *testing.T, tx pgx.Tx) map[string]int64 {
	t.Helper()
	rows, err := tx.Query(t.Context(), `SELECT relname::text, seq_tup_read FROM pg_stat_xact_user_tables`)
	require.NoError(t, err)
	defer rows.Close()
	counts := map[string]int64{}
	for rows.Next() {
		var name string
		var n int64
		require.NoError(t, rows.Scan(&name, &n))
		counts[name] = n
	}
	require.NoError(t, rows.Err())
	return counts
}
