package exchange

import (
	"encoding/json"
	"fmt"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
)

// Details are the parts of a trade other than its amounts. Nothing in them changes,
// and nothing in them is searched for.
type Details struct {
	// Password is needed in addition to the identifier to look the trade up, 32 hex digits.
	Password string `json:"password"`
	// Address receives the output, with ExtraID where its coin has such.
	Address string  `json:"address"`
	ExtraID *string `json:"extra_id,omitempty"`
	// Refund receives refunds, with RefundMemo where its coin has such.
	Refund     string  `json:"refund"`
	RefundMemo *string `json:"refund_memo,omitempty"`
	// DepositMemo is what a deposit must carry; nil where no memo is needed.
	DepositMemo *string `json:"deposit_memo,omitempty"`
	// WebhookURL receives each status; nil where no partner does.
	WebhookURL *string `json:"webhook_url,omitempty"`
	// Note is echoed back.
	Note *string `json:"note,omitempty"`
}

// PaidTo is the address that a payment of this kind goes to.
func (d Details) PaidTo(kind trade.Kind) string {
	if kind == trade.Refund {
		return d.Refund
	}
	return d.Address
}

// Seal is the column details_sealed of the trade with this identifier. The
// errors are those of Box.Seal.
func (d Details) Seal(box *secret.Box, tradeID string) ([]byte, error) {
	plain, err := json.Marshal(d) //nolint:gosec // what is made here is sealed below
	if err != nil {
		return nil, fmt.Errorf("details of a trade: %w", err)
	}
	return box.Seal(plain, secret.TradePlace.Of(tradeID))
}

// DetailsOf are the details of a trade. The errors are those of Box.Unseal.
func DetailsOf(box *secret.Box, row db.Trade) (Details, error) {
	return OpenDetails(box, row.ID, row.DetailsSealed)
}

// OpenDetails is DetailsOf for those who have the column alone.
func OpenDetails(box *secret.Box, tradeID string, sealed []byte) (Details, error) {
	var d Details
	plain, err := box.Unseal(sealed, secret.TradePlace.Of(tradeID))
	if err == nil {
		err = json.Unmarshal(plain, &d)
	}
	if err != nil {
		return Details{}, fmt.Errorf("details of a trade: %w", err)
	}
	return d, nil
}

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
