package refund

import "time"

// Custody is who holds the money of a refund's charge, and so pays its claims.
type Custody string

// The custodies.
const (
	// Hosted: a payout of the service pays each claim.
	Hosted Custody = "hosted"
	// Own: the charge was paid to the shop's own wallet. The shop pays each claim from there,
	// and the chain proves it.
	Own Custody = "own"
)

// Depths of a shop's payment, in blocks.
const (
	// shopConfirmations completes a claim, as a payout's does.
	shopConfirmations = 10
	// shopSettled is how deep no reorganization is expected.
	shopSettled = 60
)

// mayReturn is how long a payment may come back that neither the chain nor the pool has.
// Daemons keep a transaction in the pool for at most as long (CRYPTONOTE_MEMPOOL_TX_FROM_ALT_BLOCK_LIVETIME).
const mayReturn = 7 * 24 * time.Hour

// ShopPayment is the payment of a claim from the shop's own wallet, as it was last seen.
type ShopPayment struct {
	// Height is that of its block; nil for none.
	Height *int64
	// VanishedAt is since when neither the chain nor the pool has it; nil if one does.
	VanishedAt *time.Time
	// Drops is how often it has left both.
	Drops int32
	// EndedAt is since when nothing more can happen to it; nil if something can.
	EndedAt *time.Time
}

// Seen is where a daemon has a transaction.
type Seen struct {
	// Known reports whether the chain or the pool has it.
	Known bool
	// Height is that of its block; nil in the pool. Depth is 1 in the highest block.
	Height *int64
	Depth  int64
}

// Follow returns a payment after a look at the chain, and the state of the claim that it
// pays. A second look at the same place changes nothing.
func (p ShopPayment) Follow(seen Seen, now time.Time) (ShopPayment, Status) {
	p.Height = seen.Height
	if !seen.Known {
		if p.VanishedAt == nil {
			p.VanishedAt, p.Drops = &now, p.Drops+1
		}
		if !now.Before(p.VanishedAt.Add(mayReturn)) {
			p.EndedAt = &now
		}
		return p, AwaitingPayment
	}
	p.VanishedAt = nil
	switch {
	case seen.Height == nil || seen.Depth < shopConfirmations:
		return p, InProgress
	case seen.Depth >= shopSettled:
		p.EndedAt = &now
	}
	return p, Completed
}
