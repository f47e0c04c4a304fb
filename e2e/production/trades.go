//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/durapay/durapay/e2e/partner"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

// exchange starts it as docs/operations.md says: its wallets, the one of
// Litecoin made by hand, money on them, and then its services.
func (d *day) exchange(ctx context.Context) error {
	wallets := []string{"wallet-exchange-watch", "wallet-exchange-spend", "litecoind"}
	if _, err := d.site.compose(ctx, append([]string{"--profile", "exchange", "up", "-d", "--wait"}, wallets...)...); err != nil {
		return err
	}
	if err := d.chains.joinLitecoin(ctx); err != nil {
		return err
	}
	made, err := d.site.compose(ctx, "run", "--rm", "litecoin-wallet")
	if err != nil {
		return err
	}
	sayf("litecoin-wallet says: %s", made)
	if err := errors.Join(d.chains.fundExchange(ctx), d.chains.openLitecoin(ctx)); err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join(d.root, "deploy/dev/sanctions.xml"))
	if err != nil {
		return err
	}
	err = errors.Join(
		d.give("exchange-providers/sanctions.xml", list),
		d.set(".env", "COMPOSE_PROFILES=edge,exchange", "EXCHANGE_WALLETS_FILE=/etc/durapay/exchange-wallets.json", "SWAP_PUBLIC_URL=https://swap.example.com"),
		d.set("durapay.env", "EXCHANGE_REGTEST=true", "EXCHANGE_PAIRS=xmr:Mainnet>ltc:Mainnet=0.05:20:1,ltc:Mainnet>xmr:Mainnet=0.05:20:1",
			"COIN_PRICE_SOURCES=static", "COIN_PRICES_STATIC=xmr=150,ltc=75", "OFAC_SDN_FILE=/own/exchange-providers/sanctions.xml"),
	)
	if err != nil {
		return err
	}
	return d.start(ctx)
}

func (d *day) tradeToLitecoin(ctx context.Context) error {
	payee, err := d.chains.coins.Address(ctx)
	if err != nil {
		return err
	}
	refund, err := d.chains.customer.NewAccount(ctx)
	if err != nil {
		return err
	}
	trade, err := d.trade(ctx, partner.Order{Pair: partner.Pair{From: "xmr", To: "ltc"}, Amount: money.MustDecimal("0.5"), Address: payee, Refund: refund.Address})
	if err != nil {
		return err
	}
	deposit, err := money.ParseXMR("0.5")
	if err != nil {
		return err
	}
	sent, err := d.chains.customer.Pay(ctx, regtest.Output{Address: trade.Deposit, Amount: deposit})
	if err != nil {
		return err
	}
	if err := errors.Join(d.chains.chain.MineInto(ctx, sent.Hash), d.chains.chain.Mine(ctx, unlockBlocks)); err != nil {
		return err
	}
	if trade, err = d.becomes(ctx, trade.ID, "sending"); err != nil {
		return err
	}
	if err := errors.Join(d.chains.coins.MineInto(ctx, *trade.Payout), d.chains.coins.Mine(ctx, 2)); err != nil {
		return err
	}
	if trade, err = d.becomes(ctx, trade.ID, "completed"); err != nil {
		return err
	}
	got, err := d.chains.coins.Received(ctx, *trade.Payout, payee)
	if err != nil {
		return err
	}
	arrived := money.FromAtomic(uint64(got), 8)
	sayf("%s LTC arrived", arrived)
	return check(arrived.String() == trade.AmountTo, "the trade says %s", trade.AmountTo)
}

func (d *day) tradeToMonero(ctx context.Context) error {
	payee, err := d.chains.customer.NewAccount(ctx)
	if err != nil {
		return err
	}
	refund, err := d.chains.coins.Address(ctx)
	if err != nil {
		return err
	}
	trade, err := d.trade(ctx, partner.Order{Pair: partner.Pair{From: "ltc", To: "xmr"}, Amount: money.MustDecimal("1"), Address: payee.Address, Refund: refund})
	if err != nil {
		return err
	}
	sent, err := d.chains.coins.Pay(ctx, trade.Deposit, utxo.OneCoin)
	if err != nil {
		return err
	}
	if err := errors.Join(d.chains.coins.MineInto(ctx, sent), d.chains.coins.Mine(ctx, 2)); err != nil {
		return err
	}
	if trade, err = d.becomes(ctx, trade.ID, "sending"); err != nil {
		return err
	}
	if err := errors.Join(d.chains.chain.MineInto(ctx, *trade.Payout), d.chains.chain.Mine(ctx, unlockBlocks)); err != nil {
		return err
	}
	if trade, err = d.becomes(ctx, trade.ID, "completed"); err != nil {
		return err
	}
	got, err := payee.Receipts(ctx)
	if err != nil {
		return err
	}
	if err := check(len(got) == 1, "%d transactions paid, not one", len(got)); err != nil {
		return err
	}
	sayf("%s XMR arrived", got[0].Amount)
	return check(got[0].TxHash == *trade.Payout && got[0].Amount.String() == trade.AmountTo, "the trade says %s in %s", trade.AmountTo, *trade.Payout)
}

func (d *day) trade(ctx context.Context, o partner.Order) (partner.Trade, error) {
	var made partner.Trade
	err := until(ctx, "the exchange quotes", func() (bool, error) {
		_, err := d.partner().Quote(ctx, o.Pair, o.Amount)
		d.refused = err
		return err == nil, nil
	})
	if err != nil {
		return made, errors.Join(err, d.refused)
	}
	if made, err = d.partner().Trade(ctx, o); err != nil {
		return made, err
	}
	sayf("trade %s: %s %s to %s", made.ID, o.Amount, o.From, made.Deposit)
	return made, nil
}

// partner calls the exchange without a key, as anybody may.
func (d *day) partner() partner.Client { return partner.Client{URL: d.swap} }

// becomes waits until a trade has a status.
func (d *day) becomes(ctx context.Context, id, status string) (partner.Trade, error) {
	var now partner.Trade
	err := until(ctx, "the trade is "+status, func() (bool, error) {
		var err error
		now, err = d.partner().Find(ctx, id)
		return now.Status == status && (status == "completed" || now.Payout != nil), err
	})
	if err != nil {
		return now, fmt.Errorf("%w: it is %s (%s)", err, now.Status, now.Detail)
	}
	sayf("the trade is %s", status)
	return now, nil
}
