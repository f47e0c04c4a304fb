package main

import (
	"context"
	"errors"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// conversion is what becomes of a merchant's sweep that is paid in litecoins.
type conversion struct {
	*demo

	payee  string
	charge clients.Charge
	payout clients.Payout
	swap   clients.Swap
	// atHome is what the payout address had before.
	atHome int
}

// conversionStep takes automatic conversion from the settings to the arrival.
func (d *demo) conversionStep() step {
	c := &conversion{demo: d}
	return step{"A merchant is paid in litecoins", []action{
		{"The merchant wants litecoins from now on", c.wantLitecoins},
		{"A customer pays, and the money can be spent", c.earn},
		{"The merchant sweeps: the transaction pays the deposit of a swap", c.sweepToSwap},
		{"Blocks are mined on both chains, and the swap is finished", c.finishSwap},
		{"The litecoins have arrived", c.litecoinsArrived},
	}}
}

func (c *conversion) wantLitecoins(ctx context.Context) {
	c.payee = fixture.Must(c.Coins.Address(ctx))
	c.atHome = len(fixture.Must(c.shop.Wallet.Receipts(ctx)))
	fixture.Sayf("sweeps are swapped to litecoins for %s…", c.payee[:16])
	fixture.Do(c.shop.SetAutoSwap(ctx, "ltc", c.payee))
}

func (c *conversion) earn(ctx context.Context) {
	c.charge = fixture.Must(c.shop.Sell(ctx, "0.3"))
	sent := fixture.Must(c.Customer.Pay(ctx, fixture.Outputs(c.charge)...))
	fixture.Do(c.Bury(ctx, fixture.Monero, sent.Hash, fixture.UnlockBlocks+1))
	c.hear(ctx, "charge.confirmed", c.charge.ID)
	fixture.Must(c.shop.Unlocked(ctx, 1))
}

func (c *conversion) sweepToSwap(ctx context.Context) {
	c.payout = fixture.Must(c.shop.Sweep(ctx))
	fixture.Requiref(c.payout.SwapID != nil, "the payout names no swap")
	c.swap = fixture.Must(c.shop.SwapStatus(ctx, *c.payout.SwapID))
	fixture.Sayf("payout %s: %s XMR for swap %s", c.payout.PayoutID, c.payout.AmountXMR, c.swap.ID)
	fixture.Sayf("%s promises %s LTC for %s XMR", c.swap.Provider, c.swap.AmountToExpected, c.swap.AmountFrom)
	c.known(ctx, *c.payout.TxHash)
	c.hear(ctx, "payout.sent", c.payout.PayoutID)
}

func (c *conversion) finishSwap(ctx context.Context) {
	fixture.Do(c.Chain.MineInto(ctx, *c.payout.TxHash))
	fixture.Wait(ctx, "the swap is finished", func() bool {
		fixture.Do(errors.Join(c.Chain.Mine(ctx, 1), c.Coins.Mine(ctx, 1)))
		c.swap = fixture.Must(c.shop.SwapStatus(ctx, c.swap.ID))
		return c.swap.Status == "finished"
	})
	fixture.Sayf("the provider paid %s LTC", *c.swap.AmountTo)
}

func (c *conversion) litecoinsArrived(ctx context.Context) {
	list := fixture.Must(c.Coins.Receipts(ctx, c.payee))
	fixture.Requiref(len(list) == 1, "%d transactions arrived instead of one", len(list))
	arrived := money.FromAtomic(uint64(list[0].Amount), fixture.Decimals(fixture.Litecoin))
	fixture.Requiref(arrived.String() == *c.swap.AmountTo, "%s LTC arrived, the swap says %s", arrived, *c.swap.AmountTo)
	fixture.Sayf("on the chain of Litecoin the merchant's address received %s LTC", arrived)
	fixture.Requiref(len(fixture.Must(c.shop.Wallet.Receipts(ctx))) == c.atHome, "something went to the payout address")
	fixture.Sayf("nothing went to the payout address")
}
