package stack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/utxo"
)

// coinbaseLock is the number of blocks after which a block reward can be spent.
const coinbaseLock = 60

// funds is the money that a Monero wallet must be able to spend before the stack is ready.
type funds struct {
	// wallet is the part; keys is the name of its keys.
	wallet, keys string
	// money is in piconero.
	money uint64
	// rewards is the number of blocks that are mined to the wallet at first. Each pays about
	// 35 XMR.
	rewards int
}

// outputs is the number of concurrent payments of each wallet.
const outputs = 20

// customerFunds returns the customer's funds. They have more rewards than the money needs: the
// spare ones let the customer of a test pay many times in a row, and are decoys for the first
// payments.
func customerFunds() funds {
	return funds{wallet: "wallet-customer", keys: "customer", money: 100_000_000_000_000, rewards: 4 * outputs}
}

func exchangeFunds() funds {
	return funds{wallet: "wallet-exchange-spend", keys: "exchange", money: 500_000_000_000_000, rewards: outputs}
}

// settle mines to the wallet until it has enough. Blocks that unlock the rewards of one wallet
// also unlock those of another, so the wallets take turns.
func (f funds) settle(ctx context.Context, s *Stack) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	for blocks := f.rewards; ; blocks = coinbaseLock {
		rich, err := f.mineUnlessPresent(ctx, s, blocks)
		if rich || err != nil {
			return err
		}
	}
}

func (f funds) mineUnlessPresent(ctx context.Context, s *Stack, blocks int) (bool, error) {
	s.fundsMu.Lock()
	defer s.fundsMu.Unlock()
	rich, err := f.present(ctx, s)
	if rich || err != nil {
		return rich, err
	}
	s.log.Info("mining money", "for", f.keys, "blocks", blocks)
	if err := Mine(ctx, s.url("monerod"), s.walletAddress(f.keys), blocks); err != nil {
		return false, fmt.Errorf("fund %s: %w", f.wallet, err)
	}
	return false, nil
}

// present reports whether the money can be spent now.
func (f funds) present(ctx context.Context, s *Stack) (bool, error) {
	var balance struct {
		Unlocked uint64 `json:"unlocked_balance"`
	}
	var transfers struct {
		Transfers []struct {
			Unlocked bool `json:"unlocked"`
			Spent    bool `json:"spent"`
		} `json:"transfers"`
	}
	url := s.url(f.wallet)
	err := errors.Join(
		call(ctx, url, "refresh", nil, nil),
		call(ctx, url, "get_balance", map[string]any{"account_index": 0}, &balance),
		call(ctx, url, "incoming_transfers", map[string]any{"transfer_type": "available"}, &transfers),
	)
	if err != nil {
		return false, fmt.Errorf("%s: %w", f.wallet, err)
	}
	// An output is locked for ten blocks after it was spent from. A template has all rewards
	// unlocked, in every wallet, because tests need the spare ones.
	spendable, least := 0, outputs
	for _, t := range transfers.Transfers {
		if t.Unlocked && !t.Spent {
			spendable++
		}
	}
	if s.options.fromScratch {
		least = f.rewards
	}
	return balance.Unlocked >= f.money && spendable >= least, nil
}

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
