package xmrwallet

import (
	"context"
	"slices"
	"sync"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
)

// lookAhead is how many more addresses of a configured wallet are derived. Money at one of
// them shows that another copy of the database has given it out.
const lookAhead = 1000

// addresses finds addresses by their public spend keys.
type addresses struct {
	store      Store
	configured map[string]*derived
}

// lookup is a scan.Lookup. It reads the store after the transactions that are asked about, so
// it finds an address that was given out before one of them was made.
func (a *addresses) lookup(ctx context.Context, claims []scan.Claim) (map[scan.Claim]monero.Subaddress, error) {
	found, stored := map[scan.Claim]monero.Subaddress{}, []scan.Claim(nil)
	of := map[string][]scan.Claim{}
	for _, claim := range claims {
		if a.configured[claim.WalletID] == nil {
			stored = append(stored, claim)
		} else {
			of[claim.WalletID] = append(of[claim.WalletID], claim)
		}
	}
	for id, claims := range of {
		highest, err := a.store.HighestAddress(ctx, id)
		if err != nil {
			return nil, err
		}
		a.configured[id].find(found, claims, highest)
	}
	if len(stored) == 0 {
		return found, nil
	}
	return found, a.findStored(ctx, found, stored)
}

// findStored looks up addresses of wallets that have them all in the store.
func (a *addresses) findStored(ctx context.Context, found map[scan.Claim]monero.Subaddress, claims []scan.Claim) error {
	ids, keys := make([]string, len(claims)), make([][]byte, len(claims))
	for i := range claims {
		ids[i], keys[i] = claims[i].WalletID, claims[i].SpendKey[:]
	}
	numbers, texts, err := a.store.AddressesOf(ctx, ids, keys)
	if err != nil {
		return err
	}
	for i, claim := range claims {
		if texts[i] != "" {
			found[claim] = monero.Subaddress{Index: numbers[i], Address: texts[i]}
		}
	}
	return nil
}

// derived has the public spend keys of a configured wallet's addresses: some fifty bytes of
// memory and twenty microseconds for each.
type derived struct {
	Configured

	mu    sync.Mutex
	known map[scan.Key]uint32
}

// find adds the addresses up to the highest index, and those ahead.
func (d *derived) find(found map[scan.Claim]monero.Subaddress, claims []scan.Claim, highest uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for index := uint32(len(d.known)); uint64(index) <= highest+lookAhead; index++ {
		d.known[d.View.SpendKey(0, index)] = index
	}
	for _, claim := range claims {
		if index, ours := d.known[claim.SpendKey]; ours && (index > 0 || !d.WithoutPrimary) {
			found[claim] = monero.Subaddress{Index: index, Address: d.View.Subaddress(0, index)}
		}
	}
}

// wallets are those that are scanned. It is safe for concurrent use.
type wallets struct {
	own OwnWallets

	mu   sync.Mutex
	list []*scan.Wallet
}

// all is a scan.Wallets. The own wallets that are new come last.
func (w *wallets) all(ctx context.Context) ([]*scan.Wallet, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.own == nil {
		return w.list, nil
	}
	known := make([]string, 0, len(w.list)+1)
	for _, one := range w.list {
		known = append(known, one.ID)
	}
	fresh, err := w.own.NewWallets(ctx, known)
	if err != nil {
		return nil, err
	}
	for _, one := range fresh {
		if !slices.Contains(known, one.ID) {
			w.list, known = append(w.list, &one), append(known, one.ID)
		}
	}
	return w.list, nil
}
