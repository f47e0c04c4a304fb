package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/monero"
)

// forkedCharge is one whose payment lies so deep when the chain is superseded.
type forkedCharge struct {
	clients.Charge

	depth int
	tx    fixture.Sent
	// moves is true when the other chain holds the payment too, in its last block;
	// else that chain spends the same money in another transaction.
	moves bool
}

const (
	// deepestCharge is how deep the first payment lies; one lies at every depth
	// above it.
	deepestCharge = 20
	// movedDepth is where a second payment lies, which both chains hold.
	movedDepth = 5
)

// forkedCharges are a shop's charges on a chain that is superseded, deepest
// first.
type forkedCharges struct {
	*shop

	f    *forked
	list []*forkedCharge
}

func (f *forked) openForkedCharges(t *testing.T) *forkedCharges {
	t.Helper()
	c := &forkedCharges{shop: openShop(t, f.merchants), f: f}
	for depth := deepestCharge; depth >= 1; depth-- {
		c.list = append(c.list, &forkedCharge{Charge: c.charge(t, "0.2"), depth: depth})
		if depth == movedDepth {
			c.list = append(c.list, &forkedCharge{Charge: c.charge(t, "0.2"), depth: depth, moves: true})
		}
	}
	return c
}

// pay brings each payment to its depth.
func (c *forkedCharges) pay(t *testing.T) {
	t.Helper()
	for depth := deepestCharge; depth >= 1; depth-- {
		for _, each := range c.list {
			if each.depth == depth {
				require.NoError(t, c.testbed.Chain.Send(within(t), each.tx.Blob))
				c.testbed.awaitPassedOn(t, each.tx.Hash)
				c.await(t, "charge.pending", each.ID)
			}
		}
		c.mine(t, 1)
	}
	top, err := c.testbed.Chain.Height(within(t))
	require.NoError(t, err)
	for _, each := range c.list {
		found, err := c.testbed.Chain.Where(within(t), each.tx.Hash)
		require.NoError(t, err)
		require.Equal(t, monero.Mined, found.State)
		require.EqualValues(t, each.depth, top-found.Height)
		if each.depth >= forkConfirmations {
			c.await(t, "charge.confirmed", each.ID)
		}
	}
}

// sign makes the payments, of what both chains have now.
func (c *forkedCharges) sign(t *testing.T) {
	t.Helper()
	for _, each := range c.list {
		var err error
		each.tx, err = c.testbed.Customer.Sign(within(t), fixture.Output{Address: each.Subaddress, Amount: each.AmountXMR})
		require.NoError(t, err)
		c.sent[each.ID] += each.AmountXMR
	}
}

// takeBack gives the other chain what it holds in place of the payments.
func (c *forkedCharges) takeBack(t *testing.T) {
	t.Helper()
	payer := c.f.copyOf("customer")
	to, err := c.testbed.Customer.Address(within(t))
	require.NoError(t, err)
	for _, each := range c.list {
		if !each.moves {
			_, err := payer.TakeBack(within(t), each.tx.Hash, to)
			require.NoError(t, err)
		}
	}
}

// move gives the other chain the payments that it holds too.
func (c *forkedCharges) move(t *testing.T) {
	t.Helper()
	for _, each := range c.list {
		if each.moves {
			require.NoError(t, c.f.fork.There().Send(within(t), each.tx.Blob))
			require.NoError(t, c.f.fork.There().MineInto(within(t), each.tx.Hash))
		}
	}
}

// check says of every charge what the contract does, once the chain was
// superseded.
func (c *forkedCharges) check(t *testing.T) {
	t.Helper()
	last := c.charge(t, "0.1")
	c.shop.pay(t, last)
	c.mine(t, 1)
	for _, each := range c.list {
		if !each.moves {
			c.f.requireKept(t, each.tx.Hash)
		}
	}
	// By now the lost payments would be deep enough, where they were.
	c.mineUntil(t, "charge.confirmed", last.ID)
	c.mine(t, forkConfirmations)
	c.checkMoved(t)
	for _, each := range c.list {
		c.void[each.ID] = !each.moves
		switch {
		case each.moves:
		case each.depth < forkConfirmations:
			c.checkNeverConfirmed(t, each)
		default:
			c.testbed.awaitNotice(t, alert.ChargeUnbacked, each.ID)
		}
	}
	c.checkSwept(t)
}

func (c *forkedCharges) checkNeverConfirmed(t *testing.T, each *forkedCharge) {
	t.Helper()
	now, err := c.Charge(within(t), each.ID)
	require.NoError(t, err)
	require.Equal(t, "pending", now.Status, "its payment lay %d blocks deep", each.depth)
	require.Zero(t, now.Confirmations)
	for _, q := range c.Hooks.Requests() {
		require.False(t, fixture.EventOf("charge.confirmed", each.ID)(q), "its payment lay %d blocks deep", each.depth)
	}
}

// checkMoved requires that payments that came into another block are confirmed from there on.
func (c *forkedCharges) checkMoved(t *testing.T) {
	t.Helper()
	for _, each := range c.list {
		if !each.moves {
			continue
		}
		done := c.mineUntil(t, "charge.confirmed", each.ID)
		require.GreaterOrEqual(t, done.Confirmations, forkConfirmations)
		found, err := c.testbed.Chain.Where(within(t), each.tx.Hash)
		require.NoError(t, err)
		require.Equal(t, monero.Mined, found.State)
	}
}

// checkSwept sweeps, and requires that it pays the payments that moved and not the lost ones.
func (c *forkedCharges) checkSwept(t *testing.T) {
	t.Helper()
	c.unlock(t)
	p, err := c.trySweep(t)
	require.NoError(t, err)
	require.Equal(t, 2, p.ChargesPaid, "the moved payment's and the last")
	for _, each := range c.list {
		now, err := c.Charge(within(t), each.ID)
		require.NoError(t, err)
		require.Equal(t, each.moves, now.PayoutID != nil, "its payment lay %d blocks deep", each.depth)
	}
}
