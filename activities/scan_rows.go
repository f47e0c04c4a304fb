package activities

import (
	"context"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// reorgSlack is by how many blocks a payment may lie below the height at which
// its charge or trade was made: a reorganization can put it there.
const reorgSlack = 10

// cameBefore says whether a payment was in the chain before its receiver was
// made. Then it is somebody else's: the address was handed out twice.
func cameBefore(place watch.Place, createdHeight *int64) bool {
	return place.Height != nil && createdHeight != nil && int64(*place.Height) < *createdHeight-reorgSlack
}

func unsigned(height *int64) *uint64 {
	if height == nil {
		return nil
	}
	h := uint64(*height)
	return &h
}

func checkpoint(ctx context.Context, store *postgres.Store, walletID string, below uint64) (uint64, string, error) {
	row, err := store.CheckpointBelow(ctx, db.CheckpointBelowParams{WalletID: walletID, Height: int64(below)})
	if postgres.IsNotFound(err) {
		return 0, "", nil
	}
	return uint64(row.Height), row.Hash, err
}

func saveCheckpoints(ctx context.Context, q *db.Queries, walletID string, found watch.Scanned) error {
	if found.After.Settled < found.Before.Settled {
		if err := q.DropCheckpoints(ctx, db.DropCheckpointsParams{WalletID: walletID, Above: int64(found.After.Settled)}); err != nil {
			return err
		}
	}
	if found.Checkpoint.Height == 0 {
		return nil
	}
	return q.SaveCheckpoint(ctx, db.SaveCheckpointParams{
		WalletID: walletID, Height: int64(found.Checkpoint.Height), Hash: found.Checkpoint.Hash,
	})
}

// signedHeight is a height for the queries, which take -1 for none.
func signedHeight(height *uint64) int64 {
	if height == nil {
		return -1
	}
	return int64(*height)
}
