package exchange

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/durapay/durapay/internal/postgres/db"
)

// BalanceReader are what the quoter reads of a wallet: the queries of the database, or
// what they answered lately.
type BalanceReader interface {
	GetExchangeWallet(ctx context.Context, walletID string) (db.ExchangeWallet, error)
	ReservedInventory(ctx context.Context, walletID string) (db.ReservedInventoryRow, error)
}

const (
	// recent is for how long quotes go by the same reading.
	recent = time.Second
	// readTime bounds a reading, which many requests may wait for.
	readTime = 5 * time.Second
)

// RecentBalances read a wallet once a second, however many quotes are asked
// for. A quote binds nobody, so it may go by what was true a second ago. A
// trade is never made on them. Errors are not kept. They are safe for
// concurrent use.
type RecentBalances struct {
	reader BalanceReader
	now    func() time.Time

	reading singleflight.Group
	mu      sync.RWMutex
	pages   map[string]page
}

// page is what was read of a wallet.
type page struct {
	wallet   db.ExchangeWallet
	reserved db.ReservedInventoryRow
	at       time.Time
}

// NewRecentBalances remembers what books say, by the clock now.
func NewRecentBalances(reader BalanceReader, now func() time.Time) *RecentBalances {
	return &RecentBalances{reader: reader, now: now, pages: map[string]page{}}
}

// GetExchangeWallet is the wallet as it was last seen.
func (b *RecentBalances) GetExchangeWallet(ctx context.Context, walletID string) (db.ExchangeWallet, error) {
	p, err := b.page(ctx, walletID)
	return p.wallet, err
}

// ReservedInventory is what is kept of the wallet's coin.
func (b *RecentBalances) ReservedInventory(ctx context.Context, walletID string) (db.ReservedInventoryRow, error) {
	p, err := b.page(ctx, walletID)
	return p.reserved, err
}

// page is what was read of the wallet, now or within the last second. Those
// who ask at the same time wait for one reading.
func (b *RecentBalances) page(ctx context.Context, walletID string) (page, error) {
	if p, recently := b.lately(walletID); recently {
		return p, nil
	}
	reading := b.reading.DoChan(walletID, func() (any, error) {
		// A reading may have ended since.
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

// lately is the page, if it was read lately.
func (b *RecentBalances) lately(walletID string) (page, bool) {
	b.mu.RLock()
	p, known := b.pages[walletID]
	b.mu.RUnlock()
	return p, known && b.now().Sub(p.at).Abs() < recent
}

// read reads a page. It is as old as the begin of its reading.
func (b *RecentBalances) read(ctx context.Context, walletID string) (page, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	p := page{at: b.now()}
	var err error
	if p.wallet, err = b.reader.GetExchangeWallet(ctx, walletID); err != nil {
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
