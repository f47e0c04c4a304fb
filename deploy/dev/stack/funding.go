package stack

import (
	"context"
	"errors"
	"fmt"
	"time"
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
