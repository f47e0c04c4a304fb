package accounts

import (
	"context"
	"errors"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// WalletKeys checks the keys of shops' own wallets, and seals what only the worker may open.
type WalletKeys struct {
	Box   *secret.Box
	Index *secret.BlindIndex
	// Custody is which wallets shops may have.
	Custody config.Custody
}

func (k WalletKeys) allowed() []string {
	switch k.Custody {
	case config.CustodyOwn, config.CustodyHosted:
		return []string{string(k.Custody)}
	default:
		return []string{string(config.CustodyHosted), string(config.CustodyOwn)}
	}
}

// ownWallet is a shop's own wallet whose keys were checked. first is the address by which a
// wallet of this service is recognised.
type ownWallet struct {
	row   db.InsertOwnWalletParams
	first string
	// named is set if the shop named the account.
	named bool
}

// check reads the keys of a wallet. No error repeats a key.
func (k WalletKeys) check(primaryAddress, privateViewKey string, account *int32) (*ownWallet, error) {
	if k.Custody == config.CustodyHosted {
		return nil, httpapi.BadRequest("this service does not offer own wallets: custody must be hosted")
	}
	address, err := monero.ParseAddress(primaryAddress)
	switch {
	case err != nil:
		return nil, httpapi.BadRequest("primary_address must be a mainnet primary address of %d characters", payoutAddressLength)
	case address.Network != monero.Mainnet:
		return nil, httpapi.BadRequest("primary_address is of the %s; it must be of the main network", address.Network)
	case address.Kind == monero.KindSubaddress:
		return nil, httpapi.BadRequest("primary_address is a subaddress; take the wallet's primary address, which begins with 4")
	case address.Kind == monero.KindIntegrated:
		return nil, httpapi.BadRequest("primary_address is an integrated address; take the wallet's primary address of %d characters", payoutAddressLength)
	}
	view, err := monero.NewDeriver(primaryAddress, privateViewKey)
	if err == nil {
		err = view.CheckWatched()
	}
	switch {
	case errors.Is(err, monero.ErrViewKey):
		return nil, httpapi.BadRequest("private_view_key must be the private view key of primary_address, 64 hex digits")
	case errors.Is(err, monero.ErrWeakKey):
		return nil, httpapi.BadRequest("the keys are not those of a wallet: %s", err)
	case err != nil:
		return nil, httpapi.BadRequest("primary_address must be a mainnet primary address of %d characters", payoutAddressLength)
	}
	w := &ownWallet{first: view.Subaddress(0, 1), named: account != nil}
	w.row = db.InsertOwnWalletParams{
		ID: secret.NewID(charge.OwnWalletPrefix), PrimaryAddress: primaryAddress, FirstAccount: charge.FirstAccount, ViewKeyIndex: k.Index.ViewKey(address.View[:]),
	}
	if account != nil {
		if *account < 1 || *account > charge.MaxFirstAccount {
			return nil, httpapi.BadRequest("account must be 1 to %d", charge.MaxFirstAccount)
		}
		w.row.FirstAccount = *account
	}
	w.row.ViewKeySealed, err = k.Box.Seal([]byte(privateViewKey), secret.ViewKeyPlace.Of(w.row.ID))
	return w, err
}

// errTakenWallet says no more than the sender of the private key may know.
func errTakenWallet() error {
	return httpapi.BadRequest("the wallet cannot be used: it is another shop's, was another shop's, or belongs to this service")
}

// store stores a wallet for a shop and returns its ID; nil for nil. A wallet that the shop gave
// before keeps its row, so that its addresses go on where they stopped.
func (w *ownWallet) store(ctx context.Context, q *db.Queries, merchantID string) (*string, error) {
	if w == nil {
		return nil, nil //nolint:nilnil // the hosted wallet
	}
	ours, err := q.IsHandedOut(ctx, w.first)
	if err != nil {
		return nil, err
	}
	if ours {
		return nil, errTakenWallet()
	}
	row := w.row
	row.MerchantID = merchantID
	inserted, err := q.InsertOwnWallet(ctx, row)
	if err != nil {
		return nil, err
	}
	if inserted == 1 {
		return &row.ID, nil
	}
	like, err := q.WalletsLike(ctx, db.WalletsLikeParams{PrimaryAddress: row.PrimaryAddress, ViewKeyIndex: row.ViewKeyIndex})
	if err != nil {
		return nil, err
	}
	if len(like) != 1 || like[0].MerchantID == nil || *like[0].MerchantID != merchantID || like[0].PrimaryAddress == nil || *like[0].PrimaryAddress != row.PrimaryAddress {
		return nil, errTakenWallet()
	}
	if w.named {
		return &like[0].ID, q.SetFirstAccount(ctx, db.SetFirstAccountParams{ID: like[0].ID, FirstAccount: row.FirstAccount})
	}
	return &like[0].ID, nil
}
