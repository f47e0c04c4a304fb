package merchant_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/secret"
)

const walletPath = "/api/account/wallet"

// ownKeys are keys of a wallet, as a wallet of this name shows them.
type ownKeys struct {
	address monero.Address
	view    string
}

func keysNamed(name string) ownKeys {
	scalar := func(of string) *edwards25519.Scalar {
		return monero.ToScalar(monero.Keccak([]byte(of + " of " + name)))
	}
	point := func(s *edwards25519.Scalar) [32]byte {
		return [32]byte(new(edwards25519.Point).ScalarBaseMult(s).Bytes())
	}
	view := scalar("view")
	return ownKeys{monero.Address{Spend: point(scalar("spend")), View: point(view)}, hex.EncodeToString(view.Bytes())}
}

func (k ownKeys) body(more ...string) string {
	return fmt.Sprintf(`{"primary_address":%q,"private_view_key":%q%s}`, k.address, k.view, strings.Join(more, ""))
}

func (k ownKeys) masked() string { return payout.MaskAddress(k.address.String()) }

// withKeyFolders gives the API the keys that it has in production, and returns their folder.
func withKeyFolders(t *testing.T) (dir string, change func(*merchant.Deps)) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, secret.NewFolder(dir))
	return dir, func(d *merchant.Deps) {
		var err error
		d.Box, err = secret.OpenFolder(dir, secret.KindsOf(secret.MerchantAPI)...)
		require.NoError(t, err)
		d.Index, err = secret.OpenBlindIndex(secret.Accounts.BlindIndexFile(dir))
		require.NoError(t, err)
	}
}

func (b *bench) wallet(t *testing.T, s shop) answer {
	t.Helper()
	return b.as(t, s, http.MethodGet, walletPath, "").require(t, http.StatusOK)
}

func (b *bench) setWallet(t *testing.T, s shop, body string) answer {
	t.Helper()
	return b.as(t, s, http.MethodPut, walletPath, body)
}

// TestAShopGivesItsWallet checks the first wallet of a shop: it counts at once, the same request
// again changes nothing, the worker alone opens the key, and no answer shows it.
func TestAShopGivesItsWallet(t *testing.T) {
	t.Parallel()
	dir, keys := withKeyFolders(t)
	b := setup(t, withLimits, keys, func(d *merchant.Deps) { d.PayoutHold = 24 * time.Hour })
	s, own := b.signup(t), keysNamed("first")
	require.Equal(t, "hosted", b.wallet(t, s).field(t, "custody"))
	me := b.as(t, s, http.MethodGet, "/api/auth/me", "")
	require.Equal(t, "hosted", me.field(t, "merchant.custody"))
	require.Contains(t, me.text(t, "merchant.custodyText"), "holds your payments")

	a := b.setWallet(t, s, own.body()).require(t, http.StatusOK)
	again := b.setWallet(t, s, own.body()).require(t, http.StatusOK)
	require.Equal(t, a.body, again.body)
	require.Equal(t, a.body, b.wallet(t, s).body)
	require.Equal(t, "own", a.field(t, "custody"))
	require.Equal(t, own.masked(), a.field(t, "primary_address"))
	require.Equal(t, "10", fmt.Sprint(a.field(t, "account")))
	require.Equal(t, "39", fmt.Sprint(a.field(t, "accounts_left")))
	require.Nil(t, a.field(t, "changes_at"), "a shop that never sold waits for nothing")
	require.Len(t, a.field(t, "history"), 1)
	me = b.as(t, s, http.MethodGet, "/api/auth/me", "")
	require.Equal(t, "own", me.field(t, "merchant.custody"))
	for _, shown := range []string{a.body, me.body} {
		require.NotContains(t, shown, own.view)
		require.NotContains(t, shown, own.address.String())
	}

	var id string
	var sealed []byte
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT id, view_key_sealed FROM wallets WHERE role = 'own'").Scan(&id, &sealed))
	require.Regexp(t, "^own_[0-9a-f]{24}$", id)
	worker, err := secret.OpenFolder(dir, secret.KindsOf(secret.Worker)...)
	require.NoError(t, err)
	plain, err := worker.Unseal(sealed, secret.ViewKeyPlace.Of(id))
	require.NoError(t, err)
	require.Equal(t, own.view, string(plain))
	api, err := secret.OpenFolder(dir, secret.KindsOf(secret.MerchantAPI)...)
	require.NoError(t, err)
	_, err = api.Unseal(sealed, secret.ViewKeyPlace.Of(id))
	require.ErrorIs(t, err, secret.ErrNoKey)
}

// TestBadWalletsAreRefused checks each kind of wrong keys. Nothing is stored, and no answer
// repeats a key.
func TestBadWalletsAreRefused(t *testing.T) {
	t.Parallel()
	_, keys := withKeyFolders(t)
	b := setup(t, withLimits, keys)
	s, own, other := b.signup(t), keysNamed("good"), keysNamed("other")
	on := func(change func(*monero.Address)) ownKeys {
		k := own
		change(&k.address)
		return k
	}
	zero := ownKeys{own.address, strings.Repeat("0", 64)}
	zero.address.View = [32]byte{1} // the identity: 0·G
	torsion := on(func(a *monero.Address) { a.Spend = [32]byte{} })
	before := b.digest(t)
	for name, bad := range map[string]struct{ body, says string }{
		"another wallet's key":     {ownKeys{own.address, other.view}.body(), "private_view_key"},
		"testnet":                  {on(func(a *monero.Address) { a.Network = monero.Testnet }).body(), "testnet"},
		"stagenet":                 {on(func(a *monero.Address) { a.Network = monero.Stagenet }).body(), "stagenet"},
		"a subaddress":             {on(func(a *monero.Address) { a.Kind = monero.KindSubaddress }).body(), "subaddress"},
		"an integrated address":    {on(func(a *monero.Address) { a.Kind = monero.KindIntegrated }).body(), "integrated"},
		"a zero view key":          {zero.body(), "zero"},
		"a spend key of low order": {torsion.body(), "keys"},
		"a short key":              {ownKeys{own.address, own.view[:62]}.body(), "private_view_key"},
		"no hex":                   {ownKeys{own.address, strings.Repeat("x", 64)}.body(), "private_view_key"},
		"no key":                   {fmt.Sprintf(`{"primary_address":%q}`, own.address), "private_view_key"},
		"no address":               {fmt.Sprintf(`{"private_view_key":%q}`, own.view), "primary_address"},
		"nothing":                  {`{}`, "primary_address"},
		"a mistyped address":       {strings.Replace(own.body(), own.address.String()[40:43], "111", 1), "primary_address"},
		"account 0":                {own.body(`,"account":0`), "account"},
		"account 2001":             {own.body(`,"account":2001`), "account"},
		"another custody":          {own.body(`,"custody":"both"`), "custody"},
		"hosted with keys":         {own.body(`,"custody":"hosted"`), "custody own"},
	} {
		a := b.setWallet(t, s, bad.body).require(t, http.StatusBadRequest, name)
		require.Contains(t, a.body, bad.says, name)
		require.NotContains(t, a.body, own.view, name)
		require.NotContains(t, a.body, other.view, name)
		require.Equal(t, before, b.digest(t), name)
	}
	b.setWallet(t, s, own.body()).require(t, http.StatusOK)
}

// TestAWalletIsOfOneShopForEver checks that no two shops watch with one key, at the same time or
// one after the other, and that a wallet of the service is no shop's.
func TestAWalletIsOfOneShopForEver(t *testing.T) {
	t.Parallel()
	_, keys := withKeyFolders(t)
	b := setup(t, withLimits, keys)
	s, other, own := b.signup(t), b.signup(t), keysNamed("shared")
	b.setWallet(t, s, own.body()).require(t, http.StatusOK)
	sameView := own
	sameView.address.Spend = keysNamed("another spend key").address.Spend
	before := b.digest(t)
	for name, taken := range map[string]ownKeys{"the same wallet": own, "its view key": sameView} {
		require.Contains(t, b.setWallet(t, other, taken.body()).require(t, http.StatusBadRequest, name).body, "another shop", name)
		require.Equal(t, before, b.digest(t), name)
	}
	b.setWallet(t, s, `{"custody":"hosted"}`).require(t, http.StatusOK)
	b.setWallet(t, other, own.body()).require(t, http.StatusBadRequest, "its former owner may still be paid there")

	service := keysNamed("of the service")
	d, err := monero.NewDeriver(service.address.String(), service.view)
	require.NoError(t, err)
	b.exec(t, "INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES ('live-1', 99999, $1)", d.Subaddress(0, 1))
	b.setWallet(t, other, service.body()).require(t, http.StatusBadRequest)
	require.Equal(t, "hosted", b.wallet(t, other).field(t, "custody"))
}

// TestAChangedWalletWaits checks that after a change new charges pay the former wallet until the
// hold is over, for another wallet and for the way back, and that the owner can take it back.
func TestAChangedWalletWaits(t *testing.T) {
	t.Parallel()
	const hold = 24 * time.Hour
	_, keys := withKeyFolders(t)
	b := setup(t, withLimits, keys, func(d *merchant.Deps) { d.PayoutHold, d.Mails = hold, true })
	s, first, second := b.signup(t), keysNamed("before"), keysNamed("after")
	b.setWallet(t, s, first.body()).require(t, http.StatusOK)
	is := func(custody string, address, waits any) {
		t.Helper()
		a := b.wallet(t, s)
		require.Equal(t, custody, a.field(t, "custody"))
		require.Equal(t, address, a.field(t, "primary_address"))
		if waits == nil {
			require.Nil(t, a.field(t, "changes_at"))
			return
		}
		require.Equal(t, waits, a.field(t, "changes_at"))
	}
	ends := func() string { return b.clock.Now().Add(hold).Format("2006-01-02T15:04:05.000Z") }
	is("own", first.masked(), nil)

	b.setWallet(t, s, second.body()).require(t, http.StatusOK)
	until := ends()
	is("own", first.masked(), until)
	b.clock.advance(time.Hour)
	b.setWallet(t, s, second.body()).require(t, http.StatusOK)
	is("own", first.masked(), until)
	b.setWallet(t, s, first.body()).require(t, http.StatusOK)
	is("own", first.masked(), nil)

	b.setWallet(t, s, second.body()).require(t, http.StatusOK)
	until = ends()
	b.clock.advance(hold - time.Millisecond)
	is("own", first.masked(), until)
	b.clock.advance(time.Millisecond)
	s.token = b.session(t, s)
	is("own", second.masked(), nil)

	b.setWallet(t, s, `{"custody":"hosted"}`).require(t, http.StatusOK)
	is("own", second.masked(), ends())
	b.clock.advance(hold)
	s.token = b.session(t, s)
	is("hosted", nil, nil)
	require.Len(t, b.wallet(t, s).field(t, "history"), 5)
	require.Equal(t, []string{"2", "3"}, rowsOf[string](t, b, "SELECT count(*)::text FROM account_notices WHERE kind = 'wallet' GROUP BY hold_until IS NULL ORDER BY 1"), "mails")
}

// TestTheWalletIsTheOwnersAlone tries as every role, with keys and without a credential.
func TestTheWalletIsTheOwnersAlone(t *testing.T) {
	t.Parallel()
	_, keys := withKeyFolders(t)
	b := setup(t, withLimits, keys)
	s, own := b.signup(t), keysNamed("of the owner")
	for _, role := range permission.Roles() {
		require.False(t, permission.May(role, false, "getWallet") || permission.May(role, false, "setWallet"), role)
	}
	for _, who := range []as{anonymous(), key(s.live), key(s.test), session("nonsense")} {
		b.send(t, http.MethodPut, walletPath, who, own.body()).require(t, http.StatusUnauthorized)
		b.send(t, http.MethodGet, walletPath, who, "").require(t, http.StatusUnauthorized)
	}
	require.Equal(t, "hosted", b.wallet(t, s).field(t, "custody"))
}

// TestTheOperatorChoosesTheCustody checks CUSTODY=hosted and CUSTODY=own.
func TestTheOperatorChoosesTheCustody(t *testing.T) {
	t.Parallel()
	_, keys := withKeyFolders(t)
	own := keysNamed("mine")
	charge := `{"amount":1,"currency":"XMR"}`

	hosted := setup(t, withLimits, keys, func(d *merchant.Deps) { d.Custody = config.CustodyHosted })
	s := hosted.signup(t)
	require.Contains(t, hosted.setWallet(t, s, own.body()).require(t, http.StatusBadRequest).body, "does not offer own wallets")

	alone := setup(t, withLimits, keys, func(d *merchant.Deps) {
		d.Custody, d.Charges = config.CustodyOwn, makesCharges(t, d.Store, false)
		d.Charges.Custody = config.CustodyOwn
	})
	s = alone.signup(t)
	require.Equal(t, "own", alone.wallet(t, s).field(t, "custody"))
	require.Contains(t, alone.setWallet(t, s, `{"custody":"hosted"}`).require(t, http.StatusBadRequest).body, "holds no money")
	require.Contains(t, alone.send(t, http.MethodPost, "/api/charges", key(s.live), charge).require(t, http.StatusBadRequest).body, walletPath)
	alone.send(t, http.MethodPost, "/api/charges", key(s.test), charge).require(t, http.StatusOK, "the sandbox works")
	require.Contains(t, alone.as(t, s, http.MethodPost, "/api/payouts/sweep", "").require(t, http.StatusBadRequest).body, "nothing to pay out")
	require.Equal(t, "own", alone.as(t, s, http.MethodGet, "/api/payouts/balance", "").field(t, "custody"))
	enable := `{"enabled":true,"currency":"ltc","address":"ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"}`
	alone.as(t, s, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, payoutAddress)).require(t, http.StatusOK)
	require.Contains(t, alone.as(t, s, http.MethodPut, "/api/merchants/auto-swap", enable).require(t, http.StatusBadRequest).body, "your own wallet")
}
