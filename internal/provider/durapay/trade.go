package durapay

import (
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// trade contains the used fields of new_trade and trade. The answer of new_trade has
// neither a received amount nor transactions.
type trade struct {
	TradeID     string      `json:"trade_id"`
	Status      string      `json:"status"`
	TickerTo    string      `json:"ticker_to"`
	NetworkTo   string      `json:"network_to"`
	AmountFrom  money.Loose `json:"amount_from"`
	AmountTo    money.Loose `json:"amount_to"`
	Rate        money.Loose `json:"rate"`
	Received    money.Loose `json:"amount_received"`
	Deposit     string      `json:"address_provider"`
	DepositMemo string      `json:"address_provider_memo"`
	AddressUser string      `json:"address_user"`
	DepositTx   string      `json:"deposit_tx_hash"`
	PayoutTx    string      `json:"payout_tx_hash"`
	RefundTx    string      `json:"refund_tx_hash"`
	ExpiresAt   time.Time   `json:"expires_at"`
}

func (t trade) swap() provider.Swap {
	s := provider.Swap{
		ID: t.TradeID, State: state(t.Status), Word: t.Status, DepositAddress: t.Deposit, DepositMemo: t.DepositMemo,
		AmountFrom: t.AmountFrom.Decimal, AmountTo: t.AmountTo.Decimal,
		DepositTx: t.DepositTx, PayoutTx: t.PayoutTx, RefundTx: t.RefundTx, ExpiresAt: t.ExpiresAt,
	}
	if t.Received.Sign() > 0 && t.Received.Cmp(s.AmountFrom) != 0 {
		s.AmountFrom, s.AmountTo = t.Received.Decimal, t.pays()
	}
	return s
}

// lockedShare is the largest share of the ordered amount for which the whole deposit
// is paid at the locked rate. An exchange pays the excess at a later price, which it
// does not report.
func lockedShare() money.Decimal { return money.MustDecimal("1.01") }

// pays returns the payout for the received amount at the locked rate, rounded down to
// the smallest unit of the coin. It returns 0, which means unknown, above lockedShare
// and for an unknown coin.
func (t trade) pays() money.Decimal {
	to, known := coin.Lookup(t.TickerTo, t.NetworkTo)
	if !known || t.Received.Cmp(t.AmountFrom.Mul(lockedShare())) > 0 {
		return money.Decimal{}
	}
	return t.Received.Mul(t.Rate.Decimal).Floor(to.Decimals)
}

// state maps the statuses of the contract. A failed trade is not final: it has a
// deposit, and people at the exchange may still complete it.
func state(status string) provider.State {
	switch status {
	case "pending", "awaiting_deposit":
		return provider.Waiting
	case "deposit_detected", "confirming":
		return provider.Confirming
	case "processing":
		return provider.Exchanging
	case "sending":
		return provider.Sending
	case "completed":
		return provider.Finished
	case "refunded":
		return provider.Refunded
	case "expired":
		return provider.Expired
	case "failed", "hold":
		return provider.Halted
	default:
		return provider.Unknown
	}
}
