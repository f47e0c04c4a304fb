package witness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/durapay/durapay/internal/chain"
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
	// payments are the payments that a merchant's payout spent, and unspent those that
	// it covered without spending them; nil for all other transactions.
	payments, unspent []int64
	// mined reports whether a block has it; else it waits in the pool.
	mined bool
}

// takeOver marks the debts that a transaction paid as paid by it. The outcome is
// Recorded when the database does not know some of them, or when an operator has
// accepted that a part is paid otherwise. It is Undecided when the debts cannot be
// determined yet, and Waiting when even an operator cannot determine them yet.
func (r *Recoverer) takeOver(ctx context.Context, q *db.Queries, walletID string, e Entry) (outcome, why string, err error) {
	built, found, err := r.locate(ctx, walletID, e.TxHash)
	if errors.Is(err, ErrMissing) {
		return Undecided, "it may have been relayed, and is in no block and in no pool: its debt is paid again once it is accepted", nil
	}
	if err != nil {
		return "", "", err
	}
	if found.State == chain.Unknown {
		return Undecided, notRelayed(found.Inputs), nil
	}
	t := taken{walletID: walletID, entry: e, raw: built.Raw, inputs: built.Inputs, mined: found.State == chain.Mined}
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

// insertTransaction stores the transaction as sent. If it is stored as abandoned,
// insertTransaction reinstates it.
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
		Raw: t.raw, Inputs: t.inputs, Payments: t.payments, UnspentPayments: t.unspent,
		Paid: t.paid, Fee: t.fee, At: r.at(),
	})
}

// answer is one debt of a trade that the transaction pays, and the transaction that
// this copy of the database had made for it.
type answer struct {
	ref Reference
	// deposit is the answered deposit. Its row exists once the deposit was seen.
	deposit db.TradeDeposit
	seen    bool
	// made is nil when this copy made no transaction, or when that transaction stays.
	made *db.OutgoingTransaction
	// open reports whether the transaction may be the payment of the debt.
	open bool
	// waits reports whether an operator cannot accept the transaction before the fate of
	// made is known. Otherwise made would be relayed again, and pay a second time.
	waits bool
}

// takeOverTrades marks the deposits that the transaction answers as answered by it,
// so that they are neither paid nor sent back again. If there are questions about a
// part of them, it writes nothing before an operator accepts that part. Then it
// takes over the debts that are still due, so that accepting never pays them twice.
func (r *Recoverer) takeOverTrades(ctx context.Context, q *db.Queries, t taken) (outcome, why string, err error) {
	var answers []answer
	var trades, unknown, questions []string
	waits := false
	for _, ref := range t.entry.Pays {
		a, question, err := r.answer(ctx, q, t, ref)
		switch {
		case postgres.IsNotFound(err):
			unknown = append(unknown, ref.TradeID)
			continue
		case err != nil:
			return "", "", err
		case question != "":
			questions = append(questions, question)
		}
		waits = waits || a.waits
		if a.open {
			answers, trades = append(answers, a), append(trades, ref.TradeID)
		}
	}
	if waits {
		return Waiting, strings.Join(questions, "; "), nil
	}
	if len(questions) > 0 && (len(answers) == 0 || !r.accepts(t.entry.TxHash)) {
		return Undecided, r.question(questions, trades), nil
	}
	if len(unknown) > 0 {
		questions = append(questions, fmt.Sprintf("%s of trades that are not known: %v", t.entry.Purpose, unknown))
	}
	if err := r.write(ctx, q, t, answers, trades); err != nil {
		return "", "", err
	}
	if len(questions) > 0 {
		return Recorded, strings.Join(questions, "; "), nil
	}
	return TakenOver, "", nil
}

// question describes what an operator would accept, and names the trades that are
// then taken over.
func (r *Recoverer) question(questions, trades []string) string {
	why := strings.Join(questions, "; ")
	if len(trades) > 0 {
		why += fmt.Sprintf("; once this is accepted, what it paid of the trades %v counts as paid by it", trades)
	}
	return why
}

// write stores the transaction and its answers, in place of the transactions that
// this copy had made for them.
func (r *Recoverer) write(ctx context.Context, q *db.Queries, t taken, answers []answer, trades []string) error {
	for _, a := range answers {
		if a.made == nil {
			continue
		}
		if err := r.abandon(ctx, q, *a.made); err != nil {
			return err
		}
	}
	slices.Sort(trades)
	id, err := r.insertTransaction(ctx, q, t, nil, slices.Compact(trades))
	if err != nil {
		return err
	}
	for _, a := range answers {
		if err := r.answered(ctx, q, t, a, id); err != nil {
			return err
		}
	}
	return nil
}

// answer finds the debt, and whether the transaction may be its payment. If the
// trade is not known, postgres.IsNotFound reports true for the error. A transaction
// in a block is never replaced, and one in a pool only by one in a block.
func (r *Recoverer) answer(ctx context.Context, q *db.Queries, t taken, ref Reference) (a answer, question string, err error) {
	a.ref = ref
	if _, err := q.LockTrade(ctx, ref.TradeID); err != nil {
		return a, "", err
	}
	a.deposit, err = q.DepositOfTrade(ctx, db.DepositOfTradeParams{TradeID: ref.TradeID, TxHash: ref.DepositTx, Address: ref.DepositAddress})
	if postgres.IsNotFound(err) {
		a.open = true
		return a, "the deposit of trade " + ref.TradeID + " that it answers was not seen yet: let the watcher catch up and ask again", nil
	}
	if err != nil {
		return a, "", err
	}
	a.seen = true
	p, err := q.PaymentOfDeposit(ctx, a.deposit.ID)
	if postgres.IsNotFound(err) || (err == nil && p.TradePayment.TransactionID == nil) {
		a.open = true
		return a, "", nil
	}
	if err != nil {
		return a, "", err
	}
	return r.answeredBefore(ctx, q, t, a, *p.TradePayment.TransactionID)
}

// answeredBefore compares the transaction with the one that this copy of the
// database has for the same deposit.
func (r *Recoverer) answeredBefore(ctx context.Context, q *db.Queries, t taken, a answer, id int64) (_ answer, question string, err error) {
	made, err := q.GetOutgoing(ctx, id)
	if err != nil {
		return a, "", err
	}
	at, err := r.where(ctx, made)
	switch {
	case err != nil:
		return a, "", err
	case Abandonable(at):
		a.open, a.made = true, &made
		return a, giveUpQuestion(made, at.Inputs), nil
	case at.State == chain.Mined:
		return a, fmt.Sprintf("transaction %d (%s) answers the same deposit of trade %s and is in a block: look at both, it may be paid twice",
			id, *made.TxHash, a.ref.TradeID), nil
	case at.State == chain.InPool:
		a.open, a.waits = t.mined && forgettable(made), !forgettable(made)
		return a, fmt.Sprintf("transaction %d (%s) answers the same deposit of trade %s and waits in the pool: ask again once it is mined or gone, it may be paid twice",
			id, *made.TxHash, a.ref.TradeID), nil
	default:
		a.open, a.waits = t.mined && forgettable(made), !forgettable(made)
		return a, fmt.Sprintf("transaction %d (%s) answers the same deposit of trade %s and another one in the pool spends its coins: ask again once that is mined or gone",
			id, *made.TxHash, a.ref.TradeID), nil
	}
}

// giveUpQuestion returns the question whether to abandon a transaction that was
// sent, pays several trades and might still be mined. Its other debts are then due
// again. It is empty where there is no question.
func giveUpQuestion(made db.OutgoingTransaction, inputs chain.InputState) string {
	state := TxState(made.State)
	if (state != TxSent && state != TxFailed) || len(made.TradeIds) < 2 || inputs == chain.InputsSpent {
		return ""
	}
	return fmt.Sprintf("transaction %d (%s) answers the same deposit, and others of the trades %v; it is in no block and no pool, and %s: "+
		"once this is accepted it is given up, and what else it paid is paid again", made.ID, *made.TxHash, made.TradeIds, WhyMinable(inputs))
}

// forgettable reports whether the service will not relay a transaction again once
// another transaction has its debt: it was sent, and pays no other debt.
func forgettable(made db.OutgoingTransaction) bool {
	return TxState(made.State) == TxSent && len(made.TradeIds) == 1
}

// answered marks the debt as paid by the transaction. If the deposit was not seen
// yet, the watcher does that once it sees the deposit.
func (r *Recoverer) answered(ctx context.Context, q *db.Queries, t taken, a answer, id int64) error {
	sums := make([]money.Decimal, 3)
	for i, text := range []string{a.ref.Amount, a.ref.Paid, a.ref.Fee} {
		var err error
		if sums[i], err = money.ParseDecimal(text); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	row := db.UnseenDeposit{
		TradeID: a.ref.TradeID, TxHash: a.ref.DepositTx, Address: a.ref.DepositAddress, TransactionID: id, Kind: a.ref.Kind, WalletID: t.walletID,
		Amount: sums[0], Paid: sums[1], Fee: sums[2], CreatedAt: r.at(),
	}
	var err error
	if a.seen {
		err = Answer(ctx, q, row, a.deposit.ID)
	} else {
		err = q.AwaitDeposit(ctx, db.AwaitDepositParams(row))
	}
	if err != nil {
		return err
	}
	return q.RecordTradeRecovered(ctx, a.ref.TradeID)
}
