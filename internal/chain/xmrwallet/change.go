package xmrwallet

import (
	"context"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// The wallet spends two outputs for almost every payment and makes one output
// of the change, which is locked for ten blocks. After enough payments a few
// outputs hold everything, and each payment locks a large part of the
// exchange's inventory. So change that is a large share of the wallet's money
// is split.
const (
	// largeShare is a divisor: change above a 32nd of the money is large.
	largeShare = 32
	// parts is the number of outputs of large change. With the payment they are
	// four outputs, and the range proof of three outputs is padded to four in any
	// case.
	parts = 3
)

// inParts builds a payment again with its change in parts, if the change is
// large. If the second build fails or would spend more outputs, it returns the
// first one. Neither build has marked an output as spent.
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

// changeOf returns the amount that a transaction returns to the wallet, in
// piconero.
func changeOf(tx monero.BuiltTx, free []monero.Output) uint64 {
	var spent uint64
	for _, o := range free {
		if slices.Contains(tx.KeyImages, o.KeyImage) {
			spent += uint64(o.Amount)
		}
	}
	return spent - min(spent, uint64(tx.Amount)+uint64(tx.Fee))
}

// partOf returns the amount of one part of the change, in piconero. It returns
// 0 when the change stays whole: it is a small share of the total, or a part
// could not pay as much as this payment.
func partOf(change, paid, total uint64) uint64 {
	part := change / parts
	if change <= total/largeShare || part < paid {
		return 0
	}
	return part
}
