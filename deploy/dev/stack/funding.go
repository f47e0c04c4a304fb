package stack

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The customer can pay many times at once: an output is locked for ten blocks
// once it was spent from.
const (
	customerMoney   = 100_000_000_000_000 // piconero
	customerOutputs = 20
	// coinbaseLock is the age in blocks at which a block reward can be spent.
	coinbaseLock = 60
	// A block pays about 35 XMR at first, so the outputs are more than enough
	// money; the spare ones are decoys for the first payments.
	firstBlocks = coinbaseLock + 2*customerOutputs
)

// fundCustomer mines to the customer's wallet until it has enough.
func fundCustomer(ctx context.Context, s *Stack) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	url := s.url("wallet-customer")
	for blocks := firstBlocks; ; blocks = coinbaseLock {
		rich, err := isRich(ctx, url)
		if rich || err != nil {
			return err
		}
		s.log.Info("mining money for the customer", "blocks", blocks)
		if err := s.Mine(ctx, blocks); err != nil {
			return fmt.Errorf("fund the customer: %w", err)
		}
	}
}

// isRich looks at the money that can be spent now.
func isRich(ctx context.Context, url string) (bool, error) {
	var balance struct {
		Unlocked uint64 `json:"unlocked_balance"`
	}
	var transfers struct {
		Transfers []struct {
			Unlocked bool `json:"unlocked"`
			Spent    bool `json:"spent"`
		} `json:"transfers"`
	}
	err := errors.Join(
		call(ctx, url, "refresh", nil, nil),
		call(ctx, url, "get_balance", map[string]any{"account_index": 0}, &balance),
		call(ctx, url, "incoming_transfers", map[string]any{"transfer_type": "available"}, &transfers),
	)
	if err != nil {
		return false, fmt.Errorf("customer wallet: %w", err)
	}
	outputs := 0
	for _, t := range transfers.Transfers {
		if t.Unlocked && !t.Spent {
			outputs++
		}
	}
	return balance.Unlocked >= customerMoney && outputs >= customerOutputs, nil
}
