package postgres

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
)

// scanAge is how old the last scan of a wallet that follows the chain may be. A
// watcher scans every few seconds, and does not while its daemon is behind.
const scanAge = 2 * time.Minute

// ChainState says how the wallets of a mode follow the chain.
type ChainState struct {
	// Synchronized is set when each was scanned lately.
	Synchronized bool
	// Height is the number of blocks that the slowest has scanned.
	Height int64
}

// ChainState reads how the wallets of a mode follow the chain.
func (s *Store) ChainState(ctx context.Context, mode config.Mode, now time.Time) (ChainState, error) {
	row, err := s.Queries.ChainState(ctx, db.ChainStateParams{Mode: string(mode), Since: now.Add(-scanAge)})
	return ChainState{row.Synchronized, row.Height}, err
}
