package main

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// unlockBlocks is the age at which the chain lets an output be spent.
const unlockBlocks = 10

func (d *demo) unlock(ctx context.Context) error {
	if err := d.chain.Mine(ctx, unlockBlocks); err != nil {
		return err
	}
	var balance merchant.Balance
	err := until(ctx, "the balance is unlocked", func() (bool, error) {
		var err error
		balance, err = d.shop.Balance(ctx)
		return balance.UnpaidCharges == 1 && balance.LockedXMR == 0, err
	})
	if err != nil {
		return err
	}
	sayf("%d charge is unpaid: %s XMR", balance.UnpaidCharges, balance.TotalXMR)
	return check(balance.TotalXMR == d.charge.AmountXMR, "the balance is not the charge's amount")
}

func (d *demo) sweep(ctx context.Context) error {
	var err error
	if d.payout, err = d.shop.Sweep(ctx); err != nil {
		return err
	}
	p := d.payout
	sayf("payout %s: %s XMR to the merchant, %s XMR to the chain", p.PayoutID, p.AmountXMR, p.NetworkFeeXMR)
	gross, err := money.Sum(p.AmountXMR, p.FeeXMR, p.NetworkFeeXMR)
	if err != nil {
		return err
	}
	if err := check(gross == d.charge.AmountXMR && p.ChargesPaid == 1, "the sums do not match"); err != nil {
		return err
	}
	found, err := d.chain.Where(ctx, *p.TxHash)
	if err != nil {
		return err
	}
	if err := check(found.State != monero.Missed, "the daemon does not know %s", *p.TxHash); err != nil {
		return err
	}
	sayf("the daemon has transaction %s, %s", *p.TxHash, place(found))
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
	if err := d.chain.MineInto(ctx, *d.payout.TxHash); err != nil {
		return err
	}
	found, err := d.chain.Where(ctx, *d.payout.TxHash)
	if err != nil {
		return err
	}
	if err := check(found.State == monero.Mined, "the payout is not in a block"); err != nil {
		return err
	}
	sayf("its transaction is %s", place(found))
	receipts, err := d.wallet.Receipts(ctx)
	if err != nil {
		return err
	}
	if err := check(len(receipts) == 1 && receipts[0].TxHash == *d.payout.TxHash &&
		receipts[0].Amount == d.payout.AmountXMR, "the payout address received %v", receipts); err != nil {
		return err
	}
	sayf("the payout address received %s XMR, as booked", receipts[0].Amount)
	return nil
}

func (d *demo) checkLog(ctx context.Context) error {
	want := map[string]int{"charge.created": 1, "charge.pending": 1, "charge.confirmed": 1, "payout.sent": 1}
	err := until(ctx, "every delivery is recorded", func() (bool, error) {
		log, err := d.shop.DeliveriesOf(ctx, d.webhook.ID)
		got := map[string]int{}
		for _, entry := range log {
			if entry.Status == "delivered" {
				got[entry.Event]++
			}
		}
		return fmt.Sprint(got) == fmt.Sprint(want), err
	})
	if err == nil {
		sayf("charge.created, charge.pending, charge.confirmed, payout.sent: delivered")
	}
	return err
}

// until asks again and again for what no event tells.
func until(ctx context.Context, what string, ask func() (bool, error)) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w", what, ctx.Err())
		}
	}
}
