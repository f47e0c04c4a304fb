package main

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

func (d *demo) unlock(ctx context.Context) error {
	if err := d.Chain.Mine(ctx, fixture.UnlockBlocks); err != nil {
		return err
	}
	balance, err := d.shop.Unlocked(ctx, 1)
	if err != nil {
		return err
	}
	fixture.Sayf("%d charge is unpaid: %s XMR", balance.UnpaidCharges, balance.TotalXMR)
	return fixture.Check(balance.TotalXMR == d.charge.AmountXMR, "the balance is not the charge's amount")
}

func (d *demo) sweep(ctx context.Context) error {
	var err error
	if d.payout, err = d.shop.Sweep(ctx); err != nil {
		return err
	}
	p := d.payout
	fixture.Sayf("payout %s: %s XMR to the merchant, %s XMR to the chain", p.PayoutID, p.AmountXMR, p.NetworkFeeXMR)
	gross, err := money.Sum(p.AmountXMR, p.FeeXMR, p.NetworkFeeXMR)
	if err != nil {
		return err
	}
	if err := fixture.Check(gross == d.charge.AmountXMR && p.ChargesPaid == 1, "the sums do not match"); err != nil {
		return err
	}
	found, err := d.Chain.Where(ctx, *p.TxHash)
	if err != nil {
		return err
	}
	if err := fixture.Check(found.State != monero.Missed, "the daemon does not know %s", *p.TxHash); err != nil {
		return err
	}
	fixture.Sayf("the daemon has transaction %s, %s", *p.TxHash, place(found))
	return d.hear(ctx, "payout.sent", p.PayoutID)
}

// place is where a transaction is, in words.
func place(tx monero.TxStatus) string {
	if tx.State == monero.InPool {
		return "in its pool"
	}
	return fmt.Sprintf("in block %d", tx.Height)
}

func (d *demo) arrive(ctx context.Context) error {
	if err := d.Chain.MineInto(ctx, *d.payout.TxHash); err != nil {
		return err
	}
	found, err := d.Chain.Where(ctx, *d.payout.TxHash)
	if err != nil {
		return err
	}
	if err := fixture.Check(found.State == monero.Mined, "the payout is not in a block"); err != nil {
		return err
	}
	fixture.Sayf("its transaction is %s", place(found))
	receipts, err := d.shop.Wallet.Receipts(ctx)
	if err != nil {
		return err
	}
	if err := fixture.Check(len(receipts) == 1 && receipts[0].TxHash == *d.payout.TxHash &&
		receipts[0].Amount == d.payout.AmountXMR, "the payout address received %v", receipts); err != nil {
		return err
	}
	fixture.Sayf("the payout address received %s XMR, as booked", receipts[0].Amount)
	return nil
}

func (d *demo) checkLog(ctx context.Context) error {
	want := map[string]int{"charge.created": 1, "charge.pending": 1, "charge.confirmed": 1, "payout.sent": 1}
	err := fixture.Until(ctx, "every delivery is recorded", func() (bool, error) {
		log, err := d.shop.DeliveriesOf(ctx, d.shop.Webhook.ID)
		got := map[string]int{}
		for _, entry := range log {
			if entry.Status == "delivered" {
				got[entry.Event]++
			}
		}
		return fmt.Sprint(got) == fmt.Sprint(want), err
	})
	if err == nil {
		fixture.Sayf("charge.created, charge.pending, charge.confirmed, payout.sent: delivered")
	}
	return err
}
