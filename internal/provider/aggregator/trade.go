package aggregator

import (
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// trade contains the used fields of new_trade and trade.
type trade struct {
	TradeID         string      `json:"trade_id"`
	Status          string      `json:"status"`
	AmountFrom      money.Loose `json:"amount_from"`
	AmountTo        money.Loose `json:"amount_to"`
	AddressProvider string      `json:"address_provider"`
	AddressMemo     string      `json:"address_provider_memo"`
	AddressUser     string      `json:"address_user"`
	HashOut         string      `json:"hashout"`
	Quotes          struct {
		ExpiresAt string `json:"expiresAt"`
	} `json:"quotes"`
	Details struct {
		HashOut string `json:"hashout"`
	} `json:"details"`
}

func (t trade) swap() provider.Swap {
	s := provider.Swap{
		ID: t.TradeID, State: state(t.Status), Word: t.Status,
		DepositAddress: t.AddressProvider, DepositMemo: memo(t.AddressMemo),
		AmountFrom: t.AmountFrom.Decimal, AmountTo: t.AmountTo.Decimal,
		PayoutTx: t.HashOut, ExpiresAt: expiry(t.Quotes.ExpiresAt),
	}
	if s.PayoutTx == "" {
		s.PayoutTx = t.Details.HashOut
	}
	if s.State == provider.Refunded { // the only hash in the answer is that of the refund
		s.PayoutTx, s.RefundTx = "", s.PayoutTx
	}
	return s
}

// memo removes the words that aggregators send for an empty memo.
func memo(s string) string {
	switch s {
	case "0", "None", "null":
		return ""
	default:
		return s
	}
}

// expiry reads a time such as 2026-07-29 14:34:45+00:00, and returns the zero
// time for any other text.
func expiry(s string) time.Time {
	at, err := time.Parse("2006-01-02 15:04:05Z07:00", s)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// state maps the aggregator's words to states.
func state(word string) provider.State {
	switch word {
	case "new", "waiting":
		return provider.Waiting
	case "confirming":
		return provider.Confirming
	case "confirmed", "exchanging":
		return provider.Exchanging
	case "sending":
		return provider.Sending
	case "finished":
		return provider.Finished
	case "refunded":
		return provider.Refunded
	case "failed":
		return provider.Failed
	case "expired":
		return provider.Expired
	case "halted", "paid partially":
		return provider.Halted
	default:
		return provider.Unknown
	}
}
