package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// unverified makes an account whose address is to be confirmed until a moment.
func (s *shop) unverified(t *testing.T, until time.Time) string {
	t.Helper()
	id := secret.NewMerchantID()
	_, err := s.store.InsertMerchant(t.Context(), db.InsertMerchantParams{
		MerchantID: id, EmailSealed: []byte{1}, EmailIndex: []byte(id), BusinessName: "Squatter", PasswordHash: "x",
		LiveWalletID: walletID, SandboxWalletID: "sandbox-1", VerifyBy: &until,
	})
	require.NoError(t, err)
	require.NoError(t, s.store.PutAPIKey(t.Context(), db.PutAPIKeyParams{
		MerchantID: id, Mode: string(config.Live), KeyHash: []byte(id), Prefix: "cm_live_", CreatedAt: start,
	}))
	return id
}

// An attacker who signs up with another person's address holds it for a week, and not for
// ever: then its owner can use it. An account with any data stays.
func TestUnverifiedAccountsGiveTheirAddressBack(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	week := start.Add(7 * day)
	squatter := s.unverified(t, week)
	s.exec(t, "INSERT INTO staff (merchant_id, person_id, role, created_at) VALUES ($1, $2, 'owner', now()), ($2, $1, 'owner', now())", squatter, s.merchant)
	kept := map[string]func(id string){
		"verified": func(id string) {
			s.exec(t, "UPDATE merchants SET email_verified_at = $2 WHERE merchant_id = $1", id, start)
		},
		"needs none": func(id string) { s.exec(t, "UPDATE merchants SET verify_by = NULL WHERE merchant_id = $1", id) },
		"still has time": func(id string) {
			s.exec(t, "UPDATE merchants SET verify_by = $2 WHERE merchant_id = $1", id, week.Add(time.Hour))
		},
		"payout address": func(id string) {
			s.exec(t, "UPDATE merchants SET payout_address_sealed = '', payout_address_masked = '' WHERE merchant_id = $1", id)
		},
		"operator":        func(id string) { s.exec(t, "UPDATE merchants SET admin = true WHERE merchant_id = $1", id) },
		"suspended":       func(id string) { s.exec(t, "UPDATE merchants SET suspended_at = $2 WHERE merchant_id = $1", id, start) },
		"charge":          func(id string) { s.merchant = id; s.create(t, s.request()) },
		"webhook":         func(id string) { s.merchant = id; s.webhook(t, "https://shop.example", charge.EventCreated) },
		"payment request": func(id string) { s.merchant = id; s.paymentRequest(t, true) },
	}
	accounts := map[string]string{}
	for name, give := range kept {
		accounts[name] = s.unverified(t, week)
		give(accounts[name])
	}
	addressOf := func(id string) (held bool) {
		require.NoError(t, s.store.Pool().QueryRow(t.Context(), "SELECT email_index IS NOT NULL FROM merchants WHERE merchant_id = $1", id).Scan(&held))
		return held
	}
	s.prune(t, week.Add(-time.Millisecond))
	require.True(t, addressOf(squatter))
	for range 2 {
		s.prune(t, week.Add(time.Minute))
		require.False(t, addressOf(squatter))
		require.Zero(t, s.number(t, "SELECT count(*) FROM api_keys WHERE merchant_id = $1", squatter))
		require.Zero(t, s.number(t, "SELECT count(*) FROM staff WHERE $1 IN (merchant_id, person_id)", squatter), "who joined it keeps nothing")
		for name, id := range accounts {
			require.True(t, addressOf(id), name)
		}
	}
	_, err := s.store.InsertMerchant(t.Context(), db.InsertMerchantParams{
		MerchantID: secret.NewMerchantID(), EmailSealed: []byte{1}, EmailIndex: []byte(squatter), BusinessName: "Owner", PasswordHash: "x",
		LiveWalletID: walletID, SandboxWalletID: "sandbox-1",
	})
	require.NoError(t, err, "its owner uses it")
}

// Unused keys of affiliates are removed, unless they made a trade that is kept or earned
// something. Keys of partners stay.
func TestUnusedAffiliateKeysGo(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	s := &shop{store: b.store}
	key := func(class string, used time.Time) string {
		id := secret.NewID("sk_")
		row := db.InsertSwapKeyParams{ID: id, Class: class, KeyHash: []byte(id), Prefix: class, CreatedAt: used}
		if class == "partner" {
			row.SecretSealed = []byte{1}
		}
		require.NoError(t, b.store.InsertSwapKey(t.Context(), row))
		return id
	}
	unused, fresh := key("affiliate", b.now.Add(-91*day)), key("affiliate", b.now.Add(-89*day))
	partner, trader, earner := key("partner", b.now.Add(-400*day)), key("affiliate", b.now.Add(-91*day)), key("affiliate", b.now.Add(-91*day))
	s.exec(t, "UPDATE trades SET key_id = $2 WHERE id = $1", b.create(t, b.request("1")).ID, trader)
	s.exec(t, "INSERT INTO commissions (trade_id, key_id, ticker, network, amount, credited_at) VALUES ($3, $1, 'ltc', 'Mainnet', 1, $2)",
		earner, b.now, b.create(t, b.request("1")).ID)
	s.prune(t, b.now)
	remaining := func() (ids []string) {
		rows, err := b.store.Pool().Query(t.Context(), "SELECT id FROM swap_keys")
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var id string
			require.NoError(t, rows.Scan(&id))
			ids = append(ids, id)
		}
		return ids
	}
	require.ElementsMatch(t, []string{fresh, partner, trader, earner}, remaining())
	require.NotContains(t, remaining(), unused)
	require.NoError(t, b.store.RecordSwapKeyUse(t.Context(), db.RecordSwapKeyUseParams{ID: fresh, Now: b.now}))
	s.prune(t, b.now.Add(80*day))
	require.Contains(t, remaining(), fresh, "it was used")
}

// The feed of an account that is gone goes, and no other.
func TestFeedsOfDeletedAccountsGo(t *testing.T) {
	t.Parallel()
	s := open(t, 0)
	for _, mode := range []string{"live", "sandbox"} {
		_, err := s.store.HoldEventFeed(t.Context(), db.HoldEventFeedParams{MerchantID: s.merchant, Mode: mode})
		require.NoError(t, err)
	}
	feeds := func() int { return s.number(t, "SELECT count(*) FROM event_feeds") }
	s.prune(t, start.Add(100*day))
	require.Equal(t, 2, feeds())
	require.NoError(t, s.store.EraseMerchant(t.Context(), db.EraseMerchantParams{MerchantID: s.merchant, Now: start.Add(100 * day)}))
	s.prune(t, start.Add(101*day))
	require.Equal(t, 2, feeds(), "somebody may be reading still")
	s.prune(t, start.Add(101*day+time.Minute))
	require.Zero(t, feeds())
}
