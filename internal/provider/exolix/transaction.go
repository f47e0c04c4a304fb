package exolix

import (
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// transaction is the part of a transaction that is used.
type transaction struct {
	ID                string      `json:"id"`
	Status            string      `json:"status"`
	Amount            money.Loose `json:"amount"`
	AmountTo          money.Loose `json:"amountTo"`
	DepositAddress    string      `json:"depositAddress"`
	DepositExtraID    string      `json:"depositExtraId"`
	WithdrawalAddress string      `json:"withdrawalAddress"`
	HashIn            hash        `json:"hashIn"`
	HashOut           hash        `json:"hashOut"`
}

type hash struct {
	Hash string `json:"hash"`
}

func (t transaction) swap() provider.Swap {
	s := provider.Swap{
		ID: t.ID, State: state(t.Status), Word: t.Status, DepositAddress: t.DepositAddress, DepositMemo: t.DepositExtraID,
		AmountFrom: t.Amount.Decimal, AmountTo: t.AmountTo.Decimal, DepositTx: t.HashIn.Hash, PayoutTx: t.HashOut.Hash,
		Unpaid: t.HashIn.Hash == "",
	}
	if s.State == provider.Refunded || s.State == provider.Refunding { // what went out went back
		s.PayoutTx, s.RefundTx = "", s.PayoutTx
	}
	return s
}

// state maps Exolix's words. overdue: the time to deposit has passed; deleted:
// it was removed without a deposit.
func state(word string) provider.State {
	switch word {
	case "wait":
		return provider.Waiting
	case "confirmation":
		return provider.Confirming
	case "confirmed", "exchanging":
		return provider.Exchanging
	case "sending":
		return provider.Sending
	case "success":
		return provider.Finished
	case "refund":
		return provider.Refunding
	case "refunded":
		return provider.Refunded
	case "overdue", "deleted":
		return provider.Expired
	case "error":
		return provider.Failed
	default:
		return provider.Unknown
	}
}
