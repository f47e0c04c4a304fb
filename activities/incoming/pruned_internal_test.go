package incoming

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

const oldCharge = "ch_0123456789abcdef01234567"

// forgotten is a database in which one charge has expired without payment.
func forgotten(t *testing.T) *postgres.Store {
	t.Helper()
	store := pgtest.New(t)
	for _, sql := range []string{
		`INSERT INTO chains (id) VALUES ('c')`,
		`INSERT INTO wallets (id, chain_id, mode, primary_address) VALUES ('w', 'c', 'live', 'p')`,
		`INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, password_hash, live_wallet_id, sandbox_wallet_id)
			VALUES (repeat('a', 32), '', '', '', '', 'w', 'w')`,
		`INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency,
				amount_piconero, confirm_from_piconero, status, confirmations_required, created_at, expires_at)
			VALUES ('` + oldCharge + `', repeat('a', 32), 'live', 'api', 'w', 7, 's', 1, 'XMR', 1, 1, 'expired', 10, now(), now())`,
		`INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES ('w', 7, 's')`,
	} {
		_, err := store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	return store
}

// scanOf returns the rows of the chain for one scan.
func scanOf(store *postgres.Store) *payments {
	return &payments{store: store, chainID: "c", configured: []string{"w"}, wallets: []string{"w"}}
}

// seen is a scan that found a payment to the charge's subaddress.
func seen(t *testing.T, store *postgres.Store) watch.Scanned {
	t.Helper()
	before, err := scanOf(store).State(t.Context())
	require.NoError(t, err)
	height, now := uint64(100), time.Now().UTC().Truncate(time.Millisecond)
	return watch.Scanned{
		Before: before, After: watch.State{Height: 101, Hash: "h", ScannedAt: &now}, Now: now, Located: []string{"late"},
		Changes: watch.Changes{New: []watch.Payment{{
			Received: chain.Received{TxHash: "late", Address: "s", WalletID: "w", Ref: "7", Amount: 5, Outputs: 1, Height: 100},
			Place:    watch.Place{Height: &height},
		}}},
	}
}

func keep(t *testing.T, store *postgres.Store, found watch.Scanned) {
	t.Helper()
	require.NoError(t, scanOf(store).Save(t.Context(), found))
}

func remove(t *testing.T, store *postgres.Store) {
	t.Helper()
	require.NoError(t, (&upkeep.Retention{Store: store}).RemoveCharges(t.Context(), []string{oldCharge}))
}

func requireUnmatched(t *testing.T, store *postgres.Store) {
	t.Helper()
	var unmatched, alerts, signals int
	require.NoError(t, store.Pool().QueryRow(t.Context(), `SELECT
		(SELECT count(*) FROM received_payments WHERE charge_id IS NULL AND merchant_id IS NULL AND amount = 5),
		(SELECT count(*) FROM alerts WHERE kind = $1 AND subject = 'late:7' AND resolved_at IS NULL),
		(SELECT count(*) FROM charges)`, alert.PaymentUnmatched).Scan(&unmatched, &alerts, &signals))
	require.Equal(t, []int{1, 1, 0}, []int{unmatched, alerts, signals})
}

func TestMoneyForAPrunedChargeIsUnmatchedAndAlerted(t *testing.T) {
	t.Parallel()
	store := forgotten(t)
	remove(t, store)
	for range 2 {
		keep(t, store, seen(t, store))
	}
	requireUnmatched(t, store)
}

func TestMoneyThatArrivesWhileItsChargeIsPruned(t *testing.T) {
	t.Parallel()
	store := forgotten(t)
	found := seen(t, store)
	remove(t, store)
	keep(t, store, found)
	requireUnmatched(t, store)
}

func TestChargeIsNotPrunedWhileItsPaymentIsStored(t *testing.T) {
	t.Parallel()
	store := forgotten(t)
	require.NoError(t, store.Tx(t.Context(), func(q *db.Queries) error {
		_, err := scanOf(store).apply(t.Context(), q, seen(t, store), nil)
		require.NoError(t, err)
		remove(t, store) // skips the charge that the watcher has locked
		return nil
	}))
	remove(t, store)
	_, err := store.GetCharge(t.Context(), oldCharge)
	require.NoError(t, err, "it holds money now")
}
