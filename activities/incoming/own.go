package incoming

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
)

// Own opens the view keys of shops' own wallets for the scanner, and makes the wallets'
// addresses. It is safe for concurrent use.
type Own struct {
	Store *postgres.Store
	// Secret opens the view keys.
	Secret *secret.Box
	Log    *slog.Logger
	// Witness opens the leases, and Mark is the place of a wallet's mark.
	Witness *witness.Keeper
	Mark    func(walletID string) witness.Place

	mu     sync.Mutex
	opened map[string]*monero.Deriver
	// failed has the wallets whose keys could not be opened, which is logged once.
	failed map[string]bool
}

// enoughOwn is the number of addresses that an account has ready before the next one is begun:
// more than two processes take at once.
const enoughOwn = 64

// NewWallets implements xmrwallet.OwnWallets. A wallet whose key cannot be opened is left out; it
// gets no addresses either. The chain is read again once the key can be opened, because payments
// to its earlier addresses were passed by.
func (o *Own) NewWallets(ctx context.Context, known []string) ([]scan.Wallet, error) {
	rows, err := o.Store.NewOwnWallets(ctx, known)
	if err != nil {
		return nil, err
	}
	list := make([]scan.Wallet, 0, len(rows))
	for _, r := range rows {
		view := o.open(ctx, r.ID, r.PrimaryAddress, r.ViewKeySealed)
		if leftOut := view == nil; leftOut != r.Unscanned {
			if err := o.leaveOut(ctx, r.ID, leftOut); err != nil {
				return nil, err
			}
		}
		if view != nil {
			list = append(list, scan.Wallet{ID: r.ID, View: view})
		}
	}
	return list, nil
}

// leaveOut records that scans leave a wallet out, before one does. When they do so no more, it has
// the chain read again.
func (o *Own) leaveOut(ctx context.Context, id string, leftOut bool) error {
	return o.Store.Tx(ctx, func(q *db.Queries) error {
		if err := q.SetUnscanned(ctx, db.SetUnscannedParams{ID: id, Unscanned: leftOut}); err != nil {
			return err
		}
		if leftOut {
			return sending.Alert(ctx, q, alert.ViewKeyClosed, id, "the view key of the shop's wallet cannot be opened: no payment to it is seen")
		}
		if err := q.SetRescanForWallet(ctx, id); err != nil {
			return err
		}
		return sending.Alert(ctx, q, alert.ViewKeyClosed, id, "")
	})
}

func (o *Own) open(ctx context.Context, id, primaryAddress string, sealed []byte) *monero.Deriver {
	o.mu.Lock()
	defer o.mu.Unlock()
	if view := o.opened[id]; view != nil {
		return view
	}
	key, err := o.Secret.Unseal(sealed, secret.ViewKeyPlace.Of(id))
	var view *monero.Deriver
	if err == nil {
		view, err = monero.NewDeriver(primaryAddress, string(key))
	}
	if o.opened == nil {
		o.opened, o.failed = map[string]*monero.Deriver{}, map[string]bool{}
	}
	if err != nil {
		if !o.failed[id] {
			o.failed[id] = true
			o.Log.ErrorContext(ctx, "a shop's wallet is not scanned and gets no addresses: its view key cannot be opened", "wallet", id, "error", err)
		}
		return nil
	}
	o.opened[id] = view
	return view
}

// TopUp makes addresses of the wallets that have too few ready, and opens their leases. A wallet
// that fails does not hold up the others.
func (o *Own) TopUp(ctx context.Context) error {
	rows, err := o.Store.OwnPools(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, p := range rows {
		if !p.Current {
			failed = errors.Join(failed, o.Witness.OpenOwn(ctx, p.ID, o.Mark(p.ID))) // the next round makes addresses
			continue
		}
		failed = errors.Join(failed, o.topUp(ctx, p))
	}
	return failed
}

// topUp makes addresses in the account of the last that was handed out, up to the limit of unpaid
// ones, and in the next account if too few are left in this one. The lease reaches all of them,
// also those of a worker that died before it extended the lease.
func (o *Own) topUp(ctx context.Context, p db.OwnPoolsRow) error {
	highest := p.Published
	if p.PublishedHere-p.Above < enoughOwn {
		made, err := o.next(ctx, p)
		if err != nil {
			return err
		}
		if len(made.Indices) > 0 {
			if err := o.Store.PublishOwnAddresses(ctx, made); err != nil {
				return err
			}
			highest = max(highest, int64(made.Indices[len(made.Indices)-1]))
		}
	}
	if highest <= p.LeaseTo || highest <= p.Above {
		return nil
	}
	return o.Witness.ExtendOwn(ctx, p.ID, o.Mark(p.ID), highest)
}

// next derives the addresses that a wallet lacks; none if its key cannot be opened.
func (o *Own) next(ctx context.Context, p db.OwnPoolsRow) (made db.PublishOwnAddressesParams, err error) {
	account, index := charge.PositionOf(int32(p.PublishedHere))
	end := charge.EndOfAccount(p.Above)
	paid, err := o.Store.LastPaidNumber(ctx, db.LastPaidNumberParams{WalletID: p.ID, Above: charge.NumberOf(account, 0), UpTo: int32(end)})
	if err != nil {
		return made, err
	}
	if paid > 0 {
		if err := o.Store.RaisePaidAccount(ctx, db.RaisePaidAccountParams{ID: p.ID, Account: account}); err != nil {
			return made, err
		}
	}
	_, last := charge.PositionOf(paid)
	limit := max(index, last+charge.MaxUnpaid)
	_, handedOut := charge.PositionOf(int32(p.Above))
	needsNext := limit-handedOut < enoughOwn && p.Published <= end
	if limit == index && !needsNext {
		return made, nil
	}
	keys, err := o.Store.OwnKeys(ctx, p.ID)
	if err != nil {
		return made, err
	}
	view := o.open(ctx, p.ID, keys.PrimaryAddress, keys.ViewKeySealed)
	if view == nil {
		return made, nil
	}
	made = addressesOf(p.ID, view, account, index+1, limit)
	if !needsNext {
		return made, nil
	}
	if account == charge.MaxAccount {
		return made, errors.New("own wallet " + p.ID + " has used its last account")
	}
	next := addressesOf(p.ID, view, account+1, 1, charge.MaxUnpaid)
	made.Indices, made.Addresses, made.SpendKeys = append(made.Indices, next.Indices...), append(made.Addresses, next.Addresses...), append(made.SpendKeys, next.SpendKeys...)
	return made, nil
}

// addressesOf derives the addresses of an account from one index to another.
func addressesOf(walletID string, view *monero.Deriver, account, from, to int32) db.PublishOwnAddressesParams {
	made := db.PublishOwnAddressesParams{WalletID: walletID}
	for i := from; i <= to; i++ {
		key := view.SpendKey(uint32(account), uint32(i))
		made.Indices = append(made.Indices, charge.NumberOf(account, i))
		made.Addresses, made.SpendKeys = append(made.Addresses, view.Subaddress(uint32(account), uint32(i))), append(made.SpendKeys, key[:])
	}
	return made
}
