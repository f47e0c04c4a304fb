package main

import (
	"context"
	"fmt"
	"maps"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

func (d *demo) unlock(ctx context.Context) {
	fixture.Do(d.Chain.Mine(ctx, fixture.UnlockBlocks))
	balance := fixture.Must(d.shop.Unlocked(ctx, 1))
	fixture.Sayf("%d charge is unpaid: %s XMR", balance.UnpaidCharges, balance.TotalXMR)
	fixture.Requiref(balance.TotalXMR == d.charge.AmountXMR, "the balance is not the charge's amount")
}

func (d *demo) sweep(ctx context.Context) {
	d.payout = fixture.Must(d.shop.Sweep(ctx))
	p := d.payout
	fixture.Sayf("payout %s: %s XMR to the merchant, %s XMR to the chain", p.PayoutID, p.AmountXMR, p.NetworkFeeXMR)
	gross := fixture.Must(money.Sum(p.AmountXMR, p.FeeXMR, p.NetworkFeeXMR))
	fixture.Requiref(gross == d.charge.AmountXMR && p.ChargesPaid == 1, "the sums do not match")
	d.known(ctx, *p.TxHash)
	d.hear(ctx, "payout.sent", p.PayoutID)
}

// known shows where a transaction is, of which the daemon must know.
func (d *demo) known(ctx context.Context, hash string) {
	found := fixture.Must(d.Chain.Where(ctx, hash))
	fixture.Requiref(found.State != monero.Missed, "the daemon does not know %s", hash)
	fixture.Sayf("the daemon has transaction %s, %s", hash, place(found))
}

// place is where a transaction is, in words.
func place(tx monero.TxStatus) string {
	if tx.State == monero.InPool {
		return "in its pool"
	}
	return fmt.Sprintf("in block %d", tx.Height)
}

func (d *demo) arrive(ctx context.Context) {
	fixture.Do(d.Chain.MineInto(ctx, *d.payout.TxHash))
	found := fixture.Must(d.Chain.Where(ctx, *d.payout.TxHash))
	fixture.Requiref(found.State == monero.Mined, "the payout is not in a block")
	fixture.Sayf("its transaction is %s", place(found))
	receipts := fixture.Must(d.shop.Wallet.Receipts(ctx))
	fixture.Requiref(len(receipts) == 1 && receipts[0].TxHash == *d.payout.TxHash &&
		receipts[0].Amount == d.payout.AmountXMR, "the payout address received %v", receipts)
	fixture.Sayf("the payout address received %s XMR, as booked", receipts[0].Amount)
}

func (d *demo) checkLog(ctx context.Context) {
	want := map[string]int{"charge.created": 1, "charge.pending": 1, "charge.confirmed": 1, "payout.sent": 1}
	fixture.Wait(ctx, "every delivery is recorded", func() bool {
		got := map[string]int{}
		for _, entry := range fixture.Must(d.shop.DeliveriesOf(ctx, d.shop.Webhook.ID)) {
			if entry.Status == "delivered" {
				got[entry.Event]++
			}
		}
		return maps.Equal(got, want)
	})
	fixture.Sayf("charge.created, charge.pending, charge.confirmed, payout.sent: delivered")
}
