package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/utxo"
)

// sentLTC is a transaction that was made, and perhaps sent.
type sentLTC struct {
	hash, raw, to string
	amount        utxo.Amount
}

// payerLTC pays with a coin of its own for each payment.
type payerLTC struct {
	wallet *utxo.Client
	// mining is held while blocks are made and written to the disk.
	mining sync.Mutex

	mu   sync.Mutex
	used map[utxo.Coin]bool
	sent []sentLTC
}

// feeRate is for 1000 virtual bytes.
const feeRate utxo.Amount = 50_000

var errNoCoin = errors.New("no coin is large enough")

// pay makes a payment and hands it to the daemon until it takes it.
func (p *payerLTC) pay(ctx context.Context, to string, amount utxo.Amount) error {
	tx, err := p.build(ctx, to, amount)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.sent = append(p.sent, tx)
	p.mu.Unlock()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if err = p.wallet.Send(ctx, tx.raw); err == nil {
			return nil
		}
		if failed := fixture.Pause(ctx, time.Second); failed != nil {
			return failed
		}
	}
	return fmt.Errorf("send: %w", err)
}

func (p *payerLTC) build(ctx context.Context, to string, amount utxo.Amount) (sentLTC, error) {
	coins, err := p.wallet.Unspent(ctx, 1)
	if err != nil {
		return sentLTC{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range coins {
		if p.used[c.Coin] || c.Amount < 2*amount {
			continue
		}
		raw, _, err := p.wallet.Create(ctx, utxo.Spend{
			Coins: []utxo.Coin{c.Coin}, Payees: []utxo.Payee{{Address: to, Amount: amount}}, FeeRate: feeRate,
		})
		if err != nil {
			return sentLTC{}, err
		}
		tx, err := p.wallet.Decode(ctx, raw)
		if err != nil {
			return sentLTC{}, err
		}
		p.used[c.Coin] = true
		return sentLTC{hash: tx.Hash, raw: raw, to: to, amount: amount}, nil
	}
	return sentLTC{}, errNoCoin
}

// arrived asks the chain for all payments, by address. It sends a payment again
// that is not in a block.
func (p *payerLTC) arrived(ctx context.Context) map[string]arrived[utxo.Amount] {
	p.mu.Lock()
	defer p.mu.Unlock()
	info := fixture.Must(p.wallet.Info(ctx))
	all := map[string]arrived[utxo.Amount]{}
	for _, tx := range p.sent {
		found, err := p.wallet.Transaction(ctx, tx.hash)
		if !errors.Is(err, utxo.ErrNotFound) {
			fixture.Do(err)
		}
		if err != nil || found.Confirmations == 0 {
			_ = p.wallet.Send(ctx, tx.raw) // the daemon was killed, and has forgotten it
			continue
		}
		all[tx.to] = arrived[utxo.Amount]{all[tx.to].amount + tx.amount, tx.hash, int64(info.Blocks - found.Confirmations + 1)}
	}
	return all
}
