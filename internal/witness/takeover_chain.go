package witness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// PaidMerchant is the operator's answer that a transaction paid only its merchant.
const PaidMerchant = "merchant"

// unnoted is the reason why a transaction without a journal stays undecided.
const unnoted = "no place outside of the database noted what it paid"

// fromChain returns the journal of a transaction without an entry: the data that the
// chain shows, and an operator's answer about what it paid. It covers only a
// transaction that spent payments of a single merchant. why is the missing part:
// without an answer it is a question, because a withdrawal by hand looks the same. A
// payout that this database built and abandoned needs no question.
func (r *Recoverer) fromChain(ctx context.Context, q *db.Queries, walletID string, s RecoveredSend) (e *Entry, why string, err error) {
	if ref, ok, err := ownPayout(ctx, q, s.TxHash); err != nil || ok {
		return entryOf(ref, s), "", err
	}
	_, inputs, err := r.Wallets[walletID].Chain.Transaction(ctx, s.TxHash)
	if errors.Is(err, ErrMissing) {
		return nil, unnoted, nil
	}
	if err != nil {
		return nil, "", err
	}
	rows, whole, err := r.spentBy(ctx, q, walletID, inputs)
	if err != nil {
		return nil, "", err
	}
	if len(rows) == 0 {
		return nil, unnoted, nil
	}
	ref, why := spentOf(rows)
	switch {
	case why != "":
		return nil, unnoted + ", and " + why, nil
	case !whole:
		return nil, unnoted + ", and the payments that it spent were not all seen yet: let the watcher catch up and ask again", nil
	case s.Height == 0:
		return nil, unnoted + ", and it waits in the pool: ask again once a block has it", nil
	}
	answer, ok := r.Paid[s.TxHash]
	if !ok {
		why, err := r.ask(ctx, q, ref, s)
		return nil, why, err
	}
	if why, err := r.believe(ctx, q, &ref, s, answer); err != nil || why != "" {
		return nil, why, err
	}
	if ref.PayoutID, err = r.reservedFor(ctx, q, ref, rows); err != nil {
		return nil, "", err
	}
	if ref.PayoutID == "" {
		ref.PayoutID = idOf("po_", s.TxHash)
		return entryOf(ref, s), "", nil
	}
	ref.Unspent, err = reservedUnspent(ctx, q, ref.PayoutID, rows)
	return entryOf(ref, s), "", err
}

// reservedUnspent returns the payments that a payout has reserved here and its
// transaction did not spend. If the payout has a fee, they are a part of it; if not,
// its transaction spent all payments that were worth their chain fee. If they exceed the
// fee, the lost copy paid out less than is reserved here, and they are owed.
func reservedUnspent(ctx context.Context, q *db.Queries, payoutID string, spent []db.PaymentsAtRow) (list []Received, err error) {
	p, err := q.GetPayout(ctx, payoutID)
	if err != nil || p.FeeRate.Sign() == 0 {
		return nil, err
	}
	rows, err := q.PayoutPayments(ctx, payoutID)
	if err != nil {
		return nil, err
	}
	var all, left []money.Piconero
	for _, row := range rows {
		all = append(all, row.Amount)
		if !slices.ContainsFunc(spent, func(s db.PaymentsAtRow) bool { return s.ID == row.ID }) {
			list, left = append(list, Received{row.TxHash, uint32(row.SubaddressIndex)}), append(left, row.Amount)
		}
	}
	fits, err := fitIntoFee(left, all, p.FeeRate)
	if err != nil || !fits {
		return nil, err
	}
	return list, nil
}

// fitIntoFee reports whether the operator's fee on all payments covers those that are left.
func fitIntoFee(left, all []money.Piconero, rate money.Decimal) (bool, error) {
	gross, err := money.Sum(all...)
	if err != nil {
		return false, err
	}
	fee, err := payout.Fee(gross, rate)
	if err != nil {
		return false, err
	}
	unspent, err := money.Sum(left...)
	return unspent <= fee, err
}

// entryOf returns the journal of a payout that has no number here. The payout gets the
// next number.
func entryOf(ref Reference, s RecoveredSend) *Entry {
	return &Entry{
		Seq: 1, TxHash: s.TxHash, Purpose: "payout", Pays: []Reference{ref},
		Amount: money.Piconero(s.Amount).String(), Fee: money.Piconero(s.Fee).String(),
	}
}

// ownPayout returns the debt of the payout of this database whose transaction has this
// hash.
func ownPayout(ctx context.Context, q *db.Queries, txHash string) (ref Reference, ok bool, err error) {
	own, err := q.PayoutOfTransaction(ctx, txHash)
	if postgres.IsNotFound(err) {
		return ref, false, nil
	}
	if err != nil {
		return ref, false, err
	}
	ref, err = ReferenceOf(ctx, q, own.Payout, own.UnspentPayments)
	return ref, err == nil, err
}

// ReferenceOf returns the reference of a merchant's payout for the witnesses. unspent
// are the payments that it covers but its transaction does not spend.
func ReferenceOf(ctx context.Context, q *db.Queries, p db.Payout, unspent []int64) (Reference, error) {
	ref := Reference{PayoutID: p.ID, MerchantID: p.MerchantID}
	names, err := q.PaymentsCameWith(ctx, unspent)
	if err != nil {
		return ref, err
	}
	for _, n := range names {
		ref.Unspent = append(ref.Unspent, Received{n.TxHash, uint32(n.SubaddressIndex)})
	}
	if p.ClaimID != nil {
		claim, err := q.GetClaim(ctx, *p.ClaimID)
		if err != nil {
			return ref, err
		}
		refund, err := q.GetRefund(ctx, claim.RefundID)
		if err != nil {
			return ref, err
		}
		ref.Refund = &RefundPaid{RefundID: refund.ID, ClaimID: claim.ID, ChargeID: refund.ChargeID, Amount: p.RefundAmount.String()}
	}
	if p.SwapID == nil {
		return ref, nil
	}
	row, err := q.GetSwap(ctx, *p.SwapID)
	ref.Order = OrderOf(row)
	return ref, err
}

// spentOf returns the merchant of the payments and a payout that has reserved some of
// them. The merchant is empty if this database knows none of their charges. why is set
// if they belong to several merchants.
func spentOf(rows []db.PaymentsAtRow) (ref Reference, why string) {
	for _, row := range rows {
		if id := row.MerchantID; id != nil {
			if ref.MerchantID != "" && ref.MerchantID != *id {
				return ref, "it spent payments of several merchants"
			}
			ref.MerchantID = *id
		}
		if id := row.PayoutID; id != nil {
			ref.PayoutID = *id
		}
	}
	return ref, ""
}

// ask returns the question what a transaction paid, with the possible answers.
func (r *Recoverer) ask(ctx context.Context, q *db.Queries, ref Reference, s RecoveredSend) (why string, err error) {
	if ref.MerchantID == "" {
		return unnoted + ", and it spent only payments to charges that are not known here: if it paid a claim that is known here, name that with " +
			"--paid=" + s.TxHash + "=CLAIM; else nothing here is paid again, and it can be accepted", nil
	}
	open, err := q.RefundsThatMayBePaid(ctx, ref.MerchantID)
	if err != nil {
		return "", err
	}
	answers := []string{PaidMerchant}
	for _, o := range open {
		id := o.RefundID
		if o.ClaimID != "" {
			id = o.ClaimID
		}
		answers = append(answers, fmt.Sprintf("%s (%s XMR)", id, o.Amount))
	}
	why = fmt.Sprintf("%s, and it spent payments of merchant %s alone, of which %s XMR left the wallet: say what it paid with --paid=%s=ANSWER, one of %s",
		unnoted, ref.MerchantID, money.Piconero(s.Amount), s.TxHash, strings.Join(answers, ", "))
	if ref.PayoutID != "" {
		why += "; payout " + ref.PayoutID + " has reserved what it spent"
	}
	return why + "; accept it only if it was sent by hand", nil
}

// believe adds an operator's answer about the transaction's payment to the reference.
// why is the reason if the answer cannot be right.
func (r *Recoverer) believe(ctx context.Context, q *db.Queries, ref *Reference, s RecoveredSend, answer string) (why string, err error) {
	if answer != PaidMerchant {
		merchant, paid, why, err := r.refundOf(ctx, q, s, answer)
		if err != nil || why != "" {
			return why, err
		}
		if ref.MerchantID != "" && ref.MerchantID != merchant {
			return answer + " is of another merchant than the payments that it spent", nil
		}
		ref.MerchantID, ref.Refund = merchant, paid
	}
	if ref.MerchantID == "" {
		return "it spent only payments to charges that are not known here: accept it, nothing here is paid again", nil
	}
	return "", nil
}

// reservedFor returns the payout that has reserved what a transaction spent, pays what an
// operator says that the transaction paid, and has no other transaction: it is the payout
// that the lost copy sent. It is empty for none. Every other payout that has reserved
// these payments makes way.
func (r *Recoverer) reservedFor(ctx context.Context, q *db.Queries, ref Reference, rows []db.PaymentsAtRow) (id string, err error) {
	claim := ref.claimID()
	for _, row := range rows {
		if row.PayoutID == nil {
			continue
		}
		p, err := q.GetPayout(ctx, *row.PayoutID)
		if err != nil {
			return "", err
		}
		same := (claim == nil) == (p.ClaimID == nil) && (claim == nil || *claim == *p.ClaimID)
		if same && p.BuiltAt == nil {
			return p.ID, nil
		}
	}
	return "", nil
}

// refundOf returns the claim that an operator names. If the operator names a refund,
// the lost copy knew its claim, and the whole remaining amount of the refund counts as
// paid.
func (r *Recoverer) refundOf(ctx context.Context, q *db.Queries, s RecoveredSend, answer string) (merchant string, paid *RefundPaid, why string, err error) {
	claim, err := q.GetClaim(ctx, answer)
	known := err == nil
	if err != nil && !postgres.IsNotFound(err) {
		return "", nil, "", err
	}
	id := answer
	if known {
		id = claim.RefundID
	}
	refund, err := q.GetRefund(ctx, id)
	if postgres.IsNotFound(err) {
		return "", nil, answer + " is no refund and no claim that is known here: if its refund is not known either, the answer is " + PaidMerchant, nil
	}
	if err != nil {
		return "", nil, "", err
	}
	paid = &RefundPaid{RefundID: refund.ID, ClaimID: claim.ID, ChargeID: refund.ChargeID, Amount: claim.Amount.String()}
	if known {
		return refund.MerchantID, paid, "", nil
	}
	paid.ClaimID = idOf("rc_", s.TxHash)
	is, err := q.PaidOfRefund(ctx, db.PaidOfRefundParams{RefundID: refund.ID, ClaimID: paid.ClaimID})
	if err != nil {
		return "", nil, "", err
	}
	remaining := min(is.Amount.SubFloor(is.Paid), money.Piconero(s.Amount))
	if remaining == 0 {
		return "", nil, "nothing is left of refund " + refund.ID + ": name the claim of it that is being paid here, whose payout then fails", nil
	}
	paid.Amount = remaining.String()
	return refund.MerchantID, paid, "", nil
}

// idOf returns an ID that is the same in every run, in place of the one that the lost
// copy had.
func idOf(prefix, txHash string) string {
	digest := sha256.Sum256([]byte(txHash))
	return prefix + hex.EncodeToString(digest[:12])
}
