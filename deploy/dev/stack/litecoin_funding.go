package stack

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/utxo"
)

const (
	// mwebHeight is the height at which Litecoin's extension blocks begin. From there on the
	// daemon mines no block until money was sent into them by a transaction in the first such
	// block.
	mwebHeight = 432
	// litecoinMaturity is the number of blocks after which a reward can be spent.
	litecoinMaturity = 100
	// litecoinOutputs is the number of concurrent payments. The first rewards are 50 LTC each;
	// they halve every 150 blocks.
	litecoinOutputs = 30
	// litecoinWorth is the height from which a reward is less than a 20th of a coin, so that
	// mining adds too little money.
	litecoinWorth = 1500
)

// litecoinMoney is the minimum balance of each of the two wallets.
const litecoinMoney = 500 * utxo.OneCoin

// fundLitecoin mines to the wallets until they have enough, then until they can spend it, and
// past the height at which the chain would stall.
func (s *Stack) fundLitecoin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	for _, step := range []func(context.Context, *utxo.Client, string) (done bool, err error){s.reward, s.ripen} {
		for _, name := range []string{litecoinExchange, litecoinCustomer} {
			wallet, err := s.litecoin(name)
			if err != nil {
				return err
			}
			for done := false; err == nil && !done; {
				done, err = step(ctx, wallet, name)
			}
			wallet.Close()
			if err != nil {
				return fmt.Errorf("fund the wallet %s: %w", name, err)
			}
		}
	}
	return s.passMWEB(ctx)
}

// reward mines to a wallet that has too little, counting immature rewards, as long as rewards
// are worth it.
func (s *Stack) reward(ctx context.Context, wallet *utxo.Client, name string) (done bool, err error) {
	has, err := wallet.Balances(ctx)
	if err != nil || has.Trusted+has.Immature >= litecoinMoney {
		return true, err
	}
	info, err := wallet.Info(ctx)
	if err != nil || info.Blocks >= litecoinWorth {
		return true, err
	}
	s.log.Info("mining money", "for", name+" (Litecoin)", "blocks", litecoinOutputs)
	address, err := wallet.NewAddress(ctx)
	if err == nil {
		_, err = wallet.Generate(ctx, address, litecoinOutputs)
	}
	return false, err
}

// ripen mines until a wallet can spend its minimum balance, or all that it has.
func (s *Stack) ripen(ctx context.Context, wallet *utxo.Client, _ string) (done bool, err error) {
	has, err := wallet.Balances(ctx)
	if err != nil || has.Trusted >= litecoinMoney || has.Immature == 0 {
		return true, err
	}
	if err := s.passMWEB(ctx); err != nil {
		return false, err
	}
	return false, s.MineLitecoin(ctx, litecoinMaturity)
}

// passMWEB mines past the height at which the chain would stall, if the chain is not past it
// yet.
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
