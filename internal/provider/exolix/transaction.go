package exolix

import (
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// transaction contains the used fields of a transaction.
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
	if s.State == provider.Refunded || s.State == provider.Refunding { // the outgoing transaction is the refund
		s.PayoutTx, s.RefundTx = "", s.PayoutTx
	}
	return s
}

// state maps Exolix's words to states. overdue means that the time for the
// deposit has passed, and deleted that the transaction was removed without a
// deposit.
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
