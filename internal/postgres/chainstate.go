package postgres

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
)

// scanAge is the maximum age of the last scan of a wallet that follows the
// chain. A watcher scans every few seconds, but not while its daemon is behind.
const scanAge = 2 * time.Minute

// ChainState is the progress of a mode's wallets on the chain.
type ChainState struct {
	// Synchronized reports whether each wallet was scanned recently.
	Synchronized bool
	// Height is the number of blocks that the slowest wallet has scanned.
	Height int64
}

// ChainState reads the progress of a mode's wallets on the chain.
func (s *Store) ChainState(ctx context.Context, mode config.Mode, now time.Time) (ChainState, error) {
	row, err := s.Queries.ChainState(ctx, db.ChainStateParams{Mode: string(mode), Since: now.Add(-scanAge)})
	return ChainState{row.Synchronized, row.Height}, err
}
