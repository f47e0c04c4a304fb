package chargestore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

const walletID = "live"

// shop is a merchant, and a process that creates charges.
type shop struct {
	store    *postgres.Store
	charges  *chargestore.Charges
	merchant string
}

// open makes a shop whose wallet has so many addresses.
func open(t *testing.T, addresses int) *shop {
	t.Helper()
	s := &shop{store: pgtest.New(t), merchant: secret.NewMerchantID()}
	s.charges = s.process()
	s.exec(t, "INSERT INTO chains (id) VALUES ('xmr-Mainnet')")
	s.exec(t, "INSERT INTO wallets (id, chain_id, mode, primary_address) VALUES ($1, 'xmr-Mainnet', 'live', 'primary')", walletID)
	s.exec(t, "INSERT INTO addresses (wallet_id, subaddress_index, address) SELECT $1, n, 'address ' || n FROM generate_series(1, $2::integer) n", walletID, addresses)
	s.exec(t, "INSERT INTO witnesses (wallet_id, addresses, lease_to, lease_instance) VALUES ($1, 1000, 1000, database_instance())", walletID)
	s.exec(t, `INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, password_hash, live_wallet_id, sandbox_wallet_id)
		VALUES ($1, '', '', 'Shop', '', $2, $2)`, s.merchant, walletID)
	return s
}

// process is a process that creates charges.
func (s *shop) process() *chargestore.Charges {
	return &chargestore.Charges{
		Store: s.store, ChargeTimeout: time.Hour, ButtonChargeTimeout: time.Hour, ConfirmationsRequired: 10, PublicURL: "https://pay.example",
	}
}

func (s *shop) request() chargestore.New {
	return chargestore.New{
		ChargeID: secret.NewID("ch_"), MerchantID: s.merchant, Mode: config.Live, Source: charge.FromAPI,
		Amount: money.MustDecimal("1"), Currency: money.XMR, Metadata: "{}", Now: start(),
	}
}

func start() time.Time { return time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC) }

func (s *shop) create(t *testing.T, in chargestore.New) charge.Charge {
	t.Helper()
	made, err := s.charges.Create(t.Context(), in)
	require.NoError(t, err)
	return made
}

func (s *shop) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := s.store.Pool().Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (s *shop) number(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, s.store.Pool().QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func requireRefused(t *testing.T, err error, code string) {
	t.Helper()
	require.Truef(t, refusals.Is(err, code), "%v", err)
}

// withAddress makes charges until the process has one address in hand.
func (s *shop) withAddress(t *testing.T) {
	t.Helper()
	s.create(t, s.request())
	s.create(t, s.request()) // is handed two
}

func (s *shop) indexOf(t *testing.T, chargeID string) int {
	t.Helper()
	return s.number(t, "SELECT subaddress_index FROM charges WHERE id = $1", chargeID)
}

// TestEachAddressHasOneChargeOfAnyProcess makes charges in two processes until the last
// address is used.
func TestEachAddressHasOneChargeOfAnyProcess(t *testing.T) {
	t.Parallel()
	const addresses = 90
	s := open(t, addresses)
	var wait sync.WaitGroup
	other := s.process()
	for _, process := range []*chargestore.Charges{s.charges, other} {
		for range 4 {
			wait.Go(func() {
				for {
					if _, err := process.Create(context.Background(), s.request()); err != nil {
						if !refusals.Is(err, refusals.NoAddress) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
	}
	wait.Wait()
	require.Equal(t, addresses, s.number(t, "SELECT count(DISTINCT subaddress) FROM charges"))
	require.Equal(t, addresses, s.number(t, "SELECT count(*) FROM charges c JOIN addresses a USING (wallet_id, subaddress_index) WHERE a.address = c.subaddress"))
}

// TestAnAddressOfADeadProcessIsNotHandedOutAgain: a process that was thought dead may still
// commit its creation, with an address that it was handed before.
func TestAnAddressOfADeadProcessIsNotHandedOutAgain(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	s.withAddress(t)
	after := s.process()
	for n := range 17 {
		made, err := after.Create(t.Context(), s.request())
		require.NoError(t, err)
		require.Equal(t, 4+n, s.indexOf(t, made.ID))
	}
	_, err := after.Create(t.Context(), s.request())
	requireRefused(t, err, refusals.NoAddress)
	late := s.create(t, s.request())
	require.Equal(t, 3, s.indexOf(t, late.ID))
}

// TestAnAddressIsUsedUnderItsLeaseAlone ends the lease, or begins safe mode, while a process
// has an address in hand.
func TestAnAddressIsUsedUnderItsLeaseAlone(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	s.withAddress(t)
	s.exec(t, "UPDATE witnesses SET lease_instance = 'of a restart'")
	_, err := s.charges.Create(t.Context(), s.request())
	requireRefused(t, err, refusals.NoAddress)
	s.exec(t, "UPDATE witnesses SET lease_instance = database_instance(), lease_from = 10")
	require.Equal(t, 11, s.indexOf(t, s.create(t, s.request()).ID), "above all that the lease before handed out")

	s.withAddress(t)
	s.exec(t, "UPDATE witnesses SET safe_since = now(), safe_reason = 'older'")
	_, err = s.charges.Create(t.Context(), s.request())
	requireRefused(t, err, refusals.SafeMode)
	s.exec(t, "UPDATE witnesses SET safe_since = NULL, safe_reason = NULL, lease_from = 15")
	require.Equal(t, 16, s.indexOf(t, s.create(t, s.request()).ID))

	s.withAddress(t)
	s.exec(t, "UPDATE witnesses SET lease_from = 19")
	require.Equal(t, 20, s.indexOf(t, s.create(t, s.request()).ID), "an address that the lease has left is replaced")
	require.Zero(t, s.number(t, "SELECT count(*) FROM events e LEFT JOIN charges c ON c.id = e.resource_id WHERE c.id IS NULL"))
}

// TestAnAddressIsUsedAgainUnlessItMayBeInUse: a refusal leaves the address to the next charge,
// a fault does not. Another charge's address is left to it.
func TestAnAddressIsUsedAgainUnlessItMayBeInUse(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	first := s.request()
	s.create(t, first)
	for range 3 {
		s.create(t, first) // finds it
	}
	require.Equal(t, 2, s.indexOf(t, s.create(t, s.request()).ID))

	s.exec(t, "ALTER TABLE wakeups RENAME TO away")
	_, err := s.charges.Create(t.Context(), s.request())
	require.Error(t, err)
	s.exec(t, "ALTER TABLE away RENAME TO wakeups")
	require.Equal(t, 4, s.indexOf(t, s.create(t, s.request()).ID))

	pgtest.InsertCharge(t, s.store, db.InsertChargeParams{
		ID: secret.NewID("ch_"), MerchantID: s.merchant, Mode: "live", Source: "api", WalletID: walletID, SubaddressIndex: 5, Subaddress: "address 5",
		Amount: money.MustDecimal("1"), Currency: "XMR", AmountPiconero: money.OneXMR, ConfirmFromPiconero: money.OneXMR, ConfirmationsRequired: 10,
		Metadata: "{}", Fields: []string{}, CreatedAt: start(), ExpiresAt: start(),
	})
	require.Equal(t, 6, s.indexOf(t, s.create(t, s.request()).ID))
}

// TestAChargeIsMadeFromCurrentSettings changes what the process knows of a merchant.
func TestAChargeIsMadeFromCurrentSettings(t *testing.T) {
	t.Parallel()
	s := open(t, 50)
	sell := func() charge.Charge {
		t.Helper()
		return s.create(t, s.request())
	}
	refused := func(code string) {
		t.Helper()
		_, err := s.charges.Create(t.Context(), s.request())
		requireRefused(t, err, code)
	}
	require.EqualValues(t, 10, sell().ConfirmationsRequired)
	s.exec(t, "UPDATE merchants SET confirmations_required = 3")
	require.EqualValues(t, 3, sell().ConfirmationsRequired)
	s.exec(t, "UPDATE merchants SET tolerance_percent = 50")
	tolerant := sell()
	require.Equal(t, tolerant.AmountXMR/2, tolerant.ConfirmFrom)
	s.exec(t, "UPDATE merchants SET suspended_at = now()")
	refused(refusals.Suspended)
	s.exec(t, "UPDATE merchants SET suspended_at = NULL, pending_charges_max = 3")
	refused(refusals.TooMany)
	s.exec(t, "UPDATE merchants SET pending_charges_max = NULL")
	sell()

	s.exec(t, "INSERT INTO wallets (id, chain_id, mode, primary_address) VALUES ('other', 'xmr-Mainnet', 'live', 'primary of other')")
	s.exec(t, "INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES ('other', 1, 'of the other wallet')")
	s.exec(t, "INSERT INTO witnesses (wallet_id, addresses, lease_to, lease_instance) VALUES ('other', 10, 10, database_instance())")
	s.exec(t, "UPDATE merchants SET live_wallet_id = 'other'")
	require.Equal(t, "of the other wallet", sell().Subaddress)
	s.exec(t, "UPDATE merchants SET live_wallet_id = $1", walletID)

	_, err := s.store.InsertWebhook(t.Context(), db.InsertWebhookParams{
		Dialect: "btcpay", Mode: "live", Retries: "btcpay", Enabled: true, ID: secret.NewID("wh_"), MerchantID: s.merchant,
		Url: "https://shop.example", Events: []string{"InvoiceCreated"}, SecretSealed: []byte{1}, CreatedAt: start(),
	})
	require.NoError(t, err)
	id := sell().ID
	require.Equal(t, 1, s.number(t, "SELECT count(*) FROM deliveries d JOIN events e ON e.id = d.event_id WHERE e.resource_id = $1 AND e.type = 'InvoiceCreated'", id))

	s.exec(t, "UPDATE merchants SET deleted_at = now(), email_sealed = NULL, email_index = NULL")
	refused(refusals.Merchant)
}
