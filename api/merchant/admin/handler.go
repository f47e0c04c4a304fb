package admin

import (
	"encoding/json"

	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/wire"
)

// Admin answers requests of operators.
type Admin struct {
	Admin *operator.Admin
}

// Register registers the operators' routes.
func (h *Admin) Register(api operation.API) {
	h.registerAdminMerchants(api)
	h.registerAdminHold(api)
	h.registerAdminWork(api)
	h.registerAdminWallets(api)
}

func exampleMerchant() operator.Merchant {
	rate := money.MustDecimal("0.004")
	return operator.Merchant{
		ID: 1, MerchantID: example.MerchantID, Email: "shop@example.com", BusinessName: "Example Shop", WalletID: "live",
		VolumeXMR: 12_500_000_000_000, FeeRate: rate, OwnFeeRate: &rate, CreatedAt: wire.TimeOf(example.Time()),
	}
}

func exampleTiers() operator.Tiers {
	return operator.Tiers{
		DefaultFeeRate: money.MustDecimal("0.005"),
		Tiers:          []operator.Tier{{VolumeXMR: 100 * money.OneXMR, FeeRate: money.MustDecimal("0.004")}},
	}
}

func exampleUnmatched() operator.UnmatchedPayment {
	height, former := int64(3_500_000), example.ChargeID
	return operator.UnmatchedPayment{
		ID: 1, WalletID: "live", TxHash: example.Secret, SubaddressIndex: 7, AmountXMR: 305_161_448_141, Height: &height,
		FirstSeenAt: wire.TimeOf(example.Time()), FormerChargeID: &former,
	}
}

func exampleUndelivered() operator.Delivery {
	text, at := "timeout", wire.TimeOf(example.Time())
	return operator.Delivery{
		ID: example.DeliveryID, WebhookID: example.WebhookID, MerchantID: example.MerchantID, URL: example.WebhookURL, Event: charge.EventConfirmed,
		ResourceID: example.ChargeID, Status: webhook.Failed, Attempts: 3, Error: &text, CreatedAt: at,
		LastAttemptAt: &at,
	}
}

func exampleAlert() operator.Alert {
	return operator.Alert{
		ID: 1, Kind: alert.PaymentUnmatched, Subject: alert.PaymentSubject(example.Secret, 7),
		Detail: "money on a subaddress that belongs to no charge", OpenedAt: wire.TimeOf(example.Time()),
	}
}

func exampleChange() operator.Change {
	return operator.Change{
		ID: 1, At: wire.TimeOf(example.Time()), Actor: "cli:root", Action: "merchant.suspend", Subject: example.MerchantID,
		Detail: json.RawMessage(`{}`),
	}
}

func exampleSafeWallet() operator.SafeWallet {
	return operator.SafeWallet{WalletID: "live", Since: wire.TimeOf(example.Time()), Reason: "the wallet has sent more than the database knows"}
}

func exampleHolding() operator.Holding {
	at := wire.TimeOf(example.Time())
	return operator.Holding{
		WalletID: "exchange-ltc", Ticker: "ltc", Network: "Mainnet", Total: money.MustDecimal("120.5"), Unlocked: money.MustDecimal("100"),
		Reserved: money.MustDecimal("20.5"), Unfunded: money.MustDecimal("0.5"), CurrentAt: &at,
	}
}
