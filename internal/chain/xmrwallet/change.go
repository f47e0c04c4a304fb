package xmrwallet

import (
	"context"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// The wallet spends two outputs for almost every payment and makes one of the
// change, which is locked for ten blocks. After enough payments a few outputs
// hold everything, and each payment locks a large part of what the exchange can
// promise. So change that is a large share of the wallet's money is kept in
// parts.
const (
	// largeShare is the divisor: change of more than a 32nd of the money.
	largeShare = 32
	// parts of the change. With the payment they are four outputs, which is
	// what the range proof of three is padded to in any case.
	parts = 3
)

// inParts builds a payment again with its change in parts where that is large.
// Where the second build fails or would spend more outputs the first one stays:
// neither has marked anything spent.
func (w *Wallet) inParts(
	ctx context.Context, pay chain.Payment, has spendableOutputs, indices []uint32, first payment,
) (payment, error) {
	if len(pay.More) > 0 {
		return first, nil
	}
	part := partOf(changeOf(first.BuiltTx, has.free), pay.Amount, has.total)
	if part == 0 {
		return first, nil
	}
	own, err := w.deriver.Subaddress(0, 0)
	if err != nil {
		return payment{}, err
	}
	kept := slices.Repeat([]monero.Destination{{Address: own, Amount: money.Piconero(part)}}, parts-1)
	if tx, err := w.transfer(ctx, pay, first.paid, indices, kept...); err == nil && len(tx.KeyImages) <= len(first.KeyImages) {
		return tx, nil
	}
	return first, nil
}

// changeOf is what a transaction returns to the wallet, in piconero.
func changeOf(tx monero.BuiltTx, free []monero.Output) uint64 {
	var spent uint64
	for _, o := range free {
		if slices.Contains(tx.KeyImages, o.KeyImage) {
			spent += uint64(o.Amount)
		}
	}
	return spent - min(spent, uint64(tx.Amount)+uint64(tx.Fee))
}

// partOf is how much a part of the change gets, in piconero; 0 when it stays
// whole: it is a small share of the total, or a part could not pay as much as
// this payment.
func partOf(change, paid, total uint64) uint64 {
	part := change / parts
	if change <= total/largeShare || part < paid {
		return 0
	}
	return part
}
