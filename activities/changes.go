package activities

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// changes is what one look found to be different from what is stored.
type changes struct {
	walletID string
	before   db.Wallet
	tip      chainTip
	now      time.Time
	fresh    []db.InsertTransferParams
	moved    []db.MoveTransferParams
	missing  []db.Transfer
	gone     []db.Transfer
	// told are the charges whose facts changed.
	told []string
}

// errOvertaken says that another watcher has stored a look meanwhile.
var errOvertaken = fmt.Errorf("another watcher looked at the wallet meanwhile")

type transferKey struct {
	tx    string
	index int32
}

// sort splits what the wallet shows into new and moved payments, and finds
// the stored ones that it does not show any more.
func (c *changes) sort(ctx context.Context, store *postgres.Store, entries []monero.Transfer, stored []db.Transfer) error {
	known, err := c.known(ctx, store, entries, stored)
	if err != nil {
		return err
	}
	owners, err := c.owners(ctx, store, entries, known)
	if err != nil {
		return err
	}
	shown := make(map[transferKey]bool, len(entries))
	for _, e := range entries {
		key := transferKey{e.TxHash, int32(e.SubaddressIndex)}
		shown[key] = true
		if row, ok := known[key]; ok {
			c.compare(row, e, owners[key.index])
			continue
		}
		if err := c.add(ctx, store, e, owners); err != nil {
			return err
		}
	}
	for _, row := range stored {
		if !shown[transferKey{row.TxHash, row.SubaddressIndex}] {
			c.missing = append(c.missing, row)
		}
	}
	return nil
}

// known are the stored rows of what the wallet shows, also those outside of
// the window: a payment may come back from deep below or from nowhere.
func (c *changes) known(ctx context.Context, store *postgres.Store, entries []monero.Transfer, stored []db.Transfer) (map[transferKey]db.Transfer, error) {
	known := make(map[transferKey]db.Transfer, len(stored))
	for _, row := range stored {
		known[transferKey{row.TxHash, row.SubaddressIndex}] = row
	}
	var others []string
	for _, e := range entries {
		if _, ok := known[transferKey{e.TxHash, int32(e.SubaddressIndex)}]; !ok {
			others = append(others, e.TxHash)
		}
	}
	if len(others) == 0 {
		return known, nil
	}
	rows, err := store.FindTransfers(ctx, db.FindTransfersParams{WalletID: c.walletID, TxHashes: others})
	for _, row := range rows {
		known[transferKey{row.TxHash, row.SubaddressIndex}] = row
	}
	return known, err
}

// owners are the charges at the subaddresses of payments that are new or have
// moved.
func (c *changes) owners(ctx context.Context, store *postgres.Store, entries []monero.Transfer, known map[transferKey]db.Transfer) (map[int32]db.ChargesAtIndicesRow, error) {
	var indices []int32
	for _, e := range entries {
		row, ok := known[transferKey{e.TxHash, int32(e.SubaddressIndex)}]
		if !ok || !sameHeight(row, e) {
			indices = append(indices, int32(e.SubaddressIndex))
		}
	}
	owners := make(map[int32]db.ChargesAtIndicesRow, len(indices))
	if len(indices) == 0 {
		return owners, nil
	}
	rows, err := store.ChargesAtIndices(ctx, db.ChargesAtIndicesParams{WalletID: c.walletID, Indices: indices})
	for _, r := range rows {
		owners[r.SubaddressIndex] = r
	}
	return owners, err
}

func sameHeight(row db.Transfer, e monero.Transfer) bool {
	if row.VanishedAt != nil {
		return false
	}
	if row.Height == nil {
		return e.Height == 0
	}
	return *row.Height == int64(e.Height)
}

func (c *changes) compare(row db.Transfer, e monero.Transfer, owner db.ChargesAtIndicesRow) {
	if sameHeight(row, e) {
		return
	}
	height, mature := heights(e, owner.ConfirmationsRequired)
	c.moved = append(c.moved, db.MoveTransferParams{ID: row.ID, Height: height, MatureHeight: mature})
	c.tell(row.ChargeID)
}

func (c *changes) add(ctx context.Context, store *postgres.Store, e monero.Transfer, owners map[int32]db.ChargesAtIndicesRow) error {
	owner, found := owners[int32(e.SubaddressIndex)]
	height, mature := heights(e, owner.ConfirmationsRequired)
	row := db.InsertTransferParams{
		WalletID: c.walletID, TxHash: e.TxHash, SubaddressIndex: int32(e.SubaddressIndex), Amount: e.Amount,
		Outputs: int32(len(e.Amounts)), Height: height, MatureHeight: mature, FirstSeenAt: c.now,
	}
	row.UnlockHeight, row.UnlockAt = unlock(e.UnlockTime)
	if found {
		row.ChargeID, row.MerchantID = &owner.ID, &owner.MerchantID
		c.tell(row.ChargeID)
		c.fresh = append(c.fresh, row)
		return nil
	}
	own, err := store.IsOwnTransaction(ctx, e.TxHash)
	if err != nil || own {
		return err
	}
	c.fresh = append(c.fresh, row)
	return nil
}

func (c *changes) tell(chargeID *string) {
	if chargeID != nil {
		c.told = append(c.told, *chargeID)
	}
}

// heights are where the payment is and from which chain height it counts.
func heights(e monero.Transfer, required int32) (height, mature *int64) {
	if e.Height == 0 {
		return nil, nil
	}
	at := int64(e.Height)
	until, _ := unlock(e.UnlockTime)
	from := charge.MatureHeight(at, required, until)
	return &at, &from
}

// Unlock times: a number below this is a block height, any other a Unix time
// in seconds (CRYPTONOTE_MAX_BLOCK_NUMBER in Monero's cryptonote_config.h).
const firstUnixUnlock = 500_000_000

// lastUnlock stands for every later moment, the last that fits everywhere.
const lastUnlock = 253_402_300_799

func unlock(raw uint64) (height int64, at *time.Time) {
	if raw < firstUnixUnlock {
		return int64(raw), nil
	}
	moment := time.Unix(int64(min(raw, lastUnlock)), 0).UTC()
	return 0, &moment
}

// apply stores the changes and notes whom to tell, in the caller's transaction.
func (c *changes) apply(ctx context.Context, q *db.Queries) error {
	wallet, err := q.LockWallet(ctx, c.walletID)
	if err != nil {
		return err
	}
	if !sameMoment(wallet.LookedAt, c.before.LookedAt) {
		return errOvertaken
	}
	if err := c.hold(ctx, q); err != nil {
		return err
	}
	for _, row := range c.fresh {
		if err := insert(ctx, q, row); err != nil {
			return err
		}
	}
	for _, row := range c.moved {
		if err := q.MoveTransfer(ctx, row); err != nil {
			return err
		}
	}
	for _, row := range c.gone {
		if err := q.MoveTransfer(ctx, db.MoveTransferParams{ID: row.ID, VanishedAt: &c.now}); err != nil {
			return err
		}
		c.tell(row.ChargeID)
	}
	if err := q.SetWalletLook(ctx, db.SetWalletLookParams{
		ID: c.walletID, ChainHeight: c.tip.height, TopHash: c.tip.hash, LookedAt: &c.now,
	}); err != nil {
		return err
	}
	return c.note(ctx, q)
}

// hold keeps the charges of new payments from being pruned until the payments
// are stored. Money for a charge that is gone by now belongs to no charge.
func (c *changes) hold(ctx context.Context, q *db.Queries) error {
	var ids []string
	for _, row := range c.fresh {
		if row.ChargeID != nil {
			ids = append(ids, *row.ChargeID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	held, err := q.HoldCharges(ctx, ids)
	if err != nil {
		return err
	}
	for i, row := range c.fresh {
		if row.ChargeID != nil && !slices.Contains(held, *row.ChargeID) {
			c.fresh[i].ChargeID, c.fresh[i].MerchantID = nil, nil
		}
	}
	return nil
}

func insert(ctx context.Context, q *db.Queries, row db.InsertTransferParams) error {
	if err := q.InsertTransfer(ctx, row); err != nil || row.ChargeID != nil {
		return err
	}
	return alertUnmatched(ctx, q, row.TxHash, row.SubaddressIndex)
}

// note writes down which charges are to be told, those included whose
// payments have just become deep enough.
func (c *changes) note(ctx context.Context, q *db.Queries) error {
	matured, err := q.MatureTransfers(ctx, db.MatureTransfersParams{WalletID: c.walletID, ChainHeight: c.tip.height, Now: c.now})
	if err != nil {
		return err
	}
	for _, id := range matured {
		c.tell(id)
	}
	if len(c.told) == 0 {
		return nil
	}
	return q.NoteChargeSignals(ctx, db.NoteChargeSignalsParams{ChargeIds: unique(c.told), WalletID: c.walletID})
}

func unique(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	var out []string
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

func sameMoment(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}
