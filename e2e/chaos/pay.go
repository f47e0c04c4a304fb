package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

const (
	// perTransaction is how many addresses one transaction pays.
	perTransaction = 10
	// maxWait is how long a payment is tried, through kills of its receiver.
	maxWait = 2 * time.Minute
)

// sentXMR is a transaction that was made, and perhaps sent: whether it was is
// what the chain says.
type sentXMR struct {
	fixture.Sent

	to []fixture.Output
}

// payerXMR pays many addresses with one wallet, one transaction after the other.
type payerXMR struct {
	customer *fixture.Customer
	chain    *fixture.Chain

	mu    sync.Mutex
	queue []fixture.Output
	sent  []*sentXMR
}

// pay has an address paid with one of the next transactions, if any is made.
func (p *payerXMR) pay(address string, amount money.Piconero) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, fixture.Output{Address: address, Amount: amount})
}

func (p *payerXMR) payAll(ctx context.Context, until time.Time) {
	for time.Now().Before(until) {
		fixture.Do(fixture.Pause(ctx, time.Second))
		to := p.next()
		if len(to) == 0 {
			continue
		}
		tx, err := p.customer.Sign(ctx, to...)
		if err != nil {
			p.putBack(to)
			continue // the daemon is dead, or the money locked
		}
		p.remember(&sentXMR{Sent: tx, to: to})
		p.send(ctx, tx)
	}
}

func (p *payerXMR) next() []fixture.Output {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(perTransaction, len(p.queue))
	to := p.queue[:n:n]
	p.queue = p.queue[n:]
	return to
}

func (p *payerXMR) putBack(to []fixture.Output) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(to, p.queue...)
}

func (p *payerXMR) remember(tx *sentXMR) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, tx)
}

// send hands a transaction to the daemon, dead or not, until it is mined. It gives up
// after maxWait, and leaves the transaction to the chain.
func (p *payerXMR) send(ctx context.Context, tx fixture.Sent) {
	for deadline := time.Now().Add(maxWait); time.Now().Before(deadline); {
		found, err := p.chain.Where(ctx, tx.Hash)
		switch {
		case err == nil && found.State == monero.Mined:
			return
		case err == nil && found.State == monero.Missed:
			_ = p.chain.Send(ctx, tx.Blob) // the next Where finds the outcome
		}
		fixture.Do(fixture.Pause(ctx, time.Second))
	}
}

// arrived is what a chain holds for an address.
type arrived[Amount any] struct {
	amount Amount
	// txHash and height are those of the last transaction.
	txHash string
	height int64
}

// arrived asks the chain for all payments, by address. It sends a payment again
// that is not in a block.
func (p *payerXMR) arrived(ctx context.Context) map[string]arrived[money.Piconero] {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[string]arrived[money.Piconero]{}
	for _, tx := range p.sent {
		found := fixture.Must(p.chain.Where(ctx, tx.Hash))
		if found.State != monero.Mined {
			_ = p.chain.Send(ctx, tx.Blob) // it may be void: another was mined that spends the same
			continue
		}
		for _, d := range tx.to {
			all[d.Address] = arrived[money.Piconero]{all[d.Address].amount + d.Amount, tx.Hash, int64(found.Height)}
		}
	}
	return all
}

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
	for deadline := time.Now().Add(maxWait); time.Now().Before(deadline); {
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
