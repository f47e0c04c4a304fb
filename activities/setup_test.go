package activities_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// walletID is the wallet of live money, and liveChain its chain.
const (
	walletID  = "live-1"
	liveChain = "xmr-live"
)

var start = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// priced is a fixed rate in place of the price service.
type priced struct{ err error }

func (p priced) Price(money.Currency) (rates.Quote, error) {
	return rates.Quote{Price: money.DecimalFromInt(150), At: start}, p.err
}

// shop is a merchant with a webhook, on a database of its own.
type shop struct {
	store    *postgres.Store
	box      *secret.Box
	charges  *chargestore.Charges
	merchant string
}

// open makes a shop whose wallet has this many unused addresses.
func open(t *testing.T, addresses int) *shop {
	t.Helper()
	keyset := t.TempDir() + "/keyset.json"
	require.NoError(t, secret.NewKeysetFile(keyset))
	box, err := secret.Open(keyset)
	require.NoError(t, err)
	s := &shop{store: pgtest.New(t), box: box, merchant: secret.NewMerchantID()}
	ctx := t.Context()
	for _, w := range []string{walletID, "sandbox-1"} {
		mode := "live"
		if w != walletID {
			mode = "sandbox"
		}
		require.NoError(t, s.store.UpsertWallet(ctx, db.UpsertWalletParams{ID: w, ChainID: "xmr-" + mode, Mode: mode, PrimaryAddress: "primary of " + w}))
	}
	publish := db.PublishAddressesParams{WalletID: walletID}
	for i := range addresses {
		publish.Indices = append(publish.Indices, int32(i+1))
		publish.Addresses = append(publish.Addresses, fmt.Sprintf("address %d", i+1))
	}
	require.NoError(t, s.store.PublishAddresses(ctx, publish))
	witnesstest.Open(t, s.store, walletID)
	_, err = s.store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: s.merchant, EmailSealed: []byte{1}, EmailIndex: []byte(s.merchant), BusinessName: "Shop",
		PasswordHash: "x", LiveWalletID: walletID, SandboxWalletID: "sandbox-1",
	})
	require.NoError(t, err)
	s.charges = &chargestore.Charges{
		Store: s.store, Prices: priced{}, Rules: charge.Rules{ConfirmationWindow: 2 * time.Hour},
		ChargeTimeout: time.Hour, ButtonChargeTimeout: 15 * time.Minute, ConfirmationsRequired: 10, PublicURL: "https://pay.example",
		SandboxWallets: []string{"sandbox-1"},
	}
	return s
}

// webhook subscribes to events and returns the webhook's secret.
func (s *shop) webhook(t *testing.T, url string, events ...string) string {
	t.Helper()
	id, key := secret.NewID("wh_"), secret.NewSecret()
	sealed, err := s.box.Seal([]byte(key), secret.AD{Table: "webhooks", Column: "secret", ID: id})
	require.NoError(t, err)
	_, err = s.store.InsertWebhook(t.Context(), db.InsertWebhookParams{
		Dialect: "durapay", Mode: "live", Retries: "short", Enabled: true,
		ID: id, MerchantID: s.merchant, Url: url, Events: events, SecretSealed: sealed, CreatedAt: start,
	})
	require.NoError(t, err)
	return key
}

func (s *shop) activity() *incoming.Charges { return &incoming.Charges{Charges: s.charges} }

// accept and markOnce are transactions of the API, which holds the merchant's row.
func (s *shop) accept(t *testing.T, id string, at time.Time) error {
	t.Helper()
	return s.change(t, func(q *db.Queries) error { return s.charges.AcceptUnderpaid(t.Context(), q, id, at) })
}

func (s *shop) markOnce(t *testing.T, id string, as charge.Mark, at time.Time) error {
	t.Helper()
	return s.change(t, func(q *db.Queries) error { return s.charges.Mark(t.Context(), q, id, as, at) })
}

func (s *shop) change(t *testing.T, do func(q *db.Queries) error) error {
	t.Helper()
	return s.store.Tx(t.Context(), func(q *db.Queries) error {
		if _, err := q.HoldMerchant(t.Context(), s.merchant); err != nil {
			return err
		}
		return do(q)
	})
}

// redeliver opens a delivery again, as the API does.
func (s *shop) redeliver(t *testing.T, id string, at time.Time) error {
	t.Helper()
	return s.change(t, func(q *db.Queries) error { return chargestore.Redeliver(t.Context(), q, s.merchant, id, at) })
}

// woken returns the rows of a kind whose workflows are to be woken, apart from new charges.
func (s *shop) woken(t *testing.T, kind string) (ids []string) {
	t.Helper()
	rows, err := s.store.Pool().Query(t.Context(), "SELECT id FROM wakeups WHERE kind = $1 AND version > 0 ORDER BY id", kind)
	require.NoError(t, err)
	ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return ids
}

// request is a charge of 1.50 USD, which is 0.01 XMR at the fixed rate.
func (s *shop) request() chargestore.New {
	return chargestore.New{
		ChargeID: secret.NewID("ch_"), MerchantID: s.merchant, Mode: config.Live, Source: charge.FromAPI,
		Amount: money.MustDecimal("1.5"), Currency: money.USD, Metadata: `{"n":1.10}`, Now: start,
	}
}

// create makes a charge as the API does.
func (s *shop) create(t *testing.T, in chargestore.New) charge.Charge {
	t.Helper()
	made, err := s.charges.Create(t.Context(), in)
	require.NoError(t, err)
	return made
}

// pay puts a payment to the charge where the watcher would put it.
func (s *shop) pay(t *testing.T, chargeID string, amount money.Piconero, height int64) {
	t.Helper()
	ctx := context.Background()
	c, err := s.store.Charge(ctx, chargeID, start)
	require.NoError(t, err)
	row := db.InsertReceivedPaymentParams{
		WalletID: walletID, TxHash: secret.NewSecret(), SubaddressIndex: c.Charge.SubaddressIndex, ChargeID: &chargeID,
		MerchantID: &s.merchant, Amount: amount, Outputs: 1, FirstSeenAt: start.Add(time.Minute),
	}
	if height > 0 {
		mature := charge.MatureHeight(height, c.Charge.ConfirmationsRequired, 0)
		row.Height, row.MatureHeight = &height, &mature
	}
	require.NoError(t, s.store.InsertReceivedPayment(ctx, row))
}

// openAlerts are the alerts that wait for an operator, newest first.
func (s *shop) openAlerts(t *testing.T) []db.Alert {
	t.Helper()
	alerts, err := s.store.ListAlerts(t.Context(), db.ListAlertsParams{Before: math.MaxInt64, MaxRows: 10})
	require.NoError(t, err)
	return alerts
}

// mine sets the chain's height.
func (s *shop) mine(t *testing.T, height int64) {
	t.Helper()
	pgtest.SetChain(t, s.store, walletID, height)
}
