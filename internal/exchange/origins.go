package exchange

import (
	"encoding/json"
	"fmt"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Deposit names a deposit by its properties before it is stored.
type Deposit struct{ WalletID, TxHash, Address string }

// DepositOf names a stored deposit.
func DepositOf(row db.TradeDeposit) Deposit { return Deposit{row.WalletID, row.TxHash, row.Address} }

// SealOrigins is the column origins_sealed of a deposit that was spent from
// these addresses; nil where the chain shows none. The errors are those of
// Box.Seal.
func SealOrigins(box *secret.Box, d Deposit, origins []string) ([]byte, error) {
	if len(origins) == 0 {
		return nil, nil
	}
	plain, err := json.Marshal(origins)
	if err != nil {
		return nil, fmt.Errorf("origins of a deposit: %w", err)
	}
	return box.Seal(plain, secret.OriginsPlace(d.WalletID, d.TxHash, d.Address))
}

// OriginsOf are the addresses that a deposit was spent from; none where the
// chain shows none. The errors are those of Box.Unseal.
func OriginsOf(box *secret.Box, row db.TradeDeposit) ([]string, error) {
	if row.OriginsSealed == nil {
		return nil, nil
	}
	var origins []string
	plain, err := box.Unseal(row.OriginsSealed, secret.OriginsPlace(row.WalletID, row.TxHash, row.Address))
	if err == nil {
		err = json.Unmarshal(plain, &origins)
	}
	if err != nil {
		return nil, fmt.Errorf("origins of a deposit: %w", err)
	}
	return origins, nil
}
