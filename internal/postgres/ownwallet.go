package postgres

import (
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
)

// OwnWalletAt returns the ID of a shop's own wallet at a moment; nil if new charges in live mode
// pay the hosted wallet. It is the function own_wallet_at of the database.
func OwnWalletAt(m db.Merchant, at time.Time) *string {
	if m.WalletChangeAt != nil && !at.Before(*m.WalletChangeAt) {
		return m.NextWalletID
	}
	return m.OwnWalletID
}

// CustodyOf returns who holds what a shop's new charges receive: CustodyOwn or CustodyHosted.
// Where the service holds nothing for others it is CustodyOwn, even before the shop gives its
// wallet.
func CustodyOf(m db.Merchant, rule config.Custody, at time.Time) config.Custody {
	if rule == config.CustodyOwn || OwnWalletAt(m, at) != nil {
		return config.CustodyOwn
	}
	return config.CustodyHosted
}

// CustodyText returns the sentence that says so to the shop.
func CustodyText(of config.Custody) string {
	if of == config.CustodyOwn {
		return "Customers pay your own wallet directly: this service holds none of that money and cannot spend it."
	}
	return "The operator of this service holds your payments until they are paid out to you."
}
