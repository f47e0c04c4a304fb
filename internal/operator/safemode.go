package operator

import (
	"context"

	"github.com/durapay/durapay/internal/wire"
)

// SafeWallet is a wallet in safe mode: nothing is built, sent or handed out.
type SafeWallet struct {
	WalletID string    `json:"wallet_id" example:"live"`
	Since    wire.Time `json:"since"`
	Reason   string    `json:"reason" doc:"A sentence for operators"`
}

// SafeWallets are all wallets in safe mode.
type SafeWallets struct {
	Wallets []SafeWallet `json:"wallets" doc:"By their names; empty where none is in safe mode"`
}

// SafeMode lists the wallets in safe mode, the exchange's too. The command
// recover ends it.
func (d *Admin) SafeMode(ctx context.Context) (SafeWallets, error) {
	rows, err := d.Store.ListSafeMode(ctx)
	list := SafeWallets{make([]SafeWallet, 0, len(rows))}
	for _, r := range rows {
		list.Wallets = append(list.Wallets, SafeWallet{r.WalletID, wire.TimeOf(r.Since), r.Reason})
	}
	return list, err
}
