package payouts

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
	"github.com/durapay/durapay/internal/witness"
)

// Handler has the activities of the workflows of payouts and refunds. Those of refunds run as
// local activities: short transactions, and questions to the daemon.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	Daemon *monero.Daemon
	// Wallets are by wallet ID; only their spending processes are used.
	Wallets map[string]*xmrwallet.Spender
	// Witness knows outside of the database which transactions may have been sent.
	Witness *witness.Keeper
	// FeeRate is the operator's share if neither the merchant nor a volume tier has a rate.
	FeeRate money.Decimal
	// Quotes and Swaps serve merchants who have their payouts swapped.
	Quotes Quotes
	Swaps  *sending.SwapOrders
	// Sanctioned looks up the addresses that refunds pay.
	Sanctioned sending.SanctionsLookup
	// Finished receives the outcome of each payout that was sent or failed.
	Finished func(outcome payout.Status)
	Clock    func() time.Time
}

// ReservePayout names a new payout.
type ReservePayout struct {
	PayoutID   string
	MerchantID string
	// Dust is the value below which an output is left behind.
	Dust money.Piconero
	// Now is the workflow's clock.
	Now time.Time
}

// Reserved is the reservation of a payout.
type Reserved struct {
	WalletID string
	Gross    money.Piconero
	Charges  int32
	// Swap is set if the payout pays a swap.
	Swap bool
	// Built is set if its transaction is stored.
	Built bool
	// RefundID is the refund of the claim that the payout pays; empty for none.
	RefundID string
}

// maxCandidates bounds the candidates of one reservation. Each takes at least one of the
// inputs of a transaction, so many more could never fit.
func maxCandidates() int32 { return 4 * payout.MaxInputs() }

// EstimateDust returns the value below which an output costs more than it brings. Wallets
// leave such outputs behind, and a payer may send thousands. It only reads from the
// daemon.
func (a *Handler) EstimateDust(ctx context.Context) (money.Piconero, error) {
	fork, err := a.Daemon.Fork(ctx)
	if err != nil {
		return 0, err
	}
	fees, err := a.Daemon.FeeEstimate(ctx)
	return fees.PerByte * money.Piconero(coin.MoneroRulesOf(fork.Version).InputWeight), err
}

// CheckSweep names the merchant who requests a payout.
type CheckSweep struct {
	MerchantID string
	// PayoutID is the ID of the requested sweep.
	PayoutID string
}

// CheckSweep refuses a sweep that has no destination or nothing to pay out. A sweep whose
// payout exists continues: Temporal has lost its memory, and the caller repeats the
// request. CheckSweep only reads.
func (a *Handler) CheckSweep(ctx context.Context, in CheckSweep) error {
	begun, err := a.Store.GetPayout(ctx, in.PayoutID)
	switch {
	case err == nil && payout.Status(begun.Status) == payout.Failed:
		return refusals.New(refusals.Broadcast, "the payout has failed")
	case err == nil || !postgres.IsNotFound(err):
		return err
	}
	m, err := a.Store.GetMerchant(ctx, in.MerchantID)
	if err != nil {
		return err
	}
	if m.PayoutAddressSealed == nil {
		return refusals.New(refusals.NoPayout, "no payout address is set")
	}
	if err := postgres.CheckSafeMode(ctx, a.Store.Queries, m.LiveWalletID); err != nil {
		return err
	}
	if err := refuseHeld(m, a.Clock()); err != nil {
		return err
	}
	sum, err := a.Store.UnpaidSummary(ctx, db.UnpaidSummaryParams{MerchantID: m.MerchantID, WalletID: m.LiveWalletID})
	switch {
	case err != nil:
		return err
	case sum.Charges == 0:
		return refusals.New(refusals.NoUnpaid, "there are no unpaid charges")
	case sum.Locked == sum.Total:
		return refusals.New(refusals.Locked, "the outputs of the unpaid charges are still locked by the chain")
	default:
		return nil
	}
}

// refuseHeld refuses a sweep for a while after its destination was changed, because an
// attacker may have changed it and the merchant needs time to see that.
func refuseHeld(m db.Merchant, now time.Time) error {
	if m.PayoutHoldUntil == nil || !now.Before(*m.PayoutHoldUntil) {
		return nil
	}
	return refusals.New(refusals.Held, "where payouts go was changed: sweeps wait until "+wire.TimeOf(*m.PayoutHoldUntil).String())
}

// ReservePayout chooses the oldest unlocked charges that fit into one transaction, marks
// them with the payout and fixes its fee rate. A second run, later or at the same time,
// finds the payout and returns the same reservation.
func (a *Handler) ReservePayout(ctx context.Context, in ReservePayout) (Reserved, error) {
	if found, err := reservedBefore(ctx, a.Store.Queries, in.PayoutID); !postgres.IsNotFound(err) {
		return found, err
	}
	var reserved Reserved
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		var err error
		reserved, err = a.reserve(ctx, q, in)
		return err
	})
	if postgres.IsDuplicate(err) {
		return Reserved{}, refusals.New(refusals.InProgress, "another payout is in progress")
	}
	return reserved, err
}

// reservedBefore returns the reservation of an existing payout. If there is none,
// postgres.IsNotFound reports true for the error.
func reservedBefore(ctx context.Context, q *db.Queries, payoutID string) (Reserved, error) {
	p, err := q.GetPayout(ctx, payoutID)
	if err != nil {
		return Reserved{}, err
	}
	r := Reserved{WalletID: p.WalletID, Gross: p.Gross, Charges: p.ChargesPaid, Swap: p.SwapTicker != nil, Built: p.BuiltAt != nil}
	if p.ClaimID == nil {
		return r, nil
	}
	claim, err := q.GetClaim(ctx, *p.ClaimID)
	if err != nil {
		return Reserved{}, err
	}
	r.RefundID = claim.RefundID
	return r, nil
}

// newPayout returns the row of a payout with its destination: the merchant's present
// settings.
func (a *Handler) newPayout(in ReservePayout, m db.Merchant) (db.InsertPayoutParams, error) {
	row := db.InsertPayoutParams{
		ID: in.PayoutID, MerchantID: m.MerchantID, WalletID: m.LiveWalletID, AddressMasked: *m.PayoutAddressMasked, CreatedAt: in.Now,
	}
	var err error
	if row.AddressSealed, err = a.move(m.PayoutAddressSealed, secret.PayoutPlace.Of(m.MerchantID), secret.SweepAddressPlace.Of(in.PayoutID)); err != nil || !m.AutoSwapEnabled {
		return row, err
	}
	row.SwapTicker, row.SwapNetwork = m.AutoSwapTicker, m.AutoSwapNetwork
	row.SwapAddressSealed, err = a.move(m.AutoSwapAddressSealed, secret.AutoSwapPlace.Of(m.MerchantID), secret.SweepSwapPlace.Of(in.PayoutID))
	return row, err
}

// move opens an address of a merchant and seals it for a payout.
func (a *Handler) move(sealed []byte, from, to secret.AD) ([]byte, error) {
	address, err := a.Secret.Unseal(sealed, from)
	if err != nil {
		return nil, err
	}
	return a.Secret.Seal(address, to)
}

func (a *Handler) reserve(ctx context.Context, q *db.Queries, in ReservePayout) (Reserved, error) {
	if _, err := q.LockMerchant(ctx, in.MerchantID); err != nil {
		return Reserved{}, err
	}
	// An earlier run that was given up may have ended only now.
	if found, err := reservedBefore(ctx, q, in.PayoutID); !postgres.IsNotFound(err) {
		return found, err
	}
	// The row is read under its lock, because the hold and the address may have been changed
	// since the check.
	m, err := q.GetMerchant(ctx, in.MerchantID)
	if err != nil {
		return Reserved{}, err
	}
	if err := refuseHeld(m, in.Now); err != nil {
		return Reserved{}, err
	}
	row, err := a.newPayout(in, m)
	if err != nil {
		return Reserved{}, err
	}
	rows, err := q.SweepCandidates(ctx, db.SweepCandidatesParams{
		MerchantID: m.MerchantID, WalletID: m.LiveWalletID, MaxRows: maxCandidates(), Dust: in.Dust.Atomic(),
	})
	if err != nil {
		return Reserved{}, err
	}
	candidates := make([]payout.Candidate, 0, len(rows))
	for _, r := range rows {
		candidates = append(candidates, payout.Candidate{
			PaymentID: r.ID, ChargeID: *r.ChargeID, Amount: r.Amount, Outputs: r.Outputs,
		})
	}
	chosen, err := payout.Select(candidates)
	if err != nil {
		return Reserved{}, err
	}
	if len(chosen.PaymentIDs) == 0 {
		return Reserved{}, refusals.New(refusals.TooSmall, payout.ErrTooSmall.Error())
	}
	if row.FeeRate, err = postgres.FeeRate(ctx, q, m, a.FeeRate, in.Now); err != nil {
		return Reserved{}, err
	}
	return Reserved{WalletID: m.LiveWalletID, Gross: chosen.Gross, Charges: chosen.Charges, Swap: row.SwapTicker != nil},
		insert(ctx, q, row, chosen)
}

// insert writes a payout and its wakeup, and marks the payments and charges that it reserves.
// The wakeup is for a run that has ended before the row is there: its worker may have hung.
func insert(ctx context.Context, q *db.Queries, row db.InsertPayoutParams, chosen payout.Selection) error {
	row.Gross, row.ChargesPaid, row.Outputs = chosen.Gross, chosen.Charges, chosen.Outputs
	if err := q.InsertPayout(ctx, row); err != nil {
		return err
	}
	if err := q.WakePayout(ctx, db.WakePayoutParams{ID: row.ID, Owner: row.MerchantID}); err != nil {
		return err
	}
	n, err := q.ReservePayments(ctx, db.ReservePaymentsParams{PayoutID: row.ID, Ids: chosen.PaymentIDs})
	if err != nil {
		return err
	}
	if int(n) != len(chosen.PaymentIDs) {
		return errors.New("a payment was reserved by another payout meanwhile")
	}
	return q.MarkChargesPaid(ctx, row.ID)
}

// recordSent marks the payout as broadcast and writes its event, once.
func (a *Handler) recordSent(ctx context.Context, p db.Payout) error {
	at := a.Clock().UTC().Truncate(time.Millisecond)
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		n, err := q.MarkBroadcast(ctx, db.MarkBroadcastParams{ID: p.ID, SentAt: &at})
		if err != nil || n == 0 {
			return err
		}
		return a.completeSending(ctx, q, p, at)
	})
}

// completeSending writes the consequences of a payout that has just become a sent one.
func (a *Handler) completeSending(ctx context.Context, q *db.Queries, p db.Payout, at time.Time) error {
	tx, err := q.OutgoingOfPayout(ctx, p.ID)
	if err != nil {
		return err
	}
	if _, err := q.MarkOutgoingSent(ctx, db.MarkOutgoingSentParams{ID: tx.ID, SentAt: &at}); err != nil {
		return err
	}
	if err := chargestore.RecordPayoutSent(ctx, q, p, at); err != nil {
		return err
	}
	proof, err := a.proofOfClaim(ctx, q, p, tx)
	if err != nil {
		return err
	}
	if err := chargestore.RefundPayoutSent(ctx, q, p, proof, at); err != nil {
		return err
	}
	if err := resolveStuck(ctx, q, p.ID); err != nil {
		return err
	}
	a.Finished(payout.Broadcast)
	return nil
}
