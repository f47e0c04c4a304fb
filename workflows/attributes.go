package workflows

import "go.temporal.io/sdk/temporal"

// Search attributes by which operators find executions in the Temporal UI.
// They are registered by deploy (see docs/operations.md).
//
//nolint:gochecknoglobals // typed keys are constants that Go cannot spell as such
var (
	MerchantIDKey     = temporal.NewSearchAttributeKeyKeyword("MerchantId")
	ChargeStatusKey   = temporal.NewSearchAttributeKeyKeyword("ChargeStatus")
	AmountXMRKey      = temporal.NewSearchAttributeKeyKeyword("AmountXmr")
	SandboxKey        = temporal.NewSearchAttributeKeyBool("Sandbox")
	StuckKey          = temporal.NewSearchAttributeKeyBool("Stuck")
	PayoutStatusKey   = temporal.NewSearchAttributeKeyKeyword("PayoutStatus")
	DeliveryStatusKey = temporal.NewSearchAttributeKeyKeyword("DeliveryStatus")
	TradeStatusKey    = temporal.NewSearchAttributeKeyKeyword("TradeStatus")
	SwapStatusKey     = temporal.NewSearchAttributeKeyKeyword("SwapStatus")
	WalletIDKey       = temporal.NewSearchAttributeKeyKeyword("WalletId")
)
