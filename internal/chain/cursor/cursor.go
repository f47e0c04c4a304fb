// Package cursor is what the wallets remember in a chain.Cursor: from where to
// list next, and every deposit that was told and could still change. What a
// wallet shows now, compared with that memory, gives what changed.
package cursor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
)

// Memory is the content of a cursor.
type Memory struct {
	// From is where the wallet lists from next, in its own terms.
	From string `json:"from"`
	// Height is the tip's height when the cursor was made.
	Height uint64 `json:"height"`
	// Open are the deposits in the pool, those less deep than chain.Depth, and
	// those that are locked, however deep: when they can be spent is news.
	Open []chain.Deposit `json:"open,omitempty"`
}

// Parse reads a cursor; the empty one is an empty memory.
func Parse(c chain.Cursor) (Memory, error) {
	var m Memory
	if c == "" {
		return m, nil
	}
	if err := json.Unmarshal([]byte(c), &m); err != nil {
		return Memory{}, fmt.Errorf("chain: the cursor cannot be read: %w", err)
	}
	return m, nil
}

// Text writes the cursor.
func (m Memory) Text() (chain.Cursor, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("chain: cursor: %w", err)
	}
	return chain.Cursor(b), nil
}

// CheckTip refuses a chain that is shorter than it was: no reorganization
// makes it so, but a daemon that lost its last blocks in a crash does, and it
// would show deposits as gone that are not.
func (m Memory) CheckTip(height uint64) error {
	if height < m.Height {
		return fmt.Errorf("%w: %d blocks, there were %d", chain.ErrLagging, height, m.Height)
	}
	return nil
}

// key identifies a deposit.
type key struct{ txHash, address string }

func keyOf(d chain.Deposit) key { return key{d.TxHash, d.Address} }

// Next compares what there is now, at a tip's height, with the memory. It
// returns what changed, the vanished first and then in the order of blocks
// with the pool last, and the memory for the next time.
func (m Memory) Next(from string, height uint64, now []chain.Deposit) ([]chain.Deposit, Memory) {
	before := make(map[key]chain.Deposit, len(m.Open))
	for _, d := range m.Open {
		before[keyOf(d)] = d
	}
	next := Memory{From: from, Height: height}
	var changed []chain.Deposit
	for _, d := range now {
		was, told := before[keyOf(d)]
		delete(before, keyOf(d))
		if !told || differ(was, d) {
			changed = append(changed, d)
		}
		if d.Confirmations <= chain.Depth || d.Locked {
			d.Origins = nil // they would fill the cursor
			next.Open = append(next.Open, d)
		}
	}
	for _, d := range before {
		d.Gone = true
		changed = append(changed, d)
	}
	slices.SortFunc(changed, inOrder)
	slices.SortFunc(next.Open, inOrder)
	return changed, next
}

// differ looks at what can change.
func differ(a, b chain.Deposit) bool {
	return a.Height != b.Height || a.Confirmations != b.Confirmations || a.Amount != b.Amount ||
		a.Locked != b.Locked || a.Contested != b.Contested
}

func inOrder(a, b chain.Deposit) int {
	place := func(d chain.Deposit) uint64 {
		switch {
		case d.Gone:
			return 0
		case d.Height == 0:
			return ^uint64(0)
		}
		return d.Height
	}
	return cmp.Or(
		cmp.Compare(place(a), place(b)), a.Seen.Compare(b.Seen),
		cmp.Compare(a.TxHash, b.TxHash), cmp.Compare(a.Address, b.Address),
	)
}
