package main

import (
	"context"
	"errors"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// conversion is what becomes of a merchant's sweep that is paid in litecoins.
type conversion struct {
	payee  string
	charge clients.Charge
	payout clients.Payout
	swap   clients.Swap
	// atHome is what the payout address had before.
	atHome int
}

// conversionStep takes automatic conversion from the settings to the arrival.
func (d *demo) conversionStep() step {
	c := &conversion{}
	with := func(f func(context.Context, *conversion) error) func(context.Context) error {
		return func(ctx context.Context) error { return f(ctx, c) }
	}
	return step{"A merchant is paid in litecoins", []action{
		{"The merchant wants litecoins from now on", with(d.wantLitecoins)},
		{"A customer pays, and the money can be spent", with(d.earn)},
		{"The merchant sweeps: the transaction pays the deposit of a swap", with(d.sweepToSwap)},
		{"Blocks are mined on both chains, and the swap is finished", with(d.finishSwap)},
		{"The litecoins have arrived", with(d.litecoinsArrived)},
	}}
}

func (d *demo) wantLitecoins(ctx context.Context, c *conversion) (err error) {
	if c.payee, err = d.Coins.Address(ctx); err != nil {
		return err
	}
	receipts, err := d.shop.Wallet.Receipts(ctx)
	if err != nil {
		return err
	}
	c.atHome = len(receipts)
	fixture.Sayf("sweeps are swapped to litecoins for %s…", c.payee[:16])
	return d.shop.SetAutoSwap(ctx, "ltc", c.payee)
}

func (d *demo) earn(ctx context.Context, c *conversion) (err error) {
	if c.charge, err = d.shop.Sell(ctx, "0.3"); err != nil {
		return err
	}
	sent, err := d.Customer.Pay(ctx, fixture.Outputs(c.charge)...)
	if err != nil {
		return err
	}
	if err := d.Bury(ctx, fixture.Monero, sent.Hash, fixture.UnlockBlocks+1); err != nil {
		return err
	}
	if err := d.hear(ctx, "charge.confirmed", c.charge.ID); err != nil {
		return err
	}
	_, err = d.shop.Unlocked(ctx, 1)
	return err
}

func (d *demo) sweepToSwap(ctx context.Context, c *conversion) (err error) {
	if c.payout, err = d.shop.Sweep(ctx); err != nil {
		return err
	}
	if c.payout.SwapID == nil {
		return errors.New("the payout names no swap")
	}
	if c.swap, err = d.shop.SwapStatus(ctx, *c.payout.SwapID); err != nil {
		return err
	}
	fixture.Sayf("payout %s: %s XMR for swap %s", c.payout.PayoutID, c.payout.AmountXMR, c.swap.ID)
	fixture.Sayf("%s promises %s LTC for %s XMR", c.swap.Provider, c.swap.AmountToExpected, c.swap.AmountFrom)
	found, err := d.Chain.Where(ctx, *c.payout.TxHash)
	if err != nil {
		return err
	}
	if err := fixture.Check(found.State != monero.Missed, "the daemon does not know %s", *c.payout.TxHash); err != nil {
		return err
	}
	fixture.Sayf("the daemon has transaction %s, %s", *c.payout.TxHash, place(found))
	return d.hear(ctx, "payout.sent", c.payout.PayoutID)
}

func (d *demo) finishSwap(ctx context.Context, c *conversion) error {
	if err := d.Chain.MineInto(ctx, *c.payout.TxHash); err != nil {
		return err
	}
	err := fixture.Until(ctx, "the swap is finished", func() (bool, error) {
		if err := errors.Join(d.Chain.Mine(ctx, 1), d.Coins.Mine(ctx, 1)); err != nil {
			return false, err
		}
		now, err := d.shop.SwapStatus(ctx, c.swap.ID)
		c.swap = now
		return now.Status == "finished", err
	})
	if err != nil {
		return err
	}
	fixture.Sayf("the provider paid %s LTC", *c.swap.AmountTo)
	return nil
}

func (d *demo) litecoinsArrived(ctx context.Context, c *conversion) error {
	list, err := d.Coins.Receipts(ctx, c.payee)
	if err != nil {
		return err
	}
	if len(list) != 1 {
		return fixture.Check(false, "%d transactions arrived instead of one", len(list))
	}
	arrived := money.FromAtomic(uint64(list[0].Amount), fixture.Decimals(fixture.Litecoin))
	if err := fixture.Check(arrived.String() == *c.swap.AmountTo, "%s LTC arrived, the swap says %s", arrived, *c.swap.AmountTo); err != nil {
		return err
	}
	fixture.Sayf("on the chain of Litecoin the merchant's address received %s LTC", arrived)
	receipts, err := d.shop.Wallet.Receipts(ctx)
	if err != nil {
		return err
	}
	if err := fixture.Check(len(receipts) == c.atHome, "something went to the payout address"); err != nil {
		return err
	}
	fixture.Sayf("nothing went to the payout address")
	return nil
}
