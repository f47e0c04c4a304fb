package incoming

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

const unmatchedWallet = "live-1"

// scanAt stores payments that the wallet shows in block 100, as the watcher does.
func scanAt(t *testing.T, store *postgres.Store, walletID string, at time.Time, received ...chain.Received) {
	t.Helper()
	rows := &payments{store: store, chainID: "xmr-Mainnet", configured: []string{unmatchedWallet, "x"}}
	before, err := rows.State(t.Context())
	require.NoError(t, err)
	found := watch.Scanned{Before: before, After: watch.State{Height: 120, Hash: "h", ScannedAt: &at}, Now: at}
	height := uint64(100)
	for _, r := range received {
		r.WalletID = walletID
		found.New = append(found.New, watch.Payment{Received: r, Place: watch.Place{Height: &height}})
	}
	require.NoError(t, rows.Save(t.Context(), found))
}

func unmatchedMoney(t *testing.T, store *postgres.Store) (payments []db.ListUnmatchedRow, alerts []db.Alert) {
	t.Helper()
	payments, err := store.ListUnmatched(t.Context(), db.ListUnmatchedParams{Before: math.MaxInt64, MaxRows: 10})
	require.NoError(t, err)
	alerts, err = store.ListAlerts(t.Context(), db.ListAlertsParams{Before: math.MaxInt64, MaxRows: 10})
	require.NoError(t, err)
	return payments, alerts
}

func unmatchedStore(t *testing.T) *postgres.Store {
	t.Helper()
	store := pgtest.New(t)
	require.NoError(t, store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: unmatchedWallet, ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: "primary"}))
	require.NoError(t, store.PublishAddresses(t.Context(), db.PublishAddressesParams{
		WalletID: unmatchedWallet, Indices: []int32{7}, Addresses: []string{"address 7"},
	}))
	witnesstest.Open(t, store, unmatchedWallet)
	return store
}

// TestMoneyForAChargeThatIsGoneIsKept pays to an address whose charge was
// removed, and looks at it twice.
func TestMoneyForAChargeThatIsGoneIsKept(t *testing.T) {
	t.Parallel()
	store, at := unmatchedStore(t), time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	id := secret.NewID("ch_")
	_, err := store.Pool().Exec(t.Context(), "UPDATE addresses SET former_charge_id = $1", id)
	require.NoError(t, err)
	entry := chain.Received{TxHash: "tx", Address: "address 7", Ref: "7", Amount: 5, Outputs: 1, Height: 100}
	for n := range 2 {
		scanAt(t, store, unmatchedWallet, at.Add(time.Duration(n)*time.Second), entry)
		payments, alerts := unmatchedMoney(t, store)
		require.Len(t, payments, 1)
		require.Equal(t, money.Piconero(5), payments[0].Amount)
		require.Equal(t, id, *payments[0].FormerChargeID)
		require.Len(t, alerts, 1)
		require.Equal(t, alert.PaymentUnmatched, alerts[0].Kind)
		require.Equal(t, "tx:7", alerts[0].Subject)
	}
}

// TestPayoutToTheExchangeIsNoChange: a payout pays a deposit address whose trade is gone, and
// returns change to its own wallet. Only the change is nothing to ask about.
func TestPayoutToTheExchangeIsNoChange(t *testing.T) {
	t.Parallel()
	store, at := unmatchedStore(t), time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	for _, sql := range []string{
		`INSERT INTO wallets (id, chain_id, role) VALUES ('x', 'xmr-Mainnet', 'exchange')`,
		`INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES ('x', 3, 'deposit')`,
		`INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, password_hash, live_wallet_id, sandbox_wallet_id)
			VALUES (repeat('a', 32), '', '', '', '', 'live-1', 'simulated')`,
		`INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs, tx_hash, created_at, sent_at)
			VALUES ('po_0123456789abcdef01234567', repeat('a', 32), 'live-1', 'broadcast', '', '', 9, 0, 1, 1, 'tx', now(), now())`,
	} {
		_, err := store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	for n := range 2 {
		at := at.Add(time.Duration(n) * time.Second)
		scanAt(t, store, unmatchedWallet, at, chain.Received{TxHash: "tx", Address: "primary", Ref: "0", Amount: 4, Outputs: 1, Height: 100})
		scanAt(t, store, "x", at, chain.Received{TxHash: "tx", Address: "deposit", Ref: "0/3", Amount: 5, Outputs: 1, Height: 100})
		payments, alerts := unmatchedMoney(t, store)
		require.Empty(t, payments, "the list has those of merchants' wallets")
		require.Len(t, alerts, 1)
		require.Equal(t, []string{alert.DepositOrphaned, "tx:deposit"}, []string{alerts[0].Kind, alerts[0].Subject})
	}
}

// TestMoneyThatOutlivesItsChargeIsKept lets a payment be stored for a charge
// that retention removes at the same moment.
func TestMoneyThatOutlivesItsChargeIsKept(t *testing.T) {
	t.Parallel()
	store, at := unmatchedStore(t), time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	id, paid, height := secret.NewID("ch_"), "po_0123456789abcdef01234567", int64(100)
	for tx, payout := range map[string]*string{"late": nil, "paid": &paid} {
		require.NoError(t, store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
			WalletID: unmatchedWallet, TxHash: tx, SubaddressIndex: 7, ChargeID: &id, Amount: 5, Outputs: 1, Height: &height,
			MatureHeight: &height, FirstSeenAt: at,
		}))
		_, err := store.Pool().Exec(t.Context(), "UPDATE received_payments SET payout_id = $1 WHERE tx_hash = $2", payout, tx)
		require.NoError(t, err)
	}
	a := &Charges{Charges: &chargestore.Charges{Store: store}}
	for range 2 {
		_, err := a.AdvanceCharge(t.Context(), AdvanceCharge{ChargeID: id, Now: at})
		require.True(t, refusals.Is(err, refusals.Missing))
		payments, alerts := unmatchedMoney(t, store)
		require.Len(t, payments, 1, "what is paid out is nobody's worry")
		require.Equal(t, "late", payments[0].TxHash)
		require.Len(t, alerts, 1)
		require.Equal(t, "late:7", alerts[0].Subject)
	}
}
