package payouts

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

// built is a transaction with the sums that the books record for it.
type built struct {
	tx monero.BuiltTx
	// swept are the key images of the outputs that the payout pays out, gross is their sum:
	// the reserved sum, less the outputs that are not worth their chain fee.
	swept  []string
	gross  money.Piconero
	amount money.Piconero
	fee    money.Piconero
	// refund is the amount of the claim that the payout pays; 0 without a claim.
	refund money.Piconero
}

// BuildPayout builds the one transaction of a payout without relaying it, checks its
// inputs and sums, and stores its bytes. A second run finds the bytes stored. A run that
// died before it stored them moved nothing.
func (a *Handler) BuildPayout(ctx context.Context, in PayoutTask) error {
	p, err := a.find(ctx, in.PayoutID)
	if err != nil || p.BuiltAt != nil {
		return err
	}
	from, b, err := a.whatFits(ctx, p, source.build)
	if err != nil {
		if failed := a.learn(ctx, p, err); failed != nil {
			return failed
		}
		return buildError(err)
	}
	if err := from.check(b); err != nil {
		return err
	}
	if err := from.checkEarlier(b); err != nil {
		return err
	}
	if err := a.checkSwap(ctx, p, b); err != nil {
		return err
	}
	return a.storeBuild(ctx, p, b, from.inputs)
}

// source is everything that a transaction of a payout is built from.
type source struct {
	inputs

	wallet  *monero.Wallet
	address string
	rate    money.Decimal
	// claim is the refund claim that the payout pays, together with the merchant; its amount
	// is 0 for none.
	claim monero.Destination
	// earlier are transactions of the claim that may still be mined.
	earlier []db.MinableOfClaimRow
}

// open reads the wallet, the address and the outputs of a payout.
func (a *Handler) open(ctx context.Context, p db.Payout) (source, error) {
	wallet, ok := a.Wallets[p.WalletID]
	if !ok {
		return source{}, fmt.Errorf("wallet %s has no spending process here", p.WalletID)
	}
	if err := a.outgoing().MayBuild(ctx, p.WalletID); err != nil {
		return source{}, err
	}
	address, err := a.Secret.Unseal(p.AddressSealed, secret.SweepAddressPlace.Of(p.ID))
	if err != nil {
		return source{}, err
	}
	claim, earlier, err := a.claimOf(ctx, p)
	if err != nil {
		return source{}, err
	}
	// A wallet that lags takes unlocked outputs for locked ones if it has not seen their
	// blocks, and does not see money of addresses that it has not made.
	if err := wallet.CatchUp(ctx); err != nil {
		return source{}, err
	}
	chosen, err := a.chooseInputs(ctx, wallet.Wallet, p)
	if err != nil {
		return source{}, err
	}
	if err := a.markSpent(ctx, wallet.Wallet, p, chosen); err != nil {
		return source{}, err
	}
	rate, err := a.rateOf(ctx, p, chosen)
	return source{inputs: chosen, wallet: wallet.Wallet, address: string(address), rate: rate, claim: claim, earlier: earlier}, err
}

// rateOf returns the operator's rate of a payout. The operator's share may stay behind as
// outputs that are not spent. An output that an abandoned transaction may still spend
// must not stay behind: then nothing would prevent that transaction from being mined, and
// a claim that has to spend the output would wait for ever. Such a payout spends
// everything, and the operator gets no share.
func (a *Handler) rateOf(ctx context.Context, p db.Payout, in inputs) (money.Decimal, error) {
	if p.FeeRate.Sign() == 0 {
		return p.FeeRate, nil
	}
	risky, err := a.Store.AbandonedMaySpend(ctx, db.AbandonedMaySpendParams{WalletID: p.WalletID, Outputs: slices.Collect(maps.Keys(in.outputs))})
	if risky {
		return money.Decimal{}, err
	}
	return p.FeeRate, err
}

// inputs holds the outputs that a payout may spend.
type inputs struct {
	// indices are the subaddresses of the outputs.
	indices []uint32
	// outputs are by key image.
	outputs map[string]input
	// charges are the charges of the reserved payments, by payment.
	charges map[int64]string
	// spent are the key images of the reserved payments whose outputs are all spent.
	spent map[int64][]string
}

// input is one output of a reserved payment.
type input struct {
	amount    money.Piconero
	paymentID int64
}

// chooseInputs finds the outputs of the reserved payments. A wallet spends all outputs of
// a subaddress. So it freezes outputs there that were not reserved, and thaws reserved
// ones. A freeze that a dead worker left behind lasts until a payout reserves the output.
func (a *Handler) chooseInputs(ctx context.Context, w *monero.Wallet, p db.Payout) (inputs, error) {
	rows, err := a.Store.PayoutPayments(ctx, p.ID)
	if err != nil {
		return inputs{}, err
	}
	in := inputs{outputs: map[string]input{}, charges: map[int64]string{}, spent: map[int64][]string{}}
	unspent := map[int64]bool{}
	reserved := map[paymentKey]int64{}
	for _, r := range rows {
		reserved[paymentKey{r.TxHash, r.SubaddressIndex}] = r.ID
		in.charges[r.ID] = *r.ChargeID
		in.indices = append(in.indices, uint32(r.SubaddressIndex))
	}
	slices.Sort(in.indices)
	in.indices = slices.Compact(in.indices)
	outputs, err := w.IncomingTransfers(ctx, in.indices)
	if err != nil {
		return inputs{}, err
	}
	for _, o := range outputs {
		id, ours := reserved[paymentKey{o.TxHash, int32(o.SubaddressIndex)}]
		if ours {
			in.outputs[o.KeyImage] = input{o.Amount, id}
			in.spent[id] = append(in.spent[id], o.KeyImage)
			unspent[id] = unspent[id] || !o.Spent
		}
		switch {
		case ours && o.Frozen:
			err = w.Thaw(ctx, o.KeyImage)
		case !ours && !o.Spent && !o.Frozen:
			err = w.Freeze(ctx, o.KeyImage)
		}
		if err != nil {
			return inputs{}, err
		}
	}
	maps.DeleteFunc(in.spent, func(id int64, _ []string) bool { return unspent[id] })
	return in, nil
}

// build builds the transaction. Without an operator's fee everything goes to the
// merchant; with one, the fee stays behind in the operator's wallet.
func (s source) build(ctx context.Context) (built, error) {
	if s.claim.Amount > 0 {
		return s.withRefund(ctx)
	}
	b, err := s.whole(ctx)
	if err != nil || b.fee == 0 {
		return b, err
	}
	return b.withFee(ctx, s.wallet, s.address, s.indices)
}

// whatFits builds a transaction of the reserved payments. While these are too large for
// one transaction, it releases some of them and tries again, because the network may
// allow less than when this version was released. It releases nothing that a claim or an
// order counts on.
func (a *Handler) whatFits(ctx context.Context, p db.Payout, with func(source, context.Context) (built, error)) (source, built, error) {
	for {
		from, err := a.open(ctx, p)
		if err != nil {
			return from, built{}, err
		}
		b, err := with(from, ctx)
		if p.ClaimID != nil || p.SwapID != nil || !errors.Is(err, monero.ErrTooLarge) {
			return from, b, err
		}
		if fewer, failed := a.reserveFewer(ctx, p); failed != nil || !fewer {
			return from, built{}, errors.Join(err, failed)
		}
	}
}

// reserveFewer releases the youngest payments of a payout: an eighth of its outputs, and
// at least one payment. It reports whether it released any.
func (a *Handler) reserveFewer(ctx context.Context, p db.Payout) (bool, error) {
	var released []int64
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		locked, err := q.LockPayout(ctx, p.ID)
		if err != nil {
			return err
		}
		if locked.BuiltAt != nil || locked.SwapID != nil || payout.Status(locked.Status) != payout.Building {
			return errors.New("the payout was built, ordered for or given up meanwhile")
		}
		rows, err := q.PayoutPayments(ctx, p.ID)
		if err != nil {
			return err
		}
		if released = youngest(rows); len(released) == 0 {
			return nil
		}
		return q.UnreserveSomePayments(ctx, db.UnreserveSomePaymentsParams{Ids: released, PayoutID: p.ID})
	})
	return err == nil && len(released) > 0, err
}

// youngest returns the last payments that together have an eighth of the outputs, but
// never the first payment.
func youngest(rows []db.PayoutPaymentsRow) (ids []int64) {
	var all, taken int32
	for _, r := range rows {
		all += r.Outputs
	}
	for i := len(rows) - 1; i > 0 && taken < max(all/8, 1); i-- {
		ids, taken = append(ids, rows[i].ID), taken+rows[i].Outputs
	}
	return ids
}

// everything builds a transaction of all outputs that are worth their chain fee.
func (s source) everything(ctx context.Context) (built, error) {
	made, err := s.wallet.SweepAll(ctx, s.address, s.indices)
	if err != nil {
		return built{}, err
	}
	whole, err := made.One()
	if err != nil {
		return built{}, err
	}
	b := built{tx: whole, swept: whole.KeyImages, amount: whole.Amount}
	b.gross, err = whole.Amount.Add(whole.Fee)
	return b, err
}

// whole builds a transaction of everything, and computes the split of its sum.
func (s source) whole(ctx context.Context) (built, error) {
	b, err := s.everything(ctx)
	if err != nil {
		return built{}, err
	}
	if b.fee, err = payout.Fee(b.gross, s.rate); err != nil || b.fee == 0 {
		return b, err
	}
	b.amount, err = payout.Net(b.gross, b.fee, b.tx.Fee)
	return b, err
}

// withFee pays the merchant exactly and leaves the rest in the wallet: as change, or
// unspent if an output is smaller than the fee. The chain's fee depends on the bytes of
// the build, so the operator keeps the rest after it.
func (b built) withFee(ctx context.Context, w *monero.Wallet, address string, indices []uint32) (built, error) {
	var err error
	if b.tx, err = w.Transfer(ctx, []monero.Destination{{Address: address, Amount: b.amount}}, indices); err != nil {
		return built{}, err
	}
	rest, err := b.gross.Sub(b.amount)
	if err != nil {
		return built{}, err
	}
	if b.fee, err = rest.Sub(b.tx.Fee); err != nil {
		return built{}, payout.ErrTooSmall
	}
	return b, nil
}

// buildError distinguishes refusals, which a retry cannot help, from faults.
func buildError(err error) error {
	switch {
	case errors.Is(err, payout.ErrTooSmall), errors.Is(err, monero.ErrNotEnoughMoney):
		return refusals.New(refusals.TooSmall, payout.ErrTooSmall.Error())
	case errors.Is(err, monero.ErrNotUnlocked):
		return refusals.New(refusals.Locked, "the outputs of the unpaid charges cannot be spent now")
	case errors.Is(err, monero.ErrTooLarge):
		return refusals.New(refusals.TooSmall, "the unpaid charges came in more pieces than a transaction holds")
	default:
		return err
	}
}

// check compares the transaction's inputs with the reservation: reserved outputs only,
// none twice, and sums that agree to the piconero.
func (in inputs) check(b built) error {
	var sum money.Piconero
	swept := map[string]bool{}
	for _, image := range b.swept {
		output, ours := in.outputs[image]
		if !ours || swept[image] {
			return refusals.New(refusals.Broadcast, "the wallet spent an output that was not reserved")
		}
		swept[image] = true
		var err error
		if sum, err = sum.Add(output.amount); err != nil {
			return err
		}
	}
	for _, image := range b.tx.KeyImages {
		if !swept[image] {
			return refusals.New(refusals.Broadcast, "the wallet spent an output that was not reserved")
		}
	}
	total, err := money.Sum(b.amount, b.refund, b.fee, b.tx.Fee)
	if err != nil {
		return err
	}
	if total != b.gross || sum != b.gross {
		return refusals.New(refusals.Broadcast, "the sums of the built transaction do not agree")
	}
	return nil
}

// checkEarlier refuses a transaction of a claim that could be mined in addition to an
// earlier one: it must spend an input of each earlier transaction.
func (s source) checkEarlier(b built) error {
	for _, tx := range s.earlier {
		if !slices.ContainsFunc(b.tx.KeyImages, func(image string) bool { return slices.Contains(tx.Inputs, image) }) {
			return refusals.New(refusals.Broadcast, "the transaction could be mined beside an earlier one of the refund")
		}
	}
	return nil
}

// spends returns the payments whose outputs the transaction spends.
func (in inputs) spends(b built) []int64 {
	ids := []int64{}
	for _, image := range b.tx.KeyImages {
		ids = append(ids, in.outputs[image].paymentID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// unspent returns the payments that are paid out and not spent: the operator's fee is
// taken from them.
func (in inputs) unspent(b built) []int64 {
	spent, ids := in.spends(b), []int64{}
	for _, image := range b.swept {
		if id := in.outputs[image].paymentID; !slices.Contains(spent, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// unswept returns the reserved payments that are not swept, and the number of charges of the
// swept ones.
func (in inputs) unswept(b built) (ids []int64, charges int32) {
	paid := map[int64]bool{}
	for _, image := range b.swept {
		paid[in.outputs[image].paymentID] = true
	}
	ofCharges := map[string]bool{}
	for id, chargeID := range in.charges {
		if paid[id] {
			ofCharges[chargeID] = true
		} else {
			ids = append(ids, id)
		}
	}
	return ids, int32(len(ofCharges))
}

// storeBuild stores the bytes and releases the payments that are not worth their chain
// fee. It stores nothing for a payout that was given up meanwhile.
func (a *Handler) storeBuild(ctx context.Context, p db.Payout, b built, in inputs) error {
	blob, err := hex.DecodeString(b.tx.BlobHex)
	if err != nil {
		return fmt.Errorf("transaction of the wallet: %w", err)
	}
	paid, err := b.amount.Add(b.refund)
	if err != nil {
		return err
	}
	out := a.outgoing()
	unswept, charges := in.unswept(b)
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		n, err := q.StoreBuild(ctx, db.StoreBuildParams{
			ID: p.ID, TxHash: &b.tx.Hash, Gross: b.gross, Outputs: int32(len(b.swept)), ChargesPaid: charges,
			Amount: b.amount, Fee: b.fee, NetworkFee: b.tx.Fee, BuiltAt: out.Now(),
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return errors.New("the payout was built or given up meanwhile")
		}
		if err := stillReserved(ctx, q, p.ID, in, b); err != nil {
			return err
		}
		id, err := q.ClaimWallet(ctx, db.ClaimWalletParams{
			WalletID: p.WalletID, Purpose: sending.ForPayout, PayoutID: &p.ID, TradeIds: []string{}, CreatedAt: *out.Now(),
		})
		if err != nil {
			return err
		}
		if err := out.StoreBytes(ctx, q, id, db.StoreBuiltParams{
			TxHash: b.tx.Hash, Raw: blob, Inputs: b.tx.KeyImages, Paid: paid.Decimal(), Fee: b.tx.Fee.Decimal(), Payments: in.spends(b),
			UnspentPayments: in.unspent(b),
		}, b.tx.Key); err != nil {
			return err
		}
		return q.UnreserveSomePayments(ctx, db.UnreserveSomePaymentsParams{Ids: unswept, PayoutID: p.ID})
	})
}

// stillReserved refuses a transaction with payments that another run has released.
func stillReserved(ctx context.Context, q *db.Queries, payoutID string, in inputs, b built) error {
	rows, err := q.PayoutPayments(ctx, payoutID)
	if err != nil {
		return err
	}
	reserved := map[int64]bool{}
	for _, r := range rows {
		reserved[r.ID] = true
	}
	for _, image := range b.swept {
		if !reserved[in.outputs[image].paymentID] {
			return errors.New("a payment of the payout was let go meanwhile")
		}
	}
	return nil
}

// paymentKey identifies a payment to one of a wallet's subaddresses.
type paymentKey struct {
	tx    string
	index int32
}
