package exchange

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/durapay/durapay/internal/postgres/db"
)

// BalanceReader reads a wallet's balance for the quoter: the queries of the database,
// or their recent results.
type BalanceReader interface {
	GetWallet(ctx context.Context, walletID string) (db.Wallet, error)
	ReservedInventory(ctx context.Context, walletID string) (db.ReservedInventoryRow, error)
}

const (
	// recent is how long quotes use the same reading.
	recent = time.Second
	// readTime bounds a reading, because many requests may wait for it.
	readTime = 5 * time.Second
)

// RecentBalances reads a wallet at most once a second, however many quotes are
// requested. A quote is not binding, so it may use a balance that is a second old. A
// trade is never made on these balances. Errors are not cached. It is safe for
// concurrent use.
type RecentBalances struct {
	reader BalanceReader
	now    func() time.Time

	reading singleflight.Group
	mu      sync.RWMutex
	pages   map[string]page
}

// page is one reading of a wallet.
type page struct {
	wallet   db.Wallet
	reserved db.ReservedInventoryRow
	at       time.Time
}

// NewRecentBalances returns a cache of reader's results, by the clock now.
func NewRecentBalances(reader BalanceReader, now func() time.Time) *RecentBalances {
	return &RecentBalances{reader: reader, now: now, pages: map[string]page{}}
}

// GetWallet returns the wallet as of its last reading.
func (b *RecentBalances) GetWallet(ctx context.Context, walletID string) (db.Wallet, error) {
	p, err := b.page(ctx, walletID)
	return p.wallet, err
}

// ReservedInventory returns how much of the wallet's coin is reserved.
func (b *RecentBalances) ReservedInventory(ctx context.Context, walletID string) (db.ReservedInventoryRow, error) {
	p, err := b.page(ctx, walletID)
	return p.reserved, err
}

// page returns a reading of the wallet that is at most a second old. Callers that need
// one at the same time wait for the same reading.
func (b *RecentBalances) page(ctx context.Context, walletID string) (page, error) {
	if p, recently := b.lately(walletID); recently {
		return p, nil
	}
	reading := b.reading.DoChan(walletID, func() (any, error) {
		// Another caller may have finished a reading since.
		if p, recently := b.lately(walletID); recently {
			return p, nil
		}
		return b.read(context.WithoutCancel(ctx), walletID)
	})
	select {
	case read := <-reading:
		p, _ := read.Val.(page)
		return p, read.Err
	case <-ctx.Done():
		return page{}, ctx.Err()
	}
}

// lately returns the stored page, and true if it is recent enough to use.
func (b *RecentBalances) lately(walletID string) (page, bool) {
	b.mu.RLock()
	p, known := b.pages[walletID]
	b.mu.RUnlock()
	return p, known && b.now().Sub(p.at).Abs() < recent
}

// read reads a page. The age of the page counts from the start of the reading.
func (b *RecentBalances) read(ctx context.Context, walletID string) (page, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	p := page{at: b.now()}
	var err error
	if p.wallet, err = b.reader.GetWallet(ctx, walletID); err != nil {
		return page{}, err
	}
	if p.reserved, err = b.reader.ReservedInventory(ctx, walletID); err != nil {
		return page{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages[walletID] = p
	return p, nil
}
