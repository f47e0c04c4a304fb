// Package regtest is what stands around a merchant on private networks: the chains, which
// grow and reorganise on demand, a customer's wallets that pay with real transactions, and a
// Tor network.
package regtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/durapay/durapay/deploy/dev/peer"
	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
)

// Chain is a private chain. Several callers may use it at once.
type Chain struct {
	url    string
	daemon *monero.Daemon
	reward string
	mu     sync.Mutex
}

// NewChain uses the daemon at a URL; reward is the address that gets the
// block rewards.
func NewChain(daemonURL, reward string) *Chain {
	return &Chain{
		url: daemonURL, reward: reward,
		daemon: monero.NewDaemon(monero.Endpoint{URL: daemonURL}, patient()),
	}
}

// Mine adds n blocks.
func (c *Chain) Mine(ctx context.Context, n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mine(ctx, n)
}

const (
	// perCall keeps one request for blocks within its timeout.
	perCall = 20
	// notAccepted is the daemon's code for a block of its own that is of no use
	// any more, since another miner's came first
	// (CORE_RPC_ERROR_CODE_BLOCK_NOT_ACCEPTED in Monero's core_rpc_server_error_codes.h).
	notAccepted = -7
)

// mine waits until the chain has n more blocks. Another miner may have made some of them.
func (c *Chain) mine(ctx context.Context, n int) error {
	for n > 0 {
		grown, err := c.grow(ctx, min(n, perCall))
		if err != nil {
			return fmt.Errorf("mine: %w", err)
		}
		n -= grown
	}
	return nil
}

// grow has the daemon make blocks, and tells how much higher the chain is.
func (c *Chain) grow(ctx context.Context, blocks int) (int, error) {
	before, err := c.daemon.Info(ctx)
	if err != nil {
		return 0, err
	}
	_, err = c.daemon.GenerateBlocks(ctx, c.reward, uint64(blocks))
	if refusal, ok := errors.AsType[*jsonrpc.MethodError](err); ok && refusal.Code == notAccepted {
		err = pause(ctx)
	}
	if err != nil {
		return 0, err
	}
	after, err := c.daemon.Info(ctx)
	return int(after.Height) - int(before.Height), err
}

// MineAll adds blocks until they hold these transactions, and at least one block.
// Other transactions may stay in the pool for ever.
func (c *Chain) MineAll(ctx context.Context, txHashes ...string) error {
	if err := c.Mine(ctx, 1); err != nil {
		return err
	}
	for _, hash := range txHashes {
		found, err := c.Where(ctx, hash)
		if err == nil && found.State != monero.Mined {
			err = c.MineInto(ctx, hash)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// MineInto adds blocks until one of them holds a transaction. A daemon does
// not mine what it has not passed on yet, so it may take more than one.
func (c *Chain) MineInto(ctx context.Context, txHash string) error {
	for {
		if err := c.Mine(ctx, 1); err != nil {
			return err
		}
		found, err := c.Where(ctx, txHash)
		if err != nil || found.State == monero.Mined {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// PassedOn reports whether the daemon has relayed a transaction, or holds it in a
// block. After a restart the daemon holds back, for minutes, a transaction that it
// has not relayed.
func (c *Chain) PassedOn(ctx context.Context, txHash string) (bool, error) {
	found, err := c.Where(ctx, txHash)
	if err != nil || found.State != monero.InPool {
		return found.State == monero.Mined, err
	}
	var pool struct {
		Transactions []struct {
			Hash    string `json:"id_hash"`
			Relayed bool   `json:"relayed"`
		} `json:"transactions"`
	}
	if err := ask(ctx, c.url+"/get_transaction_pool", struct{}{}, &pool); err != nil {
		return false, err
	}
	for _, tx := range pool.Transactions {
		if tx.Hash == txHash {
			return tx.Relayed, nil
		}
	}
	return false, nil
}

// Where tells what the daemon knows of a transaction.
func (c *Chain) Where(ctx context.Context, txHash string) (monero.TxStatus, error) {
	found, err := c.daemon.Transactions(ctx, []string{txHash})
	if err != nil {
		return monero.TxStatus{}, err
	}
	return found[0], nil
}

// RingSizes are the numbers of outputs among which each input of a transaction
// hides the one that it spends.
func (c *Chain) RingSizes(ctx context.Context, txHash string) ([]int, error) {
	var found struct {
		Txs []struct {
			Text string `json:"as_json"`
		} `json:"txs"`
	}
	question := map[string]any{"txs_hashes": []string{txHash}, "decode_as_json": true}
	// The daemon misses one that a block takes from the pool while it looks.
	for range 2 {
		if err := ask(ctx, c.url+"/get_transactions", question, &found); err != nil {
			return nil, err
		}
		if len(found.Txs) > 0 {
			break
		}
	}
	if len(found.Txs) == 0 {
		return nil, fmt.Errorf("the daemon does not know the transaction %s", txHash)
	}
	var tx struct {
		Inputs []struct {
			Key struct {
				Offsets []uint64 `json:"key_offsets"`
			} `json:"key"`
		} `json:"vin"`
	}
	if err := json.Unmarshal([]byte(found.Txs[0].Text), &tx); err != nil {
		return nil, err
	}
	sizes := make([]int, 0, len(tx.Inputs))
	for _, input := range tx.Inputs {
		sizes = append(sizes, len(input.Key.Offsets))
	}
	return sizes, nil
}

// Height is the number of blocks.
func (c *Chain) Height(ctx context.Context) (uint64, error) {
	info, err := c.daemon.Info(ctx)
	return info.Height, err
}

// Pop takes the n highest blocks off the chain: the first half of a reorg.
// Their transactions wait in the pool again.
func (c *Chain) Pop(ctx context.Context, n int) error {
	_, err := c.daemon.PopBlocks(ctx, uint64(n))
	return err
}

// Forget drops transactions from the pool, as a daemon does with those that
// another chain has made impossible.
func (c *Chain) Forget(ctx context.Context, txHashes ...string) error {
	return rpc(ctx, c.url, "flush_txpool", map[string]any{"txids": txHashes}, nil)
}

// Send hands a transaction (hex) to the daemon.
func (c *Chain) Send(ctx context.Context, blobHex string) error { return c.daemon.Relay(ctx, blobHex) }

// Broadcast has a peer announce a transaction (hex) to the daemon, as when a customer pays
// through a daemon of their own. peers is the address at which the daemon accepts peers.
func (c *Chain) Broadcast(ctx context.Context, peers, blobHex string) error {
	info, err := c.daemon.Info(ctx)
	if err != nil {
		return err
	}
	p, err := peer.Connect(ctx, peers, info.Height, info.TopHash)
	if err != nil {
		return err
	}
	return errors.Join(p.Broadcast(blobHex), p.Close())
}
