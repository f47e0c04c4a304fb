package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
)

// simulate changes the chain of a simulated charge. Its watcher will then scan the
// chain.
func (s *Store) simulate(ctx context.Context, chargeID string, change func(q *db.Queries, c *db.SimulatedChain) error) error {
	err := s.Tx(ctx, func(q *db.Queries) error {
		c, err := q.LockSimulatedChain(ctx, chargeID)
		if err != nil {
			return notFound(err)
		}
		if err := change(q, &c); err != nil {
			return err
		}
		return q.SaveSimulatedChain(ctx, db.SaveSimulatedChainParams{WalletID: c.WalletID, Height: c.Height, Forks: c.Forks})
	})
	if err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	return nil
}

// SimulatePayment pays an amount to a simulated charge. With blocks it puts the
// payment into a block and adds blocks up to that depth, but leaves other payments in
// the pool. It returns ErrNotFound for a charge that is not simulated, and
// charge.ErrSimulatedPayments for one with the maximum number of payments.
func (s *Store) SimulatePayment(ctx context.Context, chargeID string, amount money.Piconero, blocks int32, now time.Time) error {
	var hash [32]byte
	_, _ = rand.Read(hash[:]) // it never fails: the process would crash instead
	return s.simulate(ctx, chargeID, func(q *db.Queries, c *db.SimulatedChain) error {
		before, err := q.SimulatedPayments(ctx, c.WalletID)
		if err != nil {
			return err
		}
		if len(before) >= charge.MostSimulatedPayments {
			return charge.ErrSimulatedPayments
		}
		row := db.InsertSimulatedPaymentParams{TxHash: hex.EncodeToString(hash[:]), WalletID: c.WalletID, Amount: amount, CreatedAt: now}
		if blocks > 0 {
			row.Height = new(c.Height)
			c.Height += int64(blocks)
		}
		return q.InsertSimulatedPayment(ctx, row)
	})
}

// SimulateBlocks adds blocks to the chain. The first one includes all payments in the
// pool.
func (s *Store) SimulateBlocks(ctx context.Context, chargeID string, blocks int32) error {
	return s.simulate(ctx, chargeID, func(q *db.Queries, c *db.SimulatedChain) error {
		first := c.Height
		c.Height += int64(blocks)
		return q.MineSimulatedPayments(ctx, db.MineSimulatedPaymentsParams{WalletID: c.WalletID, Height: first})
	})
}

// SimulateReorganization replaces the blocks from the first one that contains a
// payment on by one block more than there were. It puts the payments back into the
// pool, or drops them. It returns charge.ErrReorganizations for a chain with the
// maximum number of reorganizations.
func (s *Store) SimulateReorganization(ctx context.Context, chargeID string, drop bool) error {
	return s.simulate(ctx, chargeID, func(q *db.Queries, c *db.SimulatedChain) error {
		if len(c.Forks) >= charge.MostReorganizations {
			return charge.ErrReorganizations
		}
		payments, err := q.SimulatedPayments(ctx, c.WalletID)
		if err != nil {
			return err
		}
		from := c.Height - 1
		for _, p := range payments {
			if p.Height != nil {
				from = min(from, *p.Height)
			}
		}
		c.Height, c.Forks = c.Height+1, append(c.Forks, from)
		return q.UnmineSimulatedPayments(ctx, db.UnmineSimulatedPaymentsParams{WalletID: c.WalletID, Drop: drop})
	})
}

// SimulateExpiry ends the payment window of a pending charge now, and writes a
// wakeup.
func (s *Store) SimulateExpiry(ctx context.Context, chargeID string, now time.Time) error {
	return s.simulate(ctx, chargeID, func(q *db.Queries, _ *db.SimulatedChain) error {
		if _, err := q.ExpireCharge(ctx, db.ExpireChargeParams{ID: chargeID, Now: now}); err != nil {
			return err
		}
		return q.WakeCharges(ctx, []string{chargeID})
	})
}
