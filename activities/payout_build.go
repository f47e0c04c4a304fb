package activities

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// built is a transaction with the sums that the books keep of it.
type built struct {
	tx     monero.BuiltTx
	amount money.Piconero
	fee    money.Piconero
}

// BuildPayout builds the one transaction of a payout without relaying it,
// checks its inputs and sums, and stores its bytes. Run twice, the second run
// finds it stored; one that died before storing moved nothing.
func (a *Payouts) BuildPayout(ctx context.Context, in PayoutTask) error {
	stop := beat(ctx)
	defer stop()
	p, err := a.Store.GetPayout(ctx, in.PayoutID)
	if err != nil || p.BuiltAt != nil {
		return err
	}
	pair, ok := a.Wallets[p.WalletID]
	if !ok {
		return fmt.Errorf("wallet %s has no spending process here", p.WalletID)
	}
	address, err := a.Secret.Unseal(p.AddressSealed, secret.AD{Table: "payouts", Column: "address", ID: p.ID})
	if err != nil {
		return err
	}
	indices, err := a.indices(ctx, p)
	if err != nil {
		return err
	}
	if _, err := pair.Spend.Refresh(ctx); err != nil {
		return err
	}
	b, err := build(ctx, pair.Spend, p, string(address), indices)
	if err != nil {
		return buildError(err)
	}
	if err := checkInputs(ctx, pair.Spend, p, b, indices); err != nil {
		return err
	}
	return a.storeBuild(ctx, p, b)
}

func (a *Payouts) indices(ctx context.Context, p db.Payout) ([]uint32, error) {
	rows, err := a.Store.PayoutTransfers(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	indices := make([]uint32, 0, len(rows))
	for _, r := range rows {
		indices = append(indices, uint32(r.SubaddressIndex))
	}
	slices.Sort(indices)
	return slices.Compact(indices), nil
}

// build makes the transaction. Without an operator's fee everything goes to
// the merchant; with one, the fee stays behind in the operator's wallet.
func build(ctx context.Context, w *monero.Wallet, p db.Payout, address string, indices []uint32) (built, error) {
	fee, err := payout.Fee(p.Gross, p.FeeRate)
	if err != nil {
		return built{}, err
	}
	made, err := w.SweepAll(ctx, address, indices)
	if err != nil {
		return built{}, err
	}
	tx, err := made.One()
	if err != nil {
		return built{}, err
	}
	amount, err := payout.Net(p.Gross, fee, tx.Fee)
	if err != nil {
		return built{}, err
	}
	if fee == 0 {
		return built{tx: tx, amount: tx.Amount}, nil
	}
	return buildWithFee(ctx, w, p, monero.Destination{Address: address, Amount: amount}, indices)
}

// buildWithFee pays the merchant exactly and lets the rest stay in the
// wallet, as change or, where an output is smaller than the fee, unspent. The
// chain's fee depends on the bytes that the build happens to have, so what
// the operator keeps is what is left after it.
func buildWithFee(ctx context.Context, w *monero.Wallet, p db.Payout, to monero.Destination, indices []uint32) (built, error) {
	tx, err := w.Transfer(ctx, []monero.Destination{to}, indices)
	if err != nil {
		return built{}, err
	}
	rest, err := p.Gross.Sub(to.Amount)
	if err != nil {
		return built{}, err
	}
	kept, err := rest.Sub(tx.Fee)
	if err != nil {
		return built{}, payout.ErrTooSmall
	}
	return built{tx: tx, amount: to.Amount, fee: kept}, nil
}

// buildError tells refusals that trying again cannot help from faults.
func buildError(err error) error {
	switch {
	case errors.Is(err, payout.ErrTooSmall), errors.Is(err, monero.ErrNotEnoughMoney):
		return refuse(RefusedTooSmall, payout.ErrTooSmall.Error())
	default:
		return err
	}
}

// checkInputs compares what the transaction spends with what was reserved:
// only outputs of the reserved subaddresses, none twice, and, when all of it
// goes to the merchant, each of them and exactly the gross sum.
func checkInputs(ctx context.Context, w *monero.Wallet, p db.Payout, b built, indices []uint32) error {
	outputs, err := w.IncomingTransfers(ctx, indices)
	if err != nil {
		return err
	}
	ours := make(map[string]money.Piconero, len(outputs))
	for _, o := range outputs {
		ours[o.KeyImage] = o.Amount
	}
	var sum money.Piconero
	for _, image := range b.tx.KeyImages {
		amount, ok := ours[image]
		if !ok {
			return refuse(RefusedBroadcast, "the wallet spent an output that was not reserved")
		}
		delete(ours, image)
		if sum, err = sum.Add(amount); err != nil {
			return err
		}
	}
	total, err := money.Sum(b.amount, b.fee, b.tx.Fee)
	if err != nil {
		return err
	}
	whole := b.fee > 0 || (sum == p.Gross && len(b.tx.KeyImages) == int(p.Outputs))
	if total != p.Gross || !whole || sum < b.amount+b.tx.Fee {
		return refuse(RefusedBroadcast, "the wallet's outputs changed while the payout was built; try again")
	}
	return nil
}

// storeBuild keeps the bytes. A payout that was given up meanwhile takes none.
func (a *Payouts) storeBuild(ctx context.Context, p db.Payout, b built) error {
	blob, err := hex.DecodeString(b.tx.BlobHex)
	if err != nil {
		return fmt.Errorf("transaction of the wallet: %w", err)
	}
	key, err := a.Secret.Seal([]byte(b.tx.Key), secret.AD{Table: "payouts", Column: "tx_key", ID: p.ID})
	if err != nil {
		return err
	}
	at := a.Clock().UTC().Truncate(time.Millisecond)
	n, err := a.Store.StoreBuild(ctx, db.StoreBuildParams{
		ID: p.ID, TxHash: &b.tx.Hash, TxBlob: blob, TxKeySealed: key, KeyImages: b.tx.KeyImages,
		Amount: b.amount, Fee: b.fee, NetworkFee: b.tx.Fee, BuiltAt: &at,
	})
	if err == nil && n == 0 {
		return errors.New("the payout was built or given up meanwhile")
	}
	return err
}
