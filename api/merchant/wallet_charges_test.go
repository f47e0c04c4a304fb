package merchant_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
)

// outside is a place outside of the database that keeps the mark of a wallet.
type outside struct {
	witness.Place

	mu   sync.Mutex
	mark witness.Mark
}

func (*outside) Name() string { return "outside" }

func (p *outside) Read(context.Context) (witness.Mark, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mark, nil
}

func (p *outside) Raise(_ context.Context, to witness.Mark, _ *witness.Entry) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mark = p.mark.Max(to)
	return nil
}

// ownBench is an API whose worker makes addresses of shops' own wallets.
type ownBench struct {
	*bench

	own *incoming.Own
}

func setupOwn(t *testing.T, change ...func(*merchant.Deps)) ownBench {
	t.Helper()
	dir, keys := withKeyFolders(t)
	b := ownBench{setup(t, append(change, keys)...), nil}
	worker, err := secret.OpenFolder(dir, secret.KindsOf(secret.Worker)...)
	require.NoError(t, err)
	marks := map[string]*outside{}
	log := slog.New(slog.DiscardHandler)
	b.own = &incoming.Own{
		Store: b.store, Secret: worker, Log: log, Witness: &witness.Keeper{Store: b.store, Clock: b.clock.Now, Log: log},
		Mark: func(walletID string) witness.Place {
			if marks[walletID] == nil {
				marks[walletID] = &outside{}
			}
			return marks[walletID]
		},
	}
	b.exec(t, "UPDATE chains SET scanned_at = now()")
	return b
}

// tops lets the worker open leases and make addresses.
func (b ownBench) tops(t *testing.T) {
	t.Helper()
	for range 2 {
		require.NoError(t, b.own.TopUp(t.Context()))
	}
}

// ownCharge is a charge with the account and the index of its address.
type ownCharge struct{ id, account, index, address string }

// charge makes a charge.
func (b ownBench) charge(t *testing.T, s shop) ownCharge {
	t.Helper()
	a := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1,"currency":"XMR"}`).require(t, http.StatusOK)
	return ownCharge{a.text(t, "id"), fmt.Sprint(a.field(t, "subaddress_account")), fmt.Sprint(a.field(t, "subaddress_index")), a.text(t, "subaddress")}
}

// TestChargesPayTheOwnWallet checks the addresses of charges: the wallet's own, in account 10, each
// once, in the next account after 150 without money, and in the former wallet while a change waits.
func TestChargesPayTheOwnWallet(t *testing.T) {
	t.Parallel()
	b := setupOwn(t, func(d *merchant.Deps) { d.PayoutHold = 24 * time.Hour })
	s, own := b.signup(t), keysNamed("of charges")
	view, err := monero.NewDeriver(own.address.String(), own.view)
	require.NoError(t, err)
	b.setWallet(t, s, own.body()).require(t, http.StatusOK)
	b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1,"currency":"XMR"}`).require(t, http.StatusInternalServerError, "no address is made yet")
	seen := map[string]bool{}
	for i := 1; i <= 151; i++ {
		b.tops(t)
		made := b.charge(t, s)
		require.False(t, seen[made.address], made.address)
		seen[made.address] = true
		if i == 151 {
			require.Equal(t, []string{"11", "1"}, []string{made.account, made.index})
			require.Equal(t, view.Subaddress(11, 1), made.address)
			break
		}
		require.Equal(t, []string{"10", fmt.Sprint(i)}, []string{made.account, made.index})
		require.Equal(t, view.Subaddress(10, uint32(i)), made.address)
	}
	require.Equal(t, "11", fmt.Sprint(b.wallet(t, s).field(t, "account")))

	b.exec(t, "UPDATE charges SET seen_at = now() WHERE merchant_id = $1 AND subaddress_index = (10 << 20) + 1", s.id)
	other := keysNamed("of later charges")
	b.setWallet(t, s, other.body()).require(t, http.StatusOK)
	b.tops(t)
	require.Equal(t, view.Subaddress(11, 2), b.charge(t, s).address, "the change waits")
	b.clock.advance(24 * time.Hour)
	next, err := monero.NewDeriver(other.address.String(), other.view)
	require.NoError(t, err)
	require.Equal(t, next.Subaddress(10, 1), b.charge(t, s).address, "the change has taken effect")
}

// TestMoneyKeepsTheAccount checks that an account goes on as long as its addresses are paid.
func TestMoneyKeepsTheAccount(t *testing.T) {
	t.Parallel()
	b := setupOwn(t)
	s := b.signup(t)
	b.setWallet(t, s, keysNamed("paid").body()).require(t, http.StatusOK)
	for i := 1; i <= 160; i++ {
		b.tops(t)
		made := b.charge(t, s)
		require.Equal(t, []string{"10", fmt.Sprint(i)}, []string{made.account, made.index})
		if i == 100 {
			b.exec(t, `INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, charge_id, merchant_id, amount, outputs, height, mature_height, first_seen_at)
				SELECT c.wallet_id, 'paid', c.subaddress, c.subaddress_index, c.id, c.merchant_id, 1, 1, 5, 15, now() FROM charges c WHERE c.id = $1`, made.id)
		}
	}
	require.Equal(t, "49", fmt.Sprint(b.wallet(t, s).field(t, "accounts_left")))
	require.Equal(t, "0", fmt.Sprint(b.as(t, s, http.MethodGet, "/api/payouts/balance", "").field(t, "total_xmr")), "own money is in no balance")
}

// TestARestoredDatabaseGoesOnInTheNextAccount checks that addresses which a restored database has
// forgotten get no second owner.
func TestARestoredDatabaseGoesOnInTheNextAccount(t *testing.T) {
	t.Parallel()
	b := setupOwn(t)
	s := b.signup(t)
	b.setWallet(t, s, keysNamed("restored").body()).require(t, http.StatusOK)
	b.tops(t)
	require.Equal(t, "10", b.charge(t, s).account)
	b.exec(t, "UPDATE witnesses SET lease_instance = 'before', lease_from = 0, lease_to = 0, handed_out = 0, addresses = 0 WHERE wallet_id LIKE 'own_%'")
	b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1,"currency":"XMR"}`).require(t, http.StatusInternalServerError, "without a lease")
	b.tops(t)
	made := b.charge(t, s)
	require.Equal(t, []string{"11", "1"}, []string{made.account, made.index})
}

// TestTheFeeOfOwnMoneyIsOwed checks that the operator's share is booked once, and that money which
// the service received before stays in the balance.
func TestTheFeeOfOwnMoneyIsOwed(t *testing.T) {
	t.Parallel()
	b := setupOwn(t)
	s := b.signup(t)
	b.exec(t, "UPDATE merchants SET fee_rate = 0.01 WHERE merchant_id = $1", s.id)
	confirm := func(id string) {
		t.Helper()
		b.pay(t, s, id)
		for range 2 {
			require.Equal(t, charge.Confirmed, b.advance(t, id).Status)
		}
	}
	hosted := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":3,"currency":"XMR"}`).require(t, http.StatusOK)
	confirm(hosted.text(t, "id"))
	b.setWallet(t, s, keysNamed("of the fee").body()).require(t, http.StatusOK)
	b.clock.advance(48 * time.Hour)
	b.exec(t, "UPDATE chains SET scanned_at = now()")
	b.tops(t)
	made := b.charge(t, s)
	require.Equal(t, "10", made.account)
	confirm(made.id)
	balance := b.as(t, s, http.MethodGet, "/api/payouts/balance", "").require(t, http.StatusOK)
	require.Equal(t, "3", fmt.Sprint(balance.field(t, "total_xmr")), "the hosted rest alone")
	require.Equal(t, "0.01", fmt.Sprint(balance.field(t, "fee_owed_xmr")))
	require.Equal(t, "0.01", fmt.Sprint(b.wallet(t, s).field(t, "fee_owed_xmr")))
}

// TestAWalletThatWasLeftOutIsReadAgain lets a worker with other keys scan. The wallet's payments
// are passed by then, so the chain is read again once the key can be opened.
func TestAWalletThatWasLeftOutIsReadAgain(t *testing.T) {
	t.Parallel()
	b := setupOwn(t)
	s := b.signup(t)
	b.setWallet(t, s, keysNamed("left out").body()).require(t, http.StatusOK)
	dir := t.TempDir()
	require.NoError(t, secret.NewFolder(dir))
	others, err := secret.OpenFolder(dir, secret.KindsOf(secret.Worker)...)
	require.NoError(t, err)
	state := func() (rescan, alerted bool) {
		t.Helper()
		require.NoError(t, b.store.Pool().QueryRow(t.Context(), `SELECT (SELECT c.rescan FROM chains c JOIN wallets w ON w.chain_id = c.id WHERE w.role = 'own'),
			EXISTS (SELECT 1 FROM alerts WHERE kind = 'view_key_closed' AND resolved_at IS NULL)`).Scan(&rescan, &alerted))
		return rescan, alerted
	}
	without := &incoming.Own{Store: b.store, Secret: others, Log: b.own.Log}
	for range 2 {
		found, err := without.NewWallets(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, found)
		rescan, alerted := state()
		require.False(t, rescan)
		require.True(t, alerted)
	}
	found, err := b.own.NewWallets(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, found, 1)
	rescan, alerted := state()
	require.True(t, rescan, "its payments were passed by")
	require.False(t, alerted)

	b.exec(t, "UPDATE chains SET rescan = false")
	known := []string{found[0].ID}
	found, err = b.own.NewWallets(t.Context(), known)
	require.NoError(t, err)
	require.Empty(t, found)
	rescan, _ = state()
	require.False(t, rescan, "once")
	_, err = without.NewWallets(t.Context(), nil)
	require.NoError(t, err)
	_, err = b.own.NewWallets(t.Context(), known)
	require.NoError(t, err)
	rescan, _ = state()
	require.True(t, rescan, "another worker left out a wallet that this one knows")
}
