package scan

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// shops are wallets that are scanned together. Each knows its address 1.
type shops struct {
	list  []*Wallet
	known map[Claim]monero.Subaddress
	// asked counts the lookups, recorded the one-time keys by wallet.
	asked    int
	recorded map[string]int
}

func newShops(tb testing.TB, count int) *shops {
	tb.Helper()
	s := &shops{known: map[Claim]monero.Subaddress{}, recorded: map[string]int{}}
	for n := range count {
		s.add(tb, fmt.Sprint("shop ", n))
	}
	return s
}

func (s *shops) add(tb testing.TB, id string) *Wallet {
	tb.Helper()
	w := &Wallet{id, deriver(tb, [32]byte(base(numbered("spend of "+id))), numbered("view of "+id))}
	s.list = append(s.list, w)
	s.know(w, 1)
	return w
}

// deriver makes a wallet's keys from a public spend key and a private view key.
func deriver(tb testing.TB, spend [32]byte, view *edwards25519.Scalar) *monero.Deriver {
	tb.Helper()
	primary := monero.Address{Kind: monero.KindStandard, Spend: spend, View: [32]byte(base(view))}
	d, err := monero.NewDeriver(primary.String(), hex.EncodeToString(view.Bytes()))
	require.NoError(tb, err)
	return d
}

func (s *shops) know(w *Wallet, index uint32) {
	s.known[Claim{w.ID, w.View.SpendKey(0, index)}] = monero.Subaddress{Index: index, Address: w.View.Subaddress(0, index)}
}

func (s *shops) wallets(context.Context) ([]*Wallet, error) { return s.list, nil }

func (s *shops) lookup(_ context.Context, claims []Claim) (map[Claim]monero.Subaddress, error) {
	s.asked++
	owned := map[Claim]monero.Subaddress{}
	for _, claim := range claims {
		if to, ours := s.known[claim]; ours {
			owned[claim] = to
		}
	}
	return owned, nil
}

func (s *shops) record(_ context.Context, id string, keys []Key, _ []string) ([]string, error) {
	s.recorded[id] += len(keys)
	return nil, nil
}

// address parses an address of a wallet.
func (w *Wallet) address(tb testing.TB, index uint32) monero.Address {
	tb.Helper()
	a, err := monero.ParseAddress(w.View.Subaddress(0, index))
	require.NoError(tb, err)
	return a
}

// paidTo sums up payments by wallet.
func paidTo(list []Payment) map[string]uint64 {
	sums := map[string]uint64{}
	for _, p := range list {
		sums[p.WalletID] += uint64(p.Amount)
	}
	return sums
}

var poolAlone = monero.Range{From: 1, To: 0, Pool: true}

// TestTenOutputsToOneAddress are one payment.
func TestTenOutputsToOneAddress(t *testing.T) {
	t.Parallel()
	s, r := newShops(t, 3), &served{}
	to := slices.Repeat([]monero.Address{s.list[1].address(t, 1)}, 10)
	r.wait(t, payment(numbered("one"), 7, to...))
	list, err := r.scannerOf(t, s).Payments(t.Context(), poolAlone)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, s.list[1].ID, list[0].WalletID)
	require.Equal(t, slices.Repeat([]money.Piconero{7}, 10), list[0].Amounts)
	require.EqualValues(t, 70, list[0].Amount)
	require.Len(t, list[0].OneTimeKeys, 10)
}

// TestTwoWalletsPaidByOneTransaction in a block, each under a key of its own.
func TestTwoWalletsPaidByOneTransaction(t *testing.T) {
	t.Parallel()
	s, r := newShops(t, 3), &served{First: 300}
	one, two := numbered("one"), numbered("two")
	first, second := s.list[2].address(t, 1), s.list[0].address(t, 1)
	m := payment(one, 5, first)
	m.outputs = append(m.outputs, pay(two, second, 1, 8, m.kind))
	m.extra = append(extraOf(base(one)), additionalOf(keyFor(one, first), keyFor(two, second))...)
	r.mine(t, m)
	list, err := r.scannerOf(t, s).Payments(t.Context(), monero.Range{From: 300, To: 300})
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{s.list[2].ID: 5, s.list[0].ID: 8}, paidTo(list))
	require.Equal(t, map[string]int{s.list[2].ID: 1, s.list[0].ID: 1}, s.recorded)
	require.Equal(t, 1, s.asked)
}

// TestAThousandWallets of which one is paid by every transaction and another by none.
func TestAThousandWallets(t *testing.T) {
	t.Parallel()
	s, r := newShops(t, 1000), &served{First: 300}
	everything, nothing := s.list[999], s.list[17]
	others := []int{0, 1, 249, 499, 500, 998}
	var mined []*made
	for n := range uint64(6) {
		other := s.list[others[n]].address(t, 1)
		mined = append(mined, payment(numbered(fmt.Sprint(n)), 1+n, everything.address(t, 1), other))
		mined[n].outputs[1] = pay(numbered("x"), other, 1, 100, mined[n].kind)
		mined[n].extra = append(mined[n].extra, additionalOf(base(numbered("y")), keyFor(numbered("x"), other))...)
	}
	r.mine(t, mined...)
	scanner := r.scannerOf(t, s)
	list, err := scanner.Payments(t.Context(), monero.Range{From: 300, To: 300})
	require.NoError(t, err)
	want := map[string]uint64{everything.ID: 21}
	for _, n := range others {
		want[s.list[n].ID] = 100
	}
	require.Equal(t, want, paidTo(list))
	require.NotContains(t, paidTo(list), nothing.ID)
	require.Equal(t, 1, s.asked, "all wallets are looked up at once")

	alone := &shops{list: []*Wallet{everything}, known: s.known, recorded: map[string]int{}}
	same, err := r.scannerOf(t, alone).Payments(t.Context(), monero.Range{From: 300, To: 300})
	require.NoError(t, err)
	require.Equal(t, slices.DeleteFunc(list, func(p Payment) bool { return p.WalletID != everything.ID }), same)
}

// TestAWalletThatComesWhileItsPaymentWaits: the transaction was examined without it, with
// another wallet or with none. The daemon is not asked for the transaction again, and the other
// wallet is not tried again.
func TestAWalletThatComesWhileItsPaymentWaits(t *testing.T) {
	t.Parallel()
	s, r := newShops(t, 2), &served{First: 300}
	late := s.list[1]
	s.list = s.list[:1]
	m := payment(numbered("one"), 5, late.address(t, 1))
	r.wait(t, m)
	scanner := r.scannerOf(t, s)
	list, err := scanner.Payments(t.Context(), poolAlone)
	require.NoError(t, err)
	require.Empty(t, list)
	clear(r.Txs)
	s.list[0].View, s.list = nil, append(s.list, late)
	for range 2 {
		list, err = scanner.Payments(t.Context(), poolAlone)
		require.NoError(t, err)
		require.Equal(t, map[string]uint64{late.ID: 5}, paidTo(list))
	}

	s, r = newShops(t, 0), &served{First: 300}
	s.know(late, 1)
	r.wait(t, m)
	scanner = r.scannerOf(t, s)
	_, err = scanner.Payments(t.Context(), poolAlone)
	require.NoError(t, err)
	r.mine(t, m)
	clear(r.Txs)
	s.list = append(s.list, late)
	list, err = scanner.Payments(t.Context(), monero.Range{From: 300, To: 300})
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{late.ID: 5}, paidTo(list))
}

// TestAWalletThatComesDuringAScan, and is paid before the daemon answers.
func TestAWalletThatComesDuringAScan(t *testing.T) {
	t.Parallel()
	for _, pool := range []bool{true, false} {
		s, r := newShops(t, 1), &served{First: 300}
		paid, answered := payment(numbered("one"), 5, s.list[0].address(t, 1)), "/json_rpc"
		span := monero.Range{From: 300, To: 300}
		if r.mine(t, paid); pool {
			r.wait(t, paid)
			span, answered = poolAlone, "/get_transaction_pool_hashes"
		}
		scanner := r.scannerOf(t, s)
		scanner.wallets = func(context.Context) ([]*Wallet, error) {
			if r.calls(answered) == 0 {
				return nil, nil
			}
			return s.list, nil
		}
		list, err := scanner.Payments(t.Context(), span)
		require.NoError(t, err)
		require.Equal(t, map[string]uint64{s.list[0].ID: 5}, paidTo(list))
	}
}

// TestAnotherWalletsSpendKey: an owner chooses his keys so that his address 1 has the spend key
// of a shop's. What is paid to his address is not the shop's, which could not see it.
func TestAnotherWalletsSpendKey(t *testing.T) {
	t.Parallel()
	s := newShops(t, 1)
	target := s.list[0].address(t, 1)
	view := numbered("his view key")
	point := func(b [32]byte) *edwards25519.Point {
		p, err := monero.ParsePoint(b[:])
		require.NoError(t, err)
		return p
	}
	other := deriver(t, [32]byte(base(numbered("other"))), view)
	offset := point(other.SpendKey(0, 1))
	offset.Subtract(offset, point(other.SpendKey(0, 0)))
	spend := point(target.Spend)
	his := &Wallet{"his", deriver(t, [32]byte(spend.Subtract(spend, offset).Bytes()), view)}
	require.Equal(t, target.Spend, his.address(t, 1).Spend)
	require.NotEqual(t, target, his.address(t, 1))

	s.list = append(s.list, his)
	r := &served{}
	r.wait(t, payment(numbered("one"), 5, his.address(t, 1)))
	list, err := r.scannerOf(t, s).Payments(t.Context(), poolAlone)
	require.NoError(t, err)
	require.Empty(t, list)
	s.know(his, 1)
	list, err = r.scannerOf(t, s).Payments(t.Context(), poolAlone)
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{his.ID: 5}, paidTo(list))
}

// TestAClaimDecidesForItsWalletAlone: an owner chooses his keys so that an output to a shop
// seems to be his too. Its amount does not open with his key, and still opens with the shop's.
func TestAClaimDecidesForItsWalletAlone(t *testing.T) {
	t.Parallel()
	s := newShops(t, 2)
	m := payment(numbered("one"), 5, s.list[1].address(t, 1))
	m.outputType = outputToKey
	tx := m.parse(t)
	claims := tx.candidatesOf(s.list[:1])
	require.Len(t, claims, 1)
	s.known[claims[0].claim()] = monero.Subaddress{Index: 1, Address: s.list[0].View.Subaddress(0, 1)}
	found, err := find(t.Context(), s.lookup, []examined{examined{tx: tx}.with(s.list)})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, s.list[1].ID, found[0].WalletID)
}

// TestAPoolOfTwentyThousand is read once: a second scan asks for hashes alone.
func TestAPoolOfTwentyThousand(t *testing.T) {
	t.Parallel()
	s, r := newShops(t, 1), &served{}
	stranger := payment(numbered("one"), 1, monero.UnspendableAddress(monero.Mainnet))
	for n := range uint64(20_000) {
		stranger.unlock = n
		r.wait(t, stranger)
	}
	r.wait(t, payment(numbered("two"), 5, s.list[0].address(t, 1)))
	scanner := r.scannerOf(t, s)
	for range 3 {
		list, err := scanner.Payments(t.Context(), poolAlone)
		require.NoError(t, err)
		require.Equal(t, map[string]uint64{s.list[0].ID: 5}, paidTo(list))
		require.Equal(t, 201, r.calls("/get_transactions"))
		require.Equal(t, 1, s.asked)
		clear(r.Txs)
	}
}
