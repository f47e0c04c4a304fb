package stack

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/utxo"
)

const (
	// mwebHeight is where Litecoin's extension blocks begin. The daemon mines
	// no block from there on until money was sent into them, by a transaction
	// in the first such block.
	mwebHeight = 432
	// litecoinMaturity is the age in blocks at which a reward can be spent.
	litecoinMaturity = 100
	// litecoinOutputs allow as many payments at once. The first rewards are
	// 50 LTC each; they halve every 150 blocks.
	litecoinOutputs = 30
	// litecoinWorth is the height from which a reward is less than a 20th of a
	// coin: mining makes no wallet richer any more.
	litecoinWorth = 1500
)

// litecoinMoney is what each of the two wallets has at least.
const litecoinMoney = 500 * utxo.OneCoin

// fundLitecoin mines to the wallets until they have enough, and the chain past
// the height where it would stall.
func (s *Stack) fundLitecoin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	for _, name := range []string{litecoinExchange, litecoinCustomer} {
		if err := s.reward(ctx, name); err != nil {
			return fmt.Errorf("fund the wallet %s: %w", name, err)
		}
	}
	for _, name := range []string{litecoinExchange, litecoinCustomer} {
		if err := s.ripen(ctx, name); err != nil {
			return fmt.Errorf("fund the wallet %s: %w", name, err)
		}
	}
	return s.passMWEB(ctx)
}

// reward mines to a wallet that has too little, ripe or not, as long as rewards
// are worth it.
func (s *Stack) reward(ctx context.Context, name string) error {
	wallet, err := s.litecoin(name)
	if err != nil {
		return err
	}
	defer wallet.Close()
	for {
		has, err := wallet.Balances(ctx)
		if err != nil || has.Trusted+has.Immature >= litecoinMoney {
			return err
		}
		info, err := wallet.Info(ctx)
		if err != nil || info.Blocks >= litecoinWorth {
			return err
		}
		s.log.Info("mining money", "for", name+" (Litecoin)", "blocks", litecoinOutputs)
		address, err := wallet.NewAddress(ctx)
		if err != nil {
			return err
		}
		if _, err := wallet.Generate(ctx, address, litecoinOutputs); err != nil {
			return err
		}
	}
}

// ripen mines until a wallet can spend what it has to have, or all that it has.
func (s *Stack) ripen(ctx context.Context, name string) error {
	wallet, err := s.litecoin(name)
	if err != nil {
		return err
	}
	defer wallet.Close()
	for {
		has, err := wallet.Balances(ctx)
		if err != nil || has.Trusted >= litecoinMoney || has.Immature == 0 {
			return err
		}
		if err := s.passMWEB(ctx); err != nil {
			return err
		}
		if err := s.MineLitecoin(ctx, litecoinMaturity); err != nil {
			return err
		}
	}
}

// passMWEB takes the chain beyond the height where it would stall, if it is
// not beyond it yet.
func (s *Stack) passMWEB(ctx context.Context) error {
	rewards, err := s.litecoin(litecoinRewards)
	if err != nil {
		return err
	}
	defer rewards.Close()
	info, err := rewards.Info(ctx)
	if err != nil || info.Blocks >= mwebHeight {
		return err
	}
	if err := s.MineLitecoin(ctx, mwebHeight-1-int(info.Blocks)); err != nil {
		return err
	}
	if err := rewards.PegIn(ctx, utxo.OneCoin); err != nil {
		return fmt.Errorf("money for the extension blocks: %w", err)
	}
	return s.MineLitecoin(ctx, 1)
}
