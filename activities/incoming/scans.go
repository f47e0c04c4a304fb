package incoming

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// report reports a scan to the metrics, and returns the scan's error. While a wallet or
// the daemon lags, the time of the last scan gets older.
func report(
	ctx context.Context, looked func(string, int64, time.Time), chainID string, store watch.Store, found watch.Scanned, err error,
) error {
	if err == nil {
		looked(chainID, int64(found.Behind), found.Now)
		return nil
	}
	lag, lags := errors.AsType[*chain.LagError](err)
	if !lags {
		return err
	}
	last, stateErr := store.State(ctx)
	if stateErr == nil && last.ScannedAt != nil {
		looked(chainID, int64(lag.Blocks), *last.ScannedAt)
	}
	return err
}

// pageBlocks is how many blocks a scan reads. So many of the main network take seconds.
const pageBlocks = 100

// unknownForm keeps the alert about a chain that a scan cannot read.
type unknownForm struct {
	store   *postgres.Store
	chainID string
	// open is set while the alert may be open.
	open bool
}

// report opens the alert if a scan has failed for that reason, and resolves it after the next
// one that succeeds.
func (f *unknownForm) report(ctx context.Context, scan error) error {
	unknown := errors.Is(scan, chain.ErrForm)
	if !unknown && (scan != nil || !f.open) {
		return nil //nolint:nilerr // the caller returns it
	}
	why := ""
	if f.open = unknown; unknown {
		why = scan.Error()
	}
	return sending.Alert(ctx, f.store.Queries, alert.ChainUnknown, f.chainID, why)
}

// olderFile alerts operators to a wallet file that is older than the database.
func (s *payments) olderFile(ctx context.Context) error {
	return sending.Alert(ctx, s.store.Queries, alert.WalletOlder, s.chainID,
		"the wallet did not know addresses that were handed out: it makes them and reads the chain again")
}

// adopted returns watch.ErrSuperseded if an operator has said, while a wallet read the
// chain with its addresses up to a number, that other copies of the database gave out more.
// The chain's row is locked.
func (s *payments) adopted(ctx context.Context, q *db.Queries, upTo uint64) error {
	more, err := q.LostAbove(ctx, db.LostAboveParams{WalletIds: s.wallets, UpTo: int64(upTo)})
	if err == nil && more {
		err = watch.ErrSuperseded
	}
	return err
}

// each returns a part of each element of a list.
func each[T, Part any](list []T, part func(T) Part) []Part {
	parts := make([]Part, len(list))
	for i, one := range list {
		parts[i] = part(one)
	}
	return parts
}

func hashOf(p watch.Payment) string { return p.TxHash }

// ChainTask names a chain.
type ChainTask struct {
	ChainID string
}

// WalletTask names a wallet.
type WalletTask struct {
	WalletID string
}

// shift is how long one run of a long activity lasts, so that its workflow gets a fresh
// history from time to time.
const shift = time.Hour

// reorgSlack is how many blocks below the height at which its charge or trade was made a
// payment may lie: a reorganization can put it there.
const reorgSlack = 10

// cameBefore reports whether a payment was in the chain before its receiver was made.
// Then it belongs to an earlier receiver: the address was handed out twice.
func cameBefore(place watch.Place, createdHeight *int64) bool {
	return place.Height != nil && createdHeight != nil && int64(*place.Height) < *createdHeight-reorgSlack
}

// unsigned returns a height of a row; nil if the row has none.
func unsigned(height *int64) *uint64 {
	if height == nil {
		return nil
	}
	h := uint64(*height)
	return &h
}

// Checkpoint returns the chain's highest checkpoint below a height, with the hash of its
// block; 0 and an empty hash if there is none.
func (s *payments) Checkpoint(ctx context.Context, below uint64) (uint64, string, error) {
	row, err := s.store.CheckpointBelow(ctx, db.CheckpointBelowParams{ChainID: s.chainID, Height: int64(below)})
	if postgres.IsNotFound(err) {
		return 0, "", nil
	}
	return uint64(row.Height), row.Hash, err
}

// FirstCheckpoint returns the height of the chain's lowest checkpoint; 0 if there is none.
func (s *payments) FirstCheckpoint(ctx context.Context) (uint64, error) {
	height, err := s.store.FirstCheckpoint(ctx, s.chainID)
	return uint64(height), err
}

// saveCheckpoints stores the checkpoint of a scan, and deletes checkpoints that the scan
// found to be of another chain. A second run changes nothing.
func (s *payments) saveCheckpoints(ctx context.Context, q *db.Queries, found watch.Scanned) error {
	if found.After.Settled < found.Before.Settled {
		if err := q.DropCheckpoints(ctx, db.DropCheckpointsParams{ChainID: s.chainID, Above: int64(found.After.Settled)}); err != nil {
			return err
		}
	}
	if found.Checkpoint.Height == 0 {
		return nil
	}
	return q.SaveCheckpoint(ctx, db.SaveCheckpointParams{
		ChainID: s.chainID, Height: int64(found.Checkpoint.Height), Hash: found.Checkpoint.Hash,
	})
}

// signedHeight returns a height for the queries, which take -1 for none.
func signedHeight(height *uint64) int64 {
	if height == nil {
		return -1
	}
	return int64(*height)
}

// dropped returns the sent transactions that have left the blocks in which they were
// confirmed: a reorganization that is deeper than they are drops them. After each new block it asks for all of them in blocks that are not settled,
// a hundred at a time. The scan settles blocks in the transaction that stores its
// consequences, so no transaction is missed.
func (s *payments) dropped(ctx context.Context, found watch.Scanned) ([]db.ConfirmedOutgoingRow, error) {
	if !found.NewBlock() {
		return nil, nil
	}
	rows, err := s.store.ConfirmedOutgoing(ctx, db.ConfirmedOutgoingParams{
		WalletIds: s.wallets, FromHeight: int64(min(found.Before.Settled, found.After.Settled)), ChainHeight: int64(found.After.Height),
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	at, err := s.receiver.Locate(ctx, each(rows, func(r db.ConfirmedOutgoingRow) string { return r.TxHash }))
	if err != nil {
		return nil, err
	}
	var dropped []db.ConfirmedOutgoingRow
	for i, r := range rows {
		if at[i].State != chain.Mined || int64(at[i].Height) != r.Height {
			dropped = append(dropped, r)
		}
	}
	return dropped, nil
}

// unconfirm turns dropped transactions into sent ones, which are relayed again until they
// are deep or an operator gives them up. It alerts operators, and returns the trades that
// the transactions pay. A transaction that another run has unconfirmed is left alone.
func (s *payments) unconfirm(ctx context.Context, q *db.Queries, dropped []db.ConfirmedOutgoingRow, now time.Time) (trades []string, err error) {
	for _, r := range dropped {
		if r.PayoutID != nil {
			if err := unconfirmPayout(ctx, q, *r.PayoutID, now); err != nil {
				return nil, err
			}
		}
		n, err := q.UnconfirmOutgoing(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		detail := fmt.Sprintf("%s of wallet %s was confirmed in block %d and is not there any more: the same bytes are relayed again",
			r.Purpose, r.WalletID, r.Height)
		if err := q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.SendDropped, Subject: r.TxHash, Detail: detail}); err != nil {
			return nil, err
		}
		trades = append(trades, r.TradeIds...)
	}
	return trades, nil
}

// unconfirmPayout turns a payout into a sent one again, and its claim of a refund into
// one that is in progress.
func unconfirmPayout(ctx context.Context, q *db.Queries, id string, now time.Time) error {
	claims, err := q.UnconfirmPayout(ctx, id)
	for _, claim := range claims {
		if claim != nil && err == nil {
			err = chargestore.RefundPayoutDropped(ctx, q, *claim, now)
		}
	}
	return err
}
