package witness

import (
	"context"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/internal/webhook"
)

// sweep is what a payout's transaction paid out, according to this database.
type sweep struct {
	// spent are the payments that it spent, and unspent those that it left to the operator.
	spent, unspent   []int64
	gross            money.Piconero
	amount, fee, net money.Piconero
	charges, outputs int32
	// refund is the amount paid to a buyer in addition to the merchant.
	refund money.Piconero
}

// takeOverPayout marks a merchant's payout as sent by the transaction. If this database
// does not know the payout, it inserts it again from the payments that the transaction
// spent.
func (r *Recoverer) takeOverPayout(ctx context.Context, q *db.Queries, t taken) (outcome, why string, err error) {
	ref := t.entry.Pays[0]
	m, known, err := lockSweep(ctx, q, ref)
	switch {
	case postgres.IsNotFound(err) && ref.Order != nil:
		return Recorded, ref.unfollowed("its merchant is not known"), nil
	case postgres.IsNotFound(err):
		return Recorded, "payout " + ref.PayoutID + " of a merchant who is not known", nil
	case err != nil:
		return "", "", err
	}
	s, why, err := r.paidOut(ctx, q, t, ref)
	if err == nil && why == "" {
		why, err = r.assign(ctx, q, t, m, known, s)
	}
	if err != nil || why != "" {
		return Undecided, why, err
	}
	t.payments, t.unspent = s.spent, s.unspent
	if _, err = r.insertTransaction(ctx, q, t, &ref.PayoutID, nil); err != nil {
		return "", "", err
	}
	if err := r.match(ctx, q, t, ref.PayoutID); err != nil {
		return "", "", err
	}
	if why, err = r.swapOf(ctx, q, ref, known); err != nil {
		return "", "", err
	}
	outcome = TakenOver
	if why != "" {
		outcome = Recorded
	}
	return outcome, why, r.recordSentEvent(ctx, q, ref.PayoutID)
}

// match resolves the unmatched payments of the payout: the inputs and the change of its
// transaction.
func (r *Recoverer) match(ctx context.Context, q *db.Queries, t taken, payoutID string) error {
	rows, err := q.ResolveTakenOver(ctx, db.ResolveTakenOverParams{
		WalletID: t.walletID, PayoutID: payoutID, TxHash: t.entry.TxHash, At: r.at(), Note: "it is of payout " + payoutID + ", which was taken over",
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := q.ResolveAlert(ctx, db.ResolveAlertParams{
			Kind: alert.PaymentUnmatched, Subject: alert.PaymentSubject(row.TxHash, row.SubaddressIndex),
		}); err != nil {
			return err
		}
	}
	return nil
}

// lockSweep locks the merchant and then the payout, before the payments that it has
// reserved: the same order as when a payout is abandoned. A payout that is not known
// here has no ID. If the merchant is not known, postgres.IsNotFound reports true for the
// error.
func lockSweep(ctx context.Context, q *db.Queries, ref Reference) (m db.Merchant, known db.Payout, err error) {
	if m, err = q.GetMerchant(ctx, ref.MerchantID); err != nil {
		return m, known, err
	}
	if _, err = q.LockMerchant(ctx, m.MerchantID); err != nil {
		return m, known, err
	}
	if known, err = q.LockPayout(ctx, ref.PayoutID); postgres.IsNotFound(err) {
		err = nil
	}
	return m, known, err
}

// assign records the payout as paid by the transaction. why is the reason if it cannot.
// A payout without an ID is not known here.
func (r *Recoverer) assign(ctx context.Context, q *db.Queries, t taken, m db.Merchant, known db.Payout, s sweep) (why string, err error) {
	ref := t.entry.Pays[0]
	if ref.Refund == nil {
		return r.writePayout(ctx, q, t, m, known, s)
	}
	if s, why = s.withRefund(*ref.Refund); why != "" {
		return why, nil
	}
	if err := r.freeClaim(ctx, q, t, ref); err != nil {
		return "", err
	}
	if err := r.clearOtherClaims(ctx, q, ref, s); err != nil {
		return "", err
	}
	if why, err = r.writePayout(ctx, q, t, m, known, s); err != nil || why != "" {
		return why, err
	}
	return "", r.claimPaid(ctx, q, ref, s)
}

// writePayout does the part of assign that concerns the payout's row and its payments.
func (r *Recoverer) writePayout(ctx context.Context, q *db.Queries, t taken, m db.Merchant, known db.Payout, s sweep) (why string, err error) {
	switch {
	case known.ID == "":
		err = r.insertPayout(ctx, q, t, m, s)
	case payout.Status(known.Status) == payout.Confirmed:
		return "payout " + known.ID + " is confirmed with another transaction: look at both", nil
	default:
		err = r.replacePayout(ctx, q, t, known, s)
	}
	if err != nil {
		return "", err
	}
	ids, id := slices.Concat(s.spent, s.unspent), t.entry.Pays[0].PayoutID
	n, err := q.ReservePayments(ctx, db.ReservePaymentsParams{PayoutID: id, Ids: ids})
	if err != nil {
		return "", err
	}
	if int(n) != len(ids) {
		return "", errMovedOn
	}
	return "", q.MarkChargesPaid(ctx, id)
}

// swapOf makes the service follow the swap that the payout paid. known is the payout as
// it was known here. why names a problem that operators must solve.
func (r *Recoverer) swapOf(ctx context.Context, q *db.Queries, ref Reference, known db.Payout) (why string, err error) {
	switch {
	case ref.Order != nil:
		return r.followOrder(ctx, q, ref)
	case known.SwapTicker == nil || known.SwapID != nil:
		return "", nil
	default: // another copy of the database ordered it, without an entry
		return "payout " + known.ID + " has paid a swap that is not known here: ask the providers for the order, and tell its merchant", nil
	}
}

// recordSentEvent records the event of a payout, unless this database has it. The copy that
// sent the payout may have notified the merchant already. A merchant who is notified
// twice recognizes the payout by its identifier, and no record shows which merchants
// were not notified.
func (r *Recoverer) recordSentEvent(ctx context.Context, q *db.Queries, payoutID string) error {
	recorded, err := q.HasEvent(ctx, db.HasEventParams{ResourceID: payoutID, Type: webhook.EventPayoutSent})
	if err != nil || recorded {
		return err
	}
	p, err := q.GetPayout(ctx, payoutID)
	if err != nil {
		return err
	}
	return chargestore.RecordPayoutSent(ctx, q, p, r.at())
}

// spentBy returns the payments that inputs spend, as far as this database has seen them.
// whole reports whether it has seen all of them.
func (r *Recoverer) spentBy(ctx context.Context, q *db.Queries, walletID string, inputs []string) (rows []db.PaymentsAtRow, whole bool, err error) {
	received, err := r.Wallets[walletID].Chain.Spent(ctx, inputs)
	if err != nil {
		return nil, false, err
	}
	rows, whole, err = paymentsAt(ctx, q, walletID, received)
	return rows, len(rows) > 0 && whole, err
}

// paymentsAt returns the payments with these transactions and subaddresses, as far as
// this database has seen them. whole reports whether it has seen all of them.
func paymentsAt(ctx context.Context, q *db.Queries, walletID string, received []Received) (rows []db.PaymentsAtRow, whole bool, err error) {
	at := db.PaymentsAtParams{WalletID: walletID, Hashes: []string{}, Indices: []int32{}}
	seen := map[Received]bool{}
	for _, o := range received {
		if !seen[o] {
			at.Hashes, at.Indices = append(at.Hashes, o.TxHash), append(at.Indices, int32(o.SubaddressIndex))
		}
		seen[o] = true
	}
	rows, err = q.PaymentsAt(ctx, at)
	return rows, len(rows) == len(seen), err
}

// notSeen is the reason why a payout cannot be taken over yet.
const notSeen = "the payments that it paid out were not all seen yet: let the watcher catch up and ask again"

// paidOut finds the payments that the transaction spent, and those that its payout
// covered without spending them. Both no longer belong to the merchant's balance.
func (r *Recoverer) paidOut(ctx context.Context, q *db.Queries, t taken, ref Reference) (s sweep, why string, err error) {
	spent, whole, err := r.spentBy(ctx, q, t.walletID, t.inputs)
	if err != nil || !whole {
		return s, notSeen, err
	}
	if err := r.makeWay(ctx, q, ref.PayoutID, spent, t.mined); err != nil {
		return s, "", err
	}
	unspent, whole, err := paymentsAt(ctx, q, t.walletID, ref.Unspent)
	if err != nil || !whole {
		return s, notSeen, err
	}
	var charges []string
	var amounts []money.Piconero
	for i, row := range slices.Concat(spent, unspent) {
		switch {
		case i < len(spent):
			s.spent = append(s.spent, row.ID)
		case row.PayoutID != nil && *row.PayoutID != ref.PayoutID:
			continue // another payout pays it out, so the operator's fee is smaller
		default:
			s.unspent = append(s.unspent, row.ID)
		}
		amounts = append(amounts, row.Amount)
		s.outputs += row.Outputs
		if row.ChargeID != nil {
			charges = append(charges, *row.ChargeID)
		}
	}
	slices.Sort(charges)
	s.charges = int32(len(slices.Compact(charges)))
	if s.gross, err = money.Sum(amounts...); err != nil {
		return s, "", err
	}
	return s.paying(t)
}

// paying adds what the transaction paid, and the operator's fee that remains.
func (s sweep) paying(t taken) (_ sweep, why string, err error) {
	if s.amount, err = money.PiconeroFromXMR(t.paid); err != nil {
		return s, "", err
	}
	if s.net, err = money.PiconeroFromXMR(t.fee); err != nil {
		return s, "", err
	}
	if s.gross < s.amount+s.net {
		return s, "it paid more than what it spent: look at it", nil
	}
	s.fee = s.gross - s.amount - s.net
	return s, "", nil
}

func (r *Recoverer) insertPayout(ctx context.Context, q *db.Queries, t taken, m db.Merchant, s sweep) error {
	id := t.entry.Pays[0].PayoutID
	sealed, err := r.Address(m, id)
	if err != nil {
		return err
	}
	masked := ""
	if m.PayoutAddressMasked != nil {
		masked = *m.PayoutAddressMasked
	}
	rate, err := s.fee.Decimal().DivFloor(s.gross.Decimal(), 6)
	if err != nil {
		return fmt.Errorf("payout %s: %w", id, err)
	}
	return q.InsertRecoveredPayout(ctx, db.InsertRecoveredPayoutParams{
		ID: id, MerchantID: m.MerchantID, WalletID: t.walletID, AddressSealed: sealed, AddressMasked: masked, Gross: s.gross,
		FeeRate: rate, Fee: s.fee, NetworkFee: s.net, Amount: s.amount, ChargesPaid: s.charges, Outputs: s.outputs,
		TxHash: &t.entry.TxHash, At: r.at(), ClaimID: t.entry.Pays[0].claimID(), RefundAmount: s.refund,
	})
}

// replacePayout records the transaction as the payment of a payout that this database
// knows. A swap that failed with the payout is followed again, because its deposit is
// paid.
func (r *Recoverer) replacePayout(ctx context.Context, q *db.Queries, t taken, p db.Payout, s sweep) error {
	if err := r.forget(ctx, q, p.ID); err != nil {
		return err
	}
	if err := q.UnmarkCharges(ctx, p.ID); err != nil {
		return err
	}
	if err := q.UnreservePayments(ctx, p.ID); err != nil {
		return err
	}
	at := r.at()
	if err := q.TakeOverPayout(ctx, db.TakeOverPayoutParams{
		ID: p.ID, TxHash: &t.entry.TxHash, Gross: s.gross, Fee: s.fee, NetworkFee: s.net, Amount: s.amount, ChargesPaid: s.charges,
		Outputs: s.outputs, At: &at,
	}); err != nil {
		return err
	}
	return q.ReopenSwapOfPayout(ctx, db.ReopenSwapOfPayoutParams{PayoutID: p.ID, StatusDetail: swap.NotSent, Now: at})
}
