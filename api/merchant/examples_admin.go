package merchant

import (
	"encoding/json"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/timestamp"
	"github.com/durapay/durapay/internal/webhook"
)

func exampleMerchant() operator.Merchant {
	rate := money.MustDecimal("0.004")
	return operator.Merchant{
		ID: 1, MerchantID: exampleMerchantID, Email: "shop@example.com", BusinessName: "Example Shop", WalletID: "live",
		VolumeXMR: 12_500_000_000_000, FeeRate: rate, OwnFeeRate: &rate, CreatedAt: timestamp.Of(exampleTime()),
	}
}

func exampleTiers() operator.Tiers {
	return operator.Tiers{
		DefaultFeeRate: money.MustDecimal("0.005"),
		Tiers:          []operator.Tier{{VolumeXMR: 100 * money.OneXMR, FeeRate: money.MustDecimal("0.004")}},
	}
}

func exampleUnmatched() operator.UnmatchedPayment {
	height, former := int64(3_500_000), exampleChargeID
	return operator.UnmatchedPayment{
		ID: 1, WalletID: "live", TxHash: exampleSecret, SubaddressIndex: 7, AmountXMR: 305_161_448_141, Height: &height,
		FirstSeenAt: timestamp.Of(exampleTime()), FormerChargeID: &former,
	}
}

func exampleUndelivered() operator.Delivery {
	text, at := "timeout", timestamp.Of(exampleTime())
	return operator.Delivery{
		ID: exampleDeliveryID, WebhookID: exampleWebhookID, MerchantID: exampleMerchantID, URL: exampleWebhookURL, Event: charge.EventConfirmed,
		ResourceID: exampleChargeID, Status: webhook.Failed, Attempts: 3, Error: &text, CreatedAt: at,
		LastAttemptAt: &at,
	}
}

func exampleAlert() operator.Alert {
	return operator.Alert{
		ID: 1, Kind: alert.PaymentUnmatched, Subject: alert.PaymentSubject(exampleSecret, 7),
		Detail: "money on a subaddress that belongs to no charge", OpenedAt: timestamp.Of(exampleTime()),
	}
}

func exampleChange() operator.Change {
	return operator.Change{
		ID: 1, At: timestamp.Of(exampleTime()), Actor: "cli:root", Action: "merchant.suspend", Subject: exampleMerchantID,
		Detail: json.RawMessage(`{}`),
	}
}
