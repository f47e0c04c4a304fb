package changenow

import (
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// created is the answer to an order.
type created struct {
	ID            string      `json:"id"`
	PayinAddress  string      `json:"payinAddress"`
	PayinExtraID  string      `json:"payinExtraId"`
	PayoutAddress string      `json:"payoutAddress"`
	FromAmount    money.Loose `json:"fromAmount"`
	ToAmount      money.Loose `json:"toAmount"`
}

func (c created) swap() provider.Swap {
	return provider.Swap{
		ID: c.ID, State: provider.Waiting, Word: "new", DepositAddress: c.PayinAddress, DepositMemo: c.PayinExtraID,
		AmountFrom: c.FromAmount.Decimal, AmountTo: c.ToAmount.Decimal,
	}
}

// exchange contains the used fields of an exchange's status. The amounts are
// null until they are known.
type exchange struct {
	ID           string       `json:"id"`
	Status       string       `json:"status"`
	PayinAddress string       `json:"payinAddress"`
	PayinExtraID string       `json:"payinExtraId"`
	ExpectedFrom *money.Loose `json:"expectedAmountFrom"`
	ExpectedTo   *money.Loose `json:"expectedAmountTo"`
	AmountFrom   *money.Loose `json:"amountFrom"`
	AmountTo     *money.Loose `json:"amountTo"`
	PayinHash    string       `json:"payinHash"`
	PayoutHash   string       `json:"payoutHash"`
	RefundHash   string       `json:"refundHash"`
	ValidUntil   *time.Time   `json:"validUntil"`
}

func (e exchange) swap() provider.Swap {
	s := provider.Swap{
		ID: e.ID, State: state(e.Status), Word: e.Status, DepositAddress: e.PayinAddress, DepositMemo: e.PayinExtraID,
		AmountFrom: first(e.AmountFrom, e.ExpectedFrom), AmountTo: first(e.AmountTo, e.ExpectedTo),
		DepositTx: e.PayinHash, PayoutTx: e.PayoutHash, RefundTx: e.RefundHash,
		Unpaid: e.PayinHash == "" && e.AmountFrom == nil,
	}
	if e.ValidUntil != nil {
		s.ExpiresAt = e.ValidUntil.UTC()
	}
	return s
}

func first(amounts ...*money.Loose) money.Decimal {
	for _, a := range amounts {
		if a != nil {
			return a.Decimal
		}
	}
	return money.Decimal{}
}

// state maps ChangeNOW's words to states.
func state(word string) provider.State {
	switch word {
	case "new", "waiting":
		return provider.Waiting
	case "confirming":
		return provider.Confirming
	case "exchanging":
		return provider.Exchanging
	case "sending":
		return provider.Sending
	case "finished":
		return provider.Finished
	case "failed":
		return provider.Failed
	case "refunded":
		return provider.Refunded
	case "expired":
		return provider.Expired
	case "verifying":
		return provider.Verifying
	default:
		return provider.Unknown
	}
}
