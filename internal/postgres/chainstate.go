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

// ChainState is the progress of a mode's wallets on the chain: whether each wallet was
// scanned recently, and the number of blocks that the slowest wallet has scanned.
type ChainState = db.ChainStateRow

// ChainState reads the progress of a mode's wallets on the chain.
func (s *Store) ChainState(ctx context.Context, mode config.Mode, now time.Time) (ChainState, error) {
	return s.Queries.ChainState(ctx, db.ChainStateParams{Mode: string(mode), Since: now.Add(-scanAge)})
}
