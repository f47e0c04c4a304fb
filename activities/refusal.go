package activities

import (
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/refusals"
)

// Alert kinds that operators see.
const (
	AlertUnbacked           = alert.ChargeUnbacked
	AlertUnmatched          = alert.PaymentUnmatched
	AlertWalletOlder        = alert.WalletOlder
	AlertUndelivered        = alert.SignalUndelivered
	AlertAddressMismatch    = alert.AddressMismatch
	AlertPayoutStuck        = alert.PayoutStuck
	AlertOwed               = alert.OwedToDeletedAccount
	AlertTradeFailed        = alert.TradeFailed
	AlertTradeUnbacked      = alert.TradeUnbacked
	AlertTradePaymentFailed = alert.TradePaymentFailed
	AlertTradePaymentStuck  = alert.TradePaymentStuck
	AlertDepositBlocked     = alert.DepositBlocked
	AlertOrderUnclear       = alert.OrderUnclear
	AlertDepositOrphaned    = alert.DepositOrphaned
	AlertSwapUnclear        = alert.SwapUnclear
	AlertSafeMode           = alert.SafeMode
)

// refuse makes the error of a refusal. The text is shown to clients.
func refuse(code, text string) error { return refusals.New(code, text) }
