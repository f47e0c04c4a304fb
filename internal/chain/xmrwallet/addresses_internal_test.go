package xmrwallet

import (
	"context"
	"encoding/hex"
	"errors"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
)

// errAway is the error of a store that does not answer.
var errAway = errors.New("away")

// store is a Store in memory.
type store struct {
	highest map[string]uint64
	// stored has the number of an address by its wallet and public spend key.
	stored map[scan.Claim]uint32
	// asked counts the calls of AddressesOf.
	asked int
	err   error
}

func (s *store) HighestAddress(_ context.Context, walletID string) (uint64, error) {
	return s.highest[walletID], s.err
}

func (s *store) AddressesOf(_ context.Context, ids []string, keys [][]byte) (numbers []uint32, addresses []string, err error) {
	s.asked++
	numbers, addresses = make([]uint32, len(ids)), make([]string, len(ids))
	for i, id := range ids {
		if number, known := s.stored[scan.Claim{WalletID: id, SpendKey: scan.Key(keys[i])}]; known {
			numbers[i], addresses[i] = number, "address of "+id
		}
	}
	return numbers, addresses, s.err
}

func (s *store) RecordOneTimeKeys(context.Context, string, [][]byte, []string) ([]string, error) {
	return nil, s.err
}

// shops is an OwnWallets in memory.
type shops struct {
	list []scan.Wallet
	err  error
}

func (s *shops) NewWallets(context.Context, []string) ([]scan.Wallet, error) { return s.list, s.err }

// viewOf makes the keys of a wallet from two scalars.
func viewOf(t *testing.T, spend, view byte) *monero.Deriver {
	t.Helper()
	scalar := func(b byte) *edwards25519.Scalar {
		s, err := edwards25519.NewScalar().SetCanonicalBytes(append([]byte{b}, make([]byte, 31)...))
		require.NoError(t, err)
		return s
	}
	primary := monero.Address{Network: monero.Mainnet, Kind: monero.KindStandard}
	copy(primary.Spend[:], new(edwards25519.Point).ScalarBaseMult(scalar(spend)).Bytes())
	copy(primary.View[:], new(edwards25519.Point).ScalarBaseMult(scalar(view)).Bytes())
	d, err := monero.NewDeriver(primary.String(), hex.EncodeToString(scalar(view).Bytes()))
	require.NoError(t, err)
	return d
}

// TestAddressesUpToTheHighestAreKnown hands an address out between two lookups. The exchange's
// wallet does not know its primary address.
func TestAddressesUpToTheHighestAreKnown(t *testing.T) {
	t.Parallel()
	const newest = 5 + lookAhead + 1
	for _, withoutPrimary := range []bool{false, true} {
		view, s := viewOf(t, 1, 1), &store{highest: map[string]uint64{"live": 5}}
		wallet := Configured{Wallet: scan.Wallet{ID: "live", View: view}, WithoutPrimary: withoutPrimary}
		a := &addresses{store: s, configured: map[string]*derived{"live": {Configured: wallet, known: map[scan.Key]uint32{}}}}
		claim := func(index uint32) scan.Claim {
			return scan.Claim{WalletID: "live", SpendKey: view.SpendKey(0, index)}
		}
		claims := []scan.Claim{claim(0), claim(5), claim(newest), {WalletID: "live", SpendKey: scan.Key{1}}}
		want := map[scan.Claim]monero.Subaddress{claims[1]: {Index: 5, Address: view.Subaddress(0, 5)}}
		if !withoutPrimary {
			want[claims[0]] = monero.Subaddress{Index: 0, Address: view.Primary().String()}
		}
		found, err := a.lookup(t.Context(), claims)
		require.NoError(t, err)
		require.Equal(t, want, found)
		s.highest["live"]++
		found, err = a.lookup(t.Context(), claims[2:])
		require.NoError(t, err)
		require.Equal(t, map[scan.Claim]monero.Subaddress{claims[2]: {Index: newest, Address: view.Subaddress(0, newest)}}, found)
		to, err := monero.ParseAddress(found[claims[2]].Address)
		require.NoError(t, err)
		require.EqualValues(t, claims[2].SpendKey, to.Spend)
		require.Zero(t, s.asked, "nothing is looked up in the store")
	}
}

// TestAddressesOfShopsAreLookedUpOnce asks for keys of two shops and of a configured wallet. One
// shop has an address with the spend key of an address of each of the others.
func TestAddressesOfShopsAreLookedUpOnce(t *testing.T) {
	t.Parallel()
	live := viewOf(t, 1, 1)
	at := func(id string, key scan.Key) scan.Claim { return scan.Claim{WalletID: id, SpendKey: key} }
	key, liveKey := scan.Key{7}, scan.Key(live.SpendKey(0, 3))
	s := &store{highest: map[string]uint64{}, stored: map[scan.Claim]uint32{
		at("a", key): 10<<20 | 4, at("b", key): 12, at("b", scan.Key{8}): 13, at("b", liveKey): 14,
	}}
	a := &addresses{store: s, configured: map[string]*derived{
		"live": {Configured: Configured{Wallet: scan.Wallet{ID: "live", View: live}}, known: map[scan.Key]uint32{}},
	}}
	found, err := a.lookup(t.Context(), []scan.Claim{at("a", key), at("a", scan.Key{8}), at("b", key), at("b", liveKey), at("live", liveKey), at("live", key)})
	require.NoError(t, err)
	require.Equal(t, map[scan.Claim]monero.Subaddress{
		at("a", key):        {Index: 10<<20 | 4, Address: "address of a"},
		at("b", key):        {Index: 12, Address: "address of b"},
		at("b", liveKey):    {Index: 14, Address: "address of b"},
		at("live", liveKey): {Index: 3, Address: live.Subaddress(0, 3)},
	}, found)
	require.Equal(t, 1, s.asked)
	s.err = errAway
	_, err = a.lookup(t.Context(), []scan.Claim{at("a", key)})
	require.ErrorIs(t, err, errAway)
	_, err = a.lookup(t.Context(), []scan.Claim{at("live", key)})
	require.ErrorIs(t, err, errAway)
}

// TestWalletsOnlyGrow lists shops again that are known, with others before them.
func TestWalletsOnlyGrow(t *testing.T) {
	t.Parallel()
	own, live := &shops{}, &scan.Wallet{ID: "live"}
	w := &wallets{own: own, list: []*scan.Wallet{live}}
	ids := func() (ids []string) {
		list, err := w.all(t.Context())
		require.NoError(t, err)
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		require.Same(t, live, list[0])
		return ids
	}
	require.Equal(t, []string{"live"}, ids())
	own.list = []scan.Wallet{{ID: "b"}}
	require.Equal(t, []string{"live", "b"}, ids())
	own.list = []scan.Wallet{{ID: "a"}, {ID: "b"}, {ID: "live"}, {ID: "c"}, {ID: "c"}}
	require.Equal(t, []string{"live", "b", "a", "c"}, ids())
	own.list = nil
	require.Equal(t, []string{"live", "b", "a", "c"}, ids())
	own.err = errAway
	_, err := w.all(t.Context())
	require.ErrorIs(t, err, errAway)
}
