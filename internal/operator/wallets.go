package operator

import (
	"context"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

// Holding is what the exchange has of one coin, in whole coins.
type Holding struct {
	WalletID string        `json:"wallet_id" example:"exchange-ltc"`
	Ticker   string        `json:"ticker" example:"ltc"`
	Network  string        `json:"network" example:"Mainnet"`
	Total    money.Decimal `json:"total" doc:"What can be spent, and what is unconfirmed, locked or promised" example:"120.5"`
	Unlocked money.Decimal `json:"unlocked" doc:"What can be spent now" example:"100"`
	Reserved money.Decimal `json:"reserved" doc:"Reserved for trades that are not paid yet" example:"20.5"`
	Unfunded money.Decimal `json:"unfunded" doc:"Part of it that is reserved for trades without a deposit" example:"0.5"`
	// CurrentAt is when the balance was last known to be current.
	CurrentAt *wire.Time `json:"balance_current_at" doc:"When the balance was last known to be current: what is older than a minute is not quoted; null: never"`
	SafeMode  bool       `json:"safe_mode" doc:"Nothing is sent and no address is handed out"`
}

// Inventory is what the exchange has.
type Inventory struct {
	Holdings []Holding `json:"holdings" doc:"One for each wallet of the exchange; empty where there is no exchange"`
}

// Inventory lists what the exchange's wallets hold, as their watchers last saw it.
func (d *Admin) Inventory(ctx context.Context) (Inventory, error) {
	rows, err := d.Store.ExchangeHoldings(ctx)
	return Inventory{each(rows, func(w db.ExchangeHoldingsRow) Holding {
		return Holding{w.ID, w.Ticker, w.Network, w.Total, w.Unlocked, w.Reserved, w.Unfunded, wire.TimeOrNil(w.BalanceCurrentAt), w.SafeMode}
	})}, err
}

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
	return SafeWallets{each(rows, func(r db.ListSafeModeRow) SafeWallet { return SafeWallet{r.WalletID, wire.TimeOf(r.Since), r.Reason} })}, err
}
