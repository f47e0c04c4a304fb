//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
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
	fixture.Sayf("litecoin-wallet says: %s", made)
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
	return d.tradeCoins(ctx, fixture.Monero, fixture.Litecoin, "0.5")
}

func (d *day) tradeToMonero(ctx context.Context) error {
	return d.tradeCoins(ctx, fixture.Litecoin, fixture.Monero, "1")
}

// settled is how many blocks a transaction of a coin needs here.
func settled(coin string) int {
	return map[string]int{fixture.Monero: fixture.UnlockBlocks + 1, fixture.Litecoin: 3}[coin]
}

// tradeCoins takes a trade from its quote to what arrives.
func (d *day) tradeCoins(ctx context.Context, from, to, amount string) error {
	payee, err := d.chains.NewPayee(ctx, to)
	if err != nil {
		return err
	}
	refund, err := d.chains.NewPayee(ctx, from)
	if err != nil {
		return err
	}
	trade, err := d.trade(ctx, clients.Order{
		Pair: clients.Pair{From: from, To: to}, Amount: money.MustDecimal(amount), Address: payee.Address, Refund: refund.Address,
	})
	if err != nil {
		return err
	}
	sent, err := d.chains.Pay(ctx, from, trade.Deposit, money.MustDecimal(amount))
	if err != nil {
		return err
	}
	if err := d.chains.Bury(ctx, from, sent, settled(from)); err != nil {
		return err
	}
	if trade, err = d.becomes(ctx, trade.ID, "sending"); err != nil {
		return err
	}
	if err := d.chains.Bury(ctx, to, *trade.Payout, settled(to)); err != nil {
		return err
	}
	if trade, err = d.becomes(ctx, trade.ID, "completed"); err != nil {
		return err
	}
	arrivals, err := d.chains.Arrivals(ctx)
	if err != nil {
		return err
	}
	got := arrivals.To(payee)
	if err := fixture.Check(len(got) == 1, "%d transactions paid, not one", len(got)); err != nil {
		return err
	}
	fixture.Sayf("%s %s arrived", got[*trade.Payout], to)
	want, err := money.ParseDecimal(trade.AmountTo)
	if err != nil {
		return err
	}
	return fixture.Check(got[*trade.Payout].Cmp(want) == 0, "the trade says %s in %s", trade.AmountTo, *trade.Payout)
}

func (d *day) trade(ctx context.Context, o clients.Order) (clients.Trade, error) {
	var made clients.Trade
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
	fixture.Sayf("trade %s: %s %s to %s", made.ID, o.Amount, o.From, made.Deposit)
	return made, nil
}

// partner calls the exchange without a key, as anyone may.
func (d *day) partner() clients.Partner { return clients.Partner{URL: d.swap} }

// becomes waits until a trade has a status.
func (d *day) becomes(ctx context.Context, id, status string) (clients.Trade, error) {
	var now clients.Trade
	err := until(ctx, "the trade is "+status, func() (bool, error) {
		var err error
		now, err = d.partner().Find(ctx, id)
		return now.Status == status && (status == "completed" || now.Payout != nil), err
	})
	if err != nil {
		return now, fmt.Errorf("%w: it is %s (%s)", err, now.Status, now.Detail)
	}
	fixture.Sayf("the trade is %s", status)
	return now, nil
}
