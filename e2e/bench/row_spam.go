package main

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

const (
	spamPath  = "/spam"
	sentEvent = "sending"
	// laterBar is how much later payouts may be while somebody sends dust.
	laterBar = 1.20
	// dustAmount is 1 in 10^7 of a coin.
	dustXMR = "0.0000001"
	// spamLTC is far below what a trade takes.
	spamLTC = "0.002"
	// deepXMR is the depth at which the chain lets Monero be spent.
	deepXMR = 10
)

// spam measures what others' payouts suffer from dust on the exchange's Monero
// wallet, and from deposits to one trade that are all to be sent back.
func (b *bench) spam(ctx context.Context) error {
	m := b.pairSetup
	calm, err := m.payoutsOfMonero(ctx, b.sizes.spamRounds)
	if err != nil {
		return err
	}
	if err := m.sprinkle(ctx, b.sizes.dust); err != nil {
		return err
	}
	dusty, err := m.payoutsOfMonero(ctx, b.sizes.spamRounds)
	if err != nil {
		return err
	}
	b.addLater(fmt.Sprintf("deposit deep → payout of XMR sent, %s dust outputs on the wallet", thousands(b.sizes.dust)), calm, dusty)
	if err := m.addCoins(ctx, 2*b.sizes.spamRounds); err != nil {
		return err
	}
	if calm, err = m.payoutsOfLitecoin(ctx, b.sizes.spamRounds, func() error { return nil }); err != nil {
		return err
	}
	spammed, err := m.payoutsOfLitecoin(ctx, b.sizes.spamRounds, func() error { return m.flood(ctx, b.sizes.flood) })
	if err != nil {
		return err
	}
	b.addLater(fmt.Sprintf("deposit deep → payout of LTC sent, %s deposits on another trade", thousands(b.sizes.flood)), calm, spammed)
	return m.settled(ctx)
}

func (b *bench) addLater(what string, calm, now []time.Duration) {
	ratio := quotient(percentile(now, 50), percentile(calm, 50))
	b.table.add(row{
		measure: what, value: spread(now), reference: "without: " + spread(calm), ratio: ratioText(ratio) + " (p50)",
		bar: fmt.Sprintf("p50 ≤ %.1f times", laterBar), met: ratio <= laterBar,
	})
}

// payoutsOfMonero takes the time from the block that makes a deposit of
// Litecoin deep to the payout that is sent, one trade after the other. Blocks of
// Monero come every two minutes. Here ten of them come right before each trade, so
// that it waits until the exchange has read them.
func (m *pairSetup) payoutsOfMonero(ctx context.Context, rounds int) ([]time.Duration, error) {
	var all []time.Duration
	for round := range rounds {
		t, err := m.trade(ctx, "ltc", spamPath)
		if err != nil {
			return nil, err
		}
		send, err := m.buildLTC(ctx, []made{t})
		if err != nil {
			return nil, err
		}
		if err := send(); err != nil {
			return nil, err
		}
		if err := m.ltc.Mine(ctx, 1); err != nil {
			return nil, err
		}
		took, err := m.sentAfter(ctx, round, []made{t}, func() error { return m.ltc.Mine(ctx, 1) })
		if err != nil {
			return nil, err
		}
		all = append(all, took...)
		if err := m.chain.Mine(ctx, moneroBlocks); err != nil {
			return nil, err
		}
		if err := m.weighed(ctx); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// weighed returns once the exchange has read the chain of Monero as it is now, and
// counted what it holds.
func (m *pairSetup) weighed(ctx context.Context) error {
	height, err := m.chain.Height(ctx)
	if err != nil {
		return err
	}
	for {
		var done bool
		if err := m.db.QueryRow(ctx, `SELECT chain_height >= $1 AND balance_at >= scanned_at FROM exchange_wallets
			WHERE ticker = 'xmr'`, height).Scan(&done); err != nil || done {
			return err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// payoutsOfLitecoin takes the time from the block that makes deposits of Monero
// deep to the payouts that are sent. Something happens right before it.
func (m *pairSetup) payoutsOfLitecoin(ctx context.Context, trades int, before func() error) ([]time.Duration, error) {
	list := make([]made, trades)
	for i := range list {
		var err error
		if list[i], err = m.trade(ctx, "xmr", spamPath); err != nil {
			return nil, err
		}
	}
	for at := 0; at < trades; at += regtest.MaxOutputs {
		tx, err := m.depositXMR(ctx, list[at:min(at+regtest.MaxOutputs, trades)])
		if err != nil {
			return nil, err
		}
		if err := m.payer.send(ctx, tx); err != nil {
			return nil, err
		}
		if err := m.chain.MineInto(ctx, tx.Hash); err != nil {
			return nil, err
		}
	}
	if err := m.chain.Mine(ctx, deepXMR-2); err != nil {
		return nil, err
	}
	if err := before(); err != nil {
		return nil, err
	}
	return m.sentAfter(ctx, 0, list, func() error { return m.chain.Mine(ctx, 1+trades/regtest.MaxOutputs) })
}

// coinLTC is more than a payout of Litecoin needs, coinBlocks deeper than a coin
// must be for one.
const (
	coinLTC    = "1"
	coinBlocks = 10
)

// addCoins gives the exchange's Litecoin wallet so many coins more. It spends
// coins of blocks alone, and no block comes while payouts are timed.
func (m *pairSetup) addCoins(ctx context.Context, coins int) error {
	wallet, err := m.exchangeLitecoin()
	if err != nil {
		return err
	}
	defer wallet.Close()
	amount, err := utxo.ParseAmount(coinLTC)
	if err != nil {
		return err
	}
	for range coins {
		address, err := wallet.NewAddress(ctx)
		if err != nil {
			return err
		}
		if _, err := m.ltc.Pay(ctx, address, amount); err != nil {
			return err
		}
	}
	return m.ltc.Mine(ctx, coinBlocks)
}

// sentAfter does something at the moment of a round, and returns how long after
// it each trade's payout was sent.
func (m *pairSetup) sentAfter(ctx context.Context, round int, trades []made, do func() error) ([]time.Duration, error) {
	begun, err := evenly(ctx, round, do)
	if err != nil {
		return nil, err
	}
	var all []time.Duration
	for _, t := range trades {
		at, err := m.inbox.await(ctx, arrival{spamPath, sentEvent, t.ID})
		if err != nil {
			return nil, err
		}
		all = append(all, at.Sub(begun))
	}
	return all, nil
}

// perBlock is how many payments the customer's outputs are enough for, block
// after block: one is locked for ten of them.
const perBlock = 3

// sprinkle pays dust to the address of one trade, in so many outputs. A stranger
// knows no other addresses of the exchange's wallet.
func (m *pairSetup) sprinkle(ctx context.Context, outputs int) error {
	amount, err := money.ParseXMR(dustXMR)
	if err != nil {
		return err
	}
	t, err := m.trade(ctx, "xmr", "")
	if err != nil {
		return err
	}
	dust := make([]regtest.Output, regtest.MaxOutputs)
	for i := range dust {
		dust[i] = regtest.Output{Address: t.Deposit, Amount: amount}
	}
	return m.payMany(ctx, outputs/regtest.MaxOutputs, func(int) []regtest.Output { return dust })
}

// payMany sends transactions as fast as the customer's wallet makes them, and
// lets the chain grow so that it has money for them.
func (w *fixture) payMany(ctx context.Context, transactions int, outputs func(int) []regtest.Output) error {
	begun, told := time.Now(), time.Now()
	for i := range transactions {
		if _, err := w.customer.Pay(ctx, outputs(i)...); err != nil {
			return err
		}
		if i%perBlock == perBlock-1 {
			if err := w.chain.Mine(ctx, 1); err != nil {
				return err
			}
		}
		if time.Since(told) > 15*time.Second {
			told = time.Now()
			progressf("%s of %s transactions are sent", thousands(i+1), thousands(transactions))
		}
	}
	progressf("%s transactions were sent in %s", thousands(transactions), time.Since(begun).Round(time.Second))
	return w.chain.Mine(ctx, deepXMR)
}

// flood pays the address of one trade so often, each time too little, and makes
// all of it deep.
func (m *pairSetup) flood(ctx context.Context, deposits int) error {
	t, err := m.trade(ctx, "ltc", "")
	if err != nil {
		return err
	}
	amount, err := utxo.ParseAmount(spamLTC)
	if err != nil {
		return err
	}
	for range deposits {
		if _, err := m.ltc.Pay(ctx, t.Deposit, amount); err != nil {
			return err
		}
	}
	return m.ltc.Mine(ctx, 2)
}

func (b *bench) spamAddresses() int { return 2*b.sizes.spamRounds + 1 }
