package witness

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// taken is a transaction that is being taken over.
type taken struct {
	walletID  string
	entry     Entry
	raw       []byte
	inputs    []string
	paid, fee money.Decimal
}

// takeOver marks what a transaction paid as paid by it. Recorded when the
// database knows nothing of it, Undecided when it cannot be told yet.
func (r *Recoverer) takeOver(ctx context.Context, q *db.Queries, walletID string, e Entry) (outcome, why string, err error) {
	t := taken{walletID: walletID, entry: e}
	t.raw, t.inputs, err = r.Wallets[walletID].Chain.Transaction(ctx, e.TxHash)
	if errors.Is(err, ErrMissing) {
		return Undecided, "it may have been relayed, and is in no block and in no pool: its debt is paid again once it is accepted", nil
	}
	if err != nil {
		return "", "", err
	}
	if t.paid, err = money.ParseDecimal(e.Amount); err != nil {
		return Undecided, "its journal cannot be read", nil //nolint:nilerr // an operator decides
	}
	if t.fee, err = money.ParseDecimal(e.Fee); err != nil {
		return Undecided, "its journal cannot be read", nil //nolint:nilerr // an operator decides
	}
	switch {
	case len(e.Pays) == 0:
		_, err := r.insertTransaction(ctx, q, t, nil, nil) // a consolidation
		return TakenOver, "it paid nobody but the wallet", err
	case e.Pays[0].PayoutID != "":
		return r.takeOverPayout(ctx, q, t)
	default:
		return r.takeOverTrades(ctx, q, t)
	}
}

// insertTransaction writes the transaction as sent. One that is stored, and was
// abandoned, is taken back.
func (r *Recoverer) insertTransaction(ctx context.Context, q *db.Queries, t taken, payoutID *string, trades []string) (int64, error) {
	id, err := q.ReinstateOutgoing(ctx, db.ReinstateOutgoingParams{WalletID: t.walletID, TxHash: t.entry.TxHash, At: r.at()})
	if !postgres.IsNotFound(err) {
		return id, err
	}
	if trades == nil {
		trades = []string{}
	}
	return q.TakeOverOutgoing(ctx, db.TakeOverOutgoingParams{
		WalletID: t.walletID, Purpose: t.entry.Purpose, PayoutID: payoutID, TradeIds: trades, Seq: t.entry.Seq, TxHash: t.entry.TxHash,
		Raw: t.raw, Inputs: t.inputs, Paid: t.paid, Fee: t.fee, At: r.at(),
	})
}

// answer is one debt of a trade that the transaction pays, and what this copy of
// the database had made for it.
type answer struct {
	ref     Reference
	deposit db.TradeDeposit
	made    *int64
	state   string
}

// takeOverTrades marks the deposits that the transaction answers as answered by
// it, so that they are neither paid nor sent back again. Nothing is written before
// all of it is decided.
func (r *Recoverer) takeOverTrades(ctx context.Context, q *db.Queries, t taken) (outcome, why string, err error) {
	var answers []answer
	var trades, unknown []string
	for _, ref := range t.entry.Pays {
		a, why, err := r.answer(ctx, q, ref)
		switch {
		case postgres.IsNotFound(err):
			unknown = append(unknown, ref.TradeID)
		case err != nil || why != "":
			return Undecided, why, err
		default:
			answers, trades = append(answers, a), append(trades, ref.TradeID)
		}
	}
	for _, a := range answers {
		if a.made == nil {
			continue
		}
		if err := r.abandon(ctx, q, *a.made, a.state); err != nil {
			return "", "", err
		}
	}
	slices.Sort(trades)
	id, err := r.insertTransaction(ctx, q, t, nil, slices.Compact(trades))
	if err != nil {
		return "", "", err
	}
	for _, a := range answers {
		if err := r.answered(ctx, q, t, a, id); err != nil {
			return "", "", err
		}
	}
	if len(unknown) > 0 {
		return Recorded, fmt.Sprintf("%s of trades that are not known: %v", t.entry.Purpose, unknown), nil
	}
	return TakenOver, "", nil
}

// answer finds the debt; an error that postgres.IsNotFound when the trade is not
// known.
func (r *Recoverer) answer(ctx context.Context, q *db.Queries, ref Reference) (a answer, why string, err error) {
	a.ref = ref
	if _, err := q.LockTrade(ctx, ref.TradeID); err != nil {
		return a, "", err
	}
	a.deposit, err = q.DepositOfTrade(ctx, db.DepositOfTradeParams{TradeID: ref.TradeID, TxHash: ref.DepositTx, Address: ref.DepositAddress})
	if postgres.IsNotFound(err) {
		return a, "the deposit of trade " + ref.TradeID + " that it answers was not seen yet: let the watcher catch up and ask again", nil
	}
	if err != nil {
		return a, "", err
	}
	p, err := q.PaymentOfDeposit(ctx, a.deposit.ID)
	if postgres.IsNotFound(err) {
		return a, "", nil
	}
	if a.made, a.state = p.TradePayment.TransactionID, p.State; a.state == confirmed {
		why = fmt.Sprintf("transaction %d answers the same deposit and is confirmed: look at both", *a.made)
	}
	return a, why, err
}

// The states of an outgoing transaction that matter here.
const (
	building  = "building"
	confirmed = "confirmed"
)

// abandon gives up what this copy of the database had made for the same debt.
func (r *Recoverer) abandon(ctx context.Context, q *db.Queries, id int64, state string) error {
	if err := q.FreeTradePayments(ctx, id); err != nil {
		return err
	}
	if state == building {
		return q.DropClaim(ctx, id)
	}
	at := r.at()
	_, err := q.AbandonOutgoing(ctx, db.AbandonOutgoingParams{ID: id, AbandonedAt: &at, AbandonedBy: r.Actor})
	return err
}

func (r *Recoverer) answered(ctx context.Context, q *db.Queries, t taken, a answer, id int64) error {
	sums := make([]money.Decimal, 3)
	for i, text := range []string{a.ref.Amount, a.ref.Paid, a.ref.Fee} {
		var err error
		if sums[i], err = money.ParseDecimal(text); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	if err := q.TakeOverPayment(ctx, db.TakeOverPaymentParams{
		TradeID: a.ref.TradeID, DepositID: a.deposit.ID, Kind: a.ref.Kind, WalletID: t.walletID,
		Amount: sums[0], TransactionID: id, Paid: sums[1], Fee: sums[2], CreatedAt: r.at(),
	}); err != nil {
		return err
	}
	if a.ref.Kind == "payout" {
		if err := q.CountDepositAsInTime(ctx, a.deposit.ID); err != nil {
			return err
		}
	}
	return q.RecordTradeRecovered(ctx, a.ref.TradeID)
}
