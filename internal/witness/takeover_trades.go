package witness

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// errAnswer says why an operator's answer cannot be.
var errAnswer = errors.New("the answer does not fit")

// fromTrades is the journal of a transaction of the exchange that no place noted, from an
// operator's answer: the IDs of the trades that it paid, with commas between them.
func (r *Recoverer) fromTrades(ctx context.Context, q *db.Queries, walletID string, s RecoveredSend) (e *Entry, why string, err error) {
	wallet, err := q.GetExchangeWallet(ctx, walletID)
	if postgres.IsNotFound(err) {
		return nil, unnoted, nil
	}
	if err != nil {
		return nil, "", err
	}
	answer, ok := r.Paid[s.TxHash]
	switch {
	case !ok:
		return nil, unnoted + ": if it paid trades, name all of them with --paid=" + s.TxHash + "=TRADE,TRADE; accept it only if it paid nobody who is known here", nil
	case s.Height == 0:
		return nil, unnoted + ", and it waits in the pool: ask again once a block has it", nil
	}
	paid, fee := money.FromAtomic(s.Amount, wallet.Decimals), money.FromAtomic(s.Fee, wallet.Decimals)
	e = &Entry{Seq: 1, TxHash: s.TxHash, Amount: paid.String(), Fee: fee.String()} // one that is stored by another number is given the next
	trades := strings.Split(answer, ",")
	for i, id := range trades {
		ref, err := paidTrade(ctx, q, walletID, id)
		if errors.Is(err, errAnswer) {
			return nil, err.Error(), nil
		}
		if err != nil {
			return nil, "", err
		}
		if len(trades) == 1 {
			ref.Amount, ref.Paid = e.Amount, e.Amount
		}
		if ref.Fee = "0"; i == 0 {
			ref.Fee = e.Fee
		}
		if e.Purpose = ref.Kind; trade.Kind(ref.Kind) == trade.Payout {
			e.Purpose = "trade_payout"
		}
		e.Pays = append(e.Pays, ref)
	}
	return e, "", nil
}

// paidTrade is the debt of a trade that a transaction of the wallet has paid: the payout
// where the wallet pays the trade out, else the refund. Amount and Paid are what the trade
// promised, or the deposit. errAnswer.
func paidTrade(ctx context.Context, q *db.Queries, walletID, id string) (Reference, error) {
	t, err := q.GetTrade(ctx, id)
	if postgres.IsNotFound(err) {
		return Reference{}, fmt.Errorf("%w: trade %s is not known here: if none of them is, accept the transaction", errAnswer, id)
	}
	if err != nil {
		return Reference{}, err
	}
	deposits, err := q.TradeDeposits(ctx, id)
	if err != nil {
		return Reference{}, err
	}
	if len(deposits) != 1 {
		return Reference{}, fmt.Errorf("%w: trade %s has %d deposits here: let the watcher catch up, or look at them", errAnswer, id, len(deposits))
	}
	d := deposits[0]
	ref := Reference{TradeID: id, DepositTx: d.TxHash, DepositAddress: d.Address}
	switch {
	case t.WalletTo != nil && *t.WalletTo == walletID:
		ref.Kind, ref.Amount = string(trade.Payout), t.AmountTo.String()
	case t.WalletFrom != nil && *t.WalletFrom == walletID:
		ref.Kind, ref.Amount = string(trade.Refund), d.Amount.String()
	default:
		return Reference{}, fmt.Errorf("%w: trade %s has no part in this wallet", errAnswer, id)
	}
	ref.Paid = ref.Amount
	return ref, nil
}
