// Package witnesstest lets tests give out addresses and send without the processes
// that keep the marks.
package witnesstest

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
)

// all is the end of the lease that Open opens.
const all = 1 << 30

// Open lets every address of the wallets be given out.
func Open(tb testing.TB, store *postgres.Store, walletIDs ...string) {
	tb.Helper()
	for _, id := range walletIDs {
		_, err := store.Pool().Exec(tb.Context(), `INSERT INTO witnesses (wallet_id, begun_at, addresses, lease_to, lease_instance, lease_copy)
			VALUES ($1, now(), $2, $2, database_instance(), database_copy())
			ON CONFLICT (wallet_id) DO UPDATE SET begun_at = now(), addresses = $2, lease_to = $2, lease_instance = database_instance(),
				lease_copy = database_copy()`, id, all)
		require.NoError(tb, err)
	}
}

// Take has the next address of a wallet handed out and returns its index. It returns
// pgx.ErrNoRows if no address is handed out.
func Take(ctx context.Context, store *postgres.Store, walletID string) (int32, error) {
	next, err := store.HandOutAddresses(ctx, db.HandOutAddressesParams{WalletID: walletID, Most: 1})
	if err != nil || len(next) == 0 {
		return 0, cmp.Or(err, pgx.ErrNoRows)
	}
	return next[0].SubaddressIndex, nil
}

// Keeper returns a keeper of wallets whose marks are in memory and whose chains are
// empty.
func Keeper(store *postgres.Store, walletIDs ...string) *witness.Keeper {
	k := &witness.Keeper{Store: store, Wallets: map[string]witness.Wallet{}, Clock: time.Now, Log: slog.New(slog.DiscardHandler)}
	for _, id := range walletIDs {
		k.Wallets[id] = witness.Wallet{File: &Memory{Called: "file"}, Temporal: &Memory{Called: "temporal"}, Chain: &Chain{}}
	}
	return k
}

// Opened returns a Keeper of wallets that were opened with Open.
func Opened(store *postgres.Store, walletIDs ...string) *witness.Keeper {
	k := Keeper(store, walletIDs...)
	for _, w := range k.Wallets {
		for _, p := range w.Places() {
			if m, ok := p.(*Memory); ok {
				m.Set(witness.Mark{Addresses: all})
			}
		}
	}
	return k
}

// Memory is a place in memory. It is safe for concurrent use.
type Memory struct {
	Called string

	mu      sync.Mutex
	mark    witness.Mark
	entries map[string]witness.Entry
	down    error
	raises  int
}

var _ witness.Lister = &Memory{}

// Name returns the name in Called.
func (m *Memory) Name() string { return m.Called }

// Read returns the mark.
func (m *Memory) Read(context.Context) (witness.Mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mark, m.down
}

// Raise raises the mark.
func (m *Memory) Raise(_ context.Context, to witness.Mark, e *witness.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down != nil {
		return m.down
	}
	m.mark = m.mark.Max(to)
	m.raises++
	if e != nil {
		if m.entries == nil {
			m.entries = map[string]witness.Entry{}
		}
		m.entries[e.TxHash] = *e
	}
	return nil
}

// Journal returns the recorded entries.
func (m *Memory) Journal(_ context.Context, hashes []string) (map[string]witness.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := map[string]witness.Entry{}
	for _, h := range hashes {
		if e, ok := m.entries[h]; ok {
			list[h] = e
		}
	}
	return list, m.down
}

// Since returns the recorded entries above a number.
func (m *Memory) Since(_ context.Context, seq int64) ([]witness.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []witness.Entry
	for _, e := range m.entries {
		if e.Seq > seq {
			list = append(list, e)
		}
	}
	return list, m.down
}

// Break makes it answer with an error; nil repairs it.
func (m *Memory) Break(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = err
}

// Set replaces its mark, as an older copy would have it.
func (m *Memory) Set(to witness.Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mark = to
}

// Forget removes its mark and entries.
func (m *Memory) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mark, m.entries = witness.Mark{}, nil
}

// Raises returns the number of successful calls of Raise.
func (m *Memory) Raises() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.raises
}

// Chain is a chain in memory. It is safe for concurrent use.
type Chain struct {
	mu       sync.Mutex
	sent     []witness.Sent
	received []witness.Received
	pool     []witness.Sent
	missing  map[string]bool
	inputs   map[string]chain.InputState
	released []string
	tip      int64
	down     error
}

var _ witness.Chain = &Chain{}

// SentSince lists the transactions from Show above the height, and with the pool those
// from Wait.
func (c *Chain) SentSince(_ context.Context, height int64, by witness.Asking) ([]witness.Sent, int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []witness.Sent
	for _, s := range c.sent {
		if s.Height == 0 || int64(s.Height) > height {
			list = append(list, s)
		}
	}
	if by == witness.WithPool {
		list = append(list, c.pool...)
	}
	return list, c.tip, c.down
}

// Wait puts a transaction into the pool.
func (c *Chain) Wait(txHash string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pool = append(c.pool, witness.Sent{TxHash: txHash})
}

// Miss removes a transaction from the daemon.
func (c *Chain) Miss(txHash string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.missing == nil {
		c.missing = map[string]bool{}
	}
	c.missing[txHash] = true
}

// Transaction returns meaningless bytes.
func (c *Chain) Transaction(_ context.Context, txHash string) ([]byte, []string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.missing[txHash] {
		return nil, nil, witness.ErrMissing
	}
	return []byte(txHash), []string{"input of " + txHash}, nil
}

// Find returns the state of a transaction from Show or Wait, unless another
// transaction in a block spends its coins.
func (c *Chain) Find(_ context.Context, b chain.Built) (chain.Found, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	txHash := b.TxHash
	found := chain.Found{}
	for _, s := range append(slices.Clone(c.sent), c.pool...) {
		switch {
		case s.TxHash != txHash:
		case s.Height > 0:
			return chain.Found{State: chain.Mined, Height: s.Height, Confirmations: uint64(c.tip) - s.Height + 1}, c.down
		case c.inputs[txHash] == chain.InputsFree:
			found.State = chain.InPool
		}
	}
	found.Inputs = c.inputs[txHash]
	return found, c.down
}

// Lose makes another transaction in a block spend the coins of this one, whose bytes
// the daemon keeps.
func (c *Chain) Lose(txHash string) { c.spend(txHash, chain.InputsSpent) }

// Contest makes another transaction in the pool spend the coins of this one.
func (c *Chain) Contest(txHash string) { c.spend(txHash, chain.InputsContested) }

// Orphan makes this transaction spend from one that is in no block and no pool.
func (c *Chain) Orphan(txHash string) { c.spend(txHash, chain.InputsMissing) }

func (c *Chain) spend(txHash string, state chain.InputState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inputs == nil {
		c.inputs = map[string]chain.InputState{}
	}
	c.inputs[txHash] = state
}

// Release records that the wallet forgot a transaction.
func (c *Chain) Release(_ context.Context, b chain.Built) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.released = append(c.released, b.TxHash)
	return c.down
}

// Released returns the hashes of the transactions that the wallet forgot.
func (c *Chain) Released() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.released)
}

// Spent returns the list that Receive set.
func (c *Chain) Spent(context.Context, []string) ([]witness.Received, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.received, nil
}

// Receive sets the payments that every transaction spends.
func (c *Chain) Receive(list ...witness.Received) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = list
}

// Show adds a transaction.
func (c *Chain) Show(s witness.Sent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, s)
	c.tip = max(c.tip, int64(s.Height))
	delete(c.missing, s.TxHash)
}

// Unmine puts a transaction from Show into the pool, and returns it as it was.
func (c *Chain) Unmine(txHash string) (was witness.Sent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = slices.DeleteFunc(c.sent, func(s witness.Sent) bool {
		if s.TxHash == txHash {
			was = s
		}
		return s.TxHash == txHash
	})
	c.pool = append(c.pool, witness.Sent{TxHash: txHash})
	return was
}

// Break makes it answer with an error; nil repairs it.
func (c *Chain) Break(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = err
}
