package payouts

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

// stillBacked refuses a payout of a claim if too little money of its charge is in the
// chain by now. The claim then waits for it. The depth of the money was checked before it
// was reserved.
func stillBacked(ctx context.Context, q *db.Queries, p db.Payout) error {
	if p.ClaimID == nil {
		return nil
	}
	claim, err := q.GetClaim(ctx, *p.ClaimID)
	if err != nil {
		return err
	}
	r, err := q.GetRefund(ctx, claim.RefundID)
	if err != nil {
		return err
	}
	err = backed(ctx, q, claim, r.ChargeID)
	w, waiting := errors.AsType[waits](err)
	switch {
	case !waiting:
		return err
	case w.reason == refund.ForCharge:
		return refusals.New(refusals.Refund, w.Error())
	default:
		return nil
	}
}

// cover chooses payments that cover a claim, the chain's fee and the operator's share, or
// returns the reason why the claim must wait. After a payout that was too small, it uses
// the amount that this payout found necessary. A claim that waits for money does not use
// that amount, because the chain's fee may have fallen.
func cover(ctx context.Context, q *db.Queries, m db.Merchant, claim db.RefundClaim, perInput money.Piconero, rate money.Decimal) (payout.Selection, error) {
	learnt := money.Piconero(0)
	if claim.WaitsFor != nil && refund.Waits(*claim.WaitsFor) == refund.ForRetry {
		learnt = claim.Needs
	}
	need := func(outputs int32) (money.Piconero, error) {
		least, err := payout.RefundNeeds(claim.Amount, perInput, outputs, rate)
		return max(least, learnt), err
	}
	chosen, ok, err := choose(ctx, q, m, claim, perInput, need)
	if err != nil || ok {
		return chosen, err
	}
	least, err := need(1)
	if err != nil {
		return chosen, err
	}
	sum, err := q.UnpaidSummary(ctx, db.UnpaidSummaryParams{MerchantID: m.MerchantID, WalletID: m.LiveWalletID})
	if err != nil {
		return chosen, err
	}
	unlocked := sum.Total.SubFloor(sum.Locked)
	tooMany, err := need(payout.MaxInputs() + 1)
	switch {
	case err != nil:
		return chosen, err
	case unlocked >= tooMany:
		return chosen, waits{refund.ForPieces, least}
	case sum.Total >= least && sum.Locked > 0:
		return chosen, waits{refund.ForUnlock, least}
	default: // the available payments are not enough in any choice
		return chosen, waits{refund.ForMoney, max(least, unlocked+1)}
	}
}

// choose is payout.Cover over the merchant's payments. If earlier transactions of the
// claim may still be mined, the choice has a payment that all of them spend, so that only
// one of the transactions can ever be mined.
func choose(
	ctx context.Context, q *db.Queries, m db.Merchant, claim db.RefundClaim, perInput money.Piconero, need func(int32) (money.Piconero, error),
) (chosen payout.Selection, ok bool, err error) {
	earlier, err := q.MinableOfClaim(ctx, claim.ID)
	if err != nil {
		return chosen, false, err
	}
	shared := sharedPayments(earlier)
	rows, err := q.RefundCandidates(ctx, db.RefundCandidatesParams{
		MerchantID: m.MerchantID, WalletID: m.LiveWalletID, MaxRows: maxCandidates(), Dust: perInput.Atomic(), MustSpend: shared,
	})
	if err != nil {
		return chosen, false, err
	}
	must := -1
	candidates := make([]payout.Candidate, 0, len(rows))
	for i, r := range rows {
		candidates = append(candidates, payout.Candidate{PaymentID: r.ID, ChargeID: *r.ChargeID, Amount: r.Amount, Outputs: r.Outputs})
		if slices.Contains(shared, r.ID) && (must < 0 || r.Amount > rows[must].Amount) {
			must = i
		}
	}
	switch {
	case len(earlier) == 0:
		return payout.Cover(candidates, need)
	case must < 0:
		return chosen, false, waits{reason: refund.ForRetry}
	default:
		first := candidates[must]
		return payout.CoverWith(first, slices.Delete(candidates, must, must+1), need)
	}
}

// sharedPayments returns the payments that each of the transactions spends.
func sharedPayments(list []db.MinableOfClaimRow) []int64 {
	shared := []int64{}
	for i, tx := range list {
		if i == 0 {
			shared = slices.Clone(tx.Payments)
		}
		shared = slices.DeleteFunc(shared, func(id int64) bool { return !slices.Contains(tx.Payments, id) })
	}
	return shared
}

// forbidden is the text of the refusal of a listed address.
const forbidden = "the address cannot be used"

// payee returns the address of a claim. It refuses an address that refunds must not pay.
func (a *Handler) payee(ctx context.Context, claim db.RefundClaim) (string, error) {
	address, err := a.Secret.Unseal(claim.AddressSealed, secret.ClaimAddressPlace.Of(claim.ID))
	if err != nil {
		return "", err
	}
	return string(address), sending.RefuseListed(ctx, a.Sanctioned, forbidden, string(address))
}

// claimOf returns the claim that a payout pays, and the transactions that may still pay
// it as well; nothing if the payout pays no claim. It refuses an address that was listed
// meanwhile.
func (a *Handler) claimOf(ctx context.Context, p db.Payout) (to monero.Destination, earlier []db.MinableOfClaimRow, err error) {
	if p.ClaimID == nil {
		return to, nil, nil
	}
	if err := stillBacked(ctx, a.Store.Queries, p); err != nil {
		return to, nil, err
	}
	claim, err := a.Store.GetClaim(ctx, *p.ClaimID)
	if err != nil {
		return to, nil, err
	}
	address, err := a.payee(ctx, claim)
	if err != nil {
		return to, nil, err
	}
	earlier, err = a.Store.MinableOfClaim(ctx, claim.ID)
	return monero.Destination{Address: address, Amount: p.RefundAmount}, earlier, err
}

// proofOfClaim seals the proof that a payout paid a claim; nil if there is none. If the
// proof cannot be signed, the payout continues, because the transaction's key proves as
// much.
func (a *Handler) proofOfClaim(ctx context.Context, q *db.Queries, p db.Payout, tx db.OutgoingTransaction) ([]byte, error) {
	if p.ClaimID == nil || tx.ProofSealed == nil || tx.TxHash == nil {
		return nil, nil
	}
	key, err := a.Secret.Unseal(tx.ProofSealed, secret.ProofPlace(tx.ID))
	if err != nil {
		return nil, err
	}
	claim, err := q.GetClaim(ctx, *p.ClaimID)
	if err != nil {
		return nil, err
	}
	proof := refund.Proof{TxKey: string(key)}
	if claim.AddressSealed != nil {
		address, err := a.Secret.Unseal(claim.AddressSealed, secret.ClaimAddressPlace.Of(claim.ID))
		if err != nil {
			return nil, err
		}
		proof.TxProof = signed(*tx.TxHash, proof.TxKey, string(address))
	}
	text, err := json.Marshal(proof)
	if err != nil {
		return nil, err
	}
	return a.Secret.Seal(text, secret.ClaimProofPlace.Of(claim.ID))
}

// signed returns the proof of a payment to an address; empty if it cannot be made.
func signed(txHash, txKey, address string) string {
	to, err := monero.ParseAddress(address)
	if err != nil {
		return ""
	}
	proof, err := monero.OutProof(txHash, txKey, to)
	if err != nil {
		return ""
	}
	return proof
}

// thirdOutput is the approximate size that a third output adds to a transaction, in
// bytes.
const thirdOutput = 1500

// tooSmallError means that the reserved payments do not cover the claim.
type tooSmallError struct{ needs money.Piconero }

func (tooSmallError) Error() string { return payout.ErrTooSmall.Error() }

func (tooSmallError) Unwrap() error { return payout.ErrTooSmall }

// tooSmall adds to an error the amount that the claim needs at the measured chain fee.
func (s source) tooSmall(measured money.Piconero, err error) error {
	if !errors.Is(err, payout.ErrTooSmall) {
		return err
	}
	needs, err := payout.RefundTakes(s.claim.Amount, measured, s.rate)
	if err != nil {
		return err
	}
	return tooSmallError{needs}
}

// learn writes to a claim that more must be chosen for it, so that the next payout does
// not fail in the same way. A second run changes nothing.
func (a *Handler) learn(ctx context.Context, p db.Payout, failed error) error {
	if p.ClaimID == nil || !errors.Is(failed, payout.ErrTooSmall) && !errors.Is(failed, monero.ErrNotEnoughMoney) {
		return nil
	}
	needs := p.Gross + 1
	if known, ok := errors.AsType[tooSmallError](failed); ok {
		needs = max(needs, known.needs)
	}
	return a.Store.RaiseClaimNeeds(ctx, db.RaiseClaimNeedsParams{ID: *p.ClaimID, Needs: needs})
}

// withRefund pays a claim exactly, and the rest to the merchant. The operator's share and
// the remaining margin of the chain's fee stay in the wallet, as in withFee. It measures
// the chain's fee of two destinations with a transaction that it drops.
func (s source) withRefund(ctx context.Context) (built, error) {
	b, err := s.everything(ctx)
	if err != nil {
		return built{}, err
	}
	b.refund = s.claim.Amount
	guess := b.tx.Fee
	if b.tx.Weight > 0 {
		guess += b.tx.Fee / money.Piconero(b.tx.Weight) * thirdOutput
	}
	for range 2 { // measure, then build
		if b.amount, err = payout.RefundRest(b.gross, b.refund, guess, s.rate); err != nil {
			return built{}, s.tooSmall(guess, err)
		}
		to := []monero.Destination{s.claim, {Address: s.address, Amount: b.amount}}
		if b.tx, err = s.wallet.Transfer(ctx, to, s.indices); err != nil {
			return built{}, err
		}
		guess = b.tx.Fee
	}
	paid, err := b.amount.Add(b.refund)
	if err != nil || paid != b.tx.Amount {
		return built{}, refusals.New(refusals.Broadcast, "the built transaction does not pay what it should")
	}
	remaining, err := b.gross.Sub(paid)
	if err != nil {
		return built{}, payout.ErrTooSmall
	}
	if b.fee, err = remaining.Sub(b.tx.Fee); err != nil {
		return built{}, payout.ErrTooSmall
	}
	return b, nil
}
