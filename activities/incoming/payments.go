package incoming

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/watch"
)

// payments is the watch.Store of a chain: the table received_payments, with the rows of all
// wallets of the chain.
type payments struct {
	store    *postgres.Store
	receiver chain.Receiver
	chainID  string
	// configured are the wallets of the configuration whose payments the receiver shows.
	configured []string
	// wallets are those of the chain when the scan began, see State.
	wallets []string
	// box seals the origins of trades' deposits.
	box *secret.Box
}

// State returns the chain's row. It returns an error if the chain has a wallet that this
// process does not know: a scan would pass its payments by. A worker that started with that
// wallet scans the chain.
func (s *payments) State(ctx context.Context) (watch.State, error) {
	wallets, unknown, err := s.chainWallets(ctx, s.store.Queries)
	if err != nil {
		return watch.State{}, err
	}
	if unknown != "" {
		return watch.State{}, fmt.Errorf("chain %s is not scanned here: another worker was started with wallet %s, which this one does not have", s.chainID, unknown)
	}
	s.wallets = wallets
	row, err := s.store.GetChain(ctx, s.chainID)
	return watch.State{
		Height: uint64(row.ChainHeight), Hash: row.TopHash, Settled: uint64(row.SettledHeight), SettledHash: row.SettledHash,
		ScannedAt: row.ScannedAt, Rescan: row.Rescan,
	}, err
}

// chainWallets returns the wallets of the chain, and one of them that should be in this
// process's configuration and is not.
func (s *payments) chainWallets(ctx context.Context, q *db.Queries) (ids []string, unknown string, err error) {
	rows, err := q.WatchedWallets(ctx, s.chainID)
	for _, w := range rows {
		ids = append(ids, w.ID)
		if (w.Role == merchantsRole || w.Role == exchange.WalletRole) && !slices.Contains(s.configured, w.ID) {
			unknown = w.ID
		}
	}
	return ids, unknown, err
}

// merchantsRole is the role of a wallet that holds the money of hosted merchants.
const merchantsRole = "merchants"

// Watched returns the rows that a scan needs.
func (s *payments) Watched(ctx context.Context, w watch.RowQuery) ([]watch.Row, error) {
	rows, err := s.store.WatchedPayments(ctx, db.WatchedPaymentsParams{
		WalletIds: s.wallets, FromHeight: int64(w.From), ToHeight: int64(w.To), ChainHeight: int64(w.Height), Now: w.Now,
		DroppedSince: w.DroppedSince, DroppedAfter: w.DroppedAfter, DroppedLimit: int32(w.DroppedLimit),
	})
	return each(rows, watchedRow), err
}

// Find returns the rows of transactions.
func (s *payments) Find(ctx context.Context, txHashes []string) ([]watch.Row, error) {
	rows, err := s.store.FindReceivedPayments(ctx, db.FindReceivedPaymentsParams{WalletIds: s.wallets, TxHashes: txHashes})
	return each(rows, watchedRow), err
}

func watchedRow(r db.ReceivedPayment) watch.Row {
	shown := r.Amount
	if r.ShownAmount != nil {
		shown = *r.ShownAmount
	}
	row := watch.Row{
		ID: r.ID, WalletID: r.WalletID, TxHash: r.TxHash, Address: r.Address, Amount: uint64(shown),
		Place: watch.Place{Height: unsigned(r.Height), Dropped: r.VanishedAt != nil, Contested: r.Contested && r.VanishedAt == nil},
		Lock:  watch.Lock{UnlockHeight: uint64(r.UnlockHeight), SpendableAfter: uint64(r.SpendableAfter)},
	}
	if r.UnlockAt != nil {
		row.Lock.UnlockAt = *r.UnlockAt
	}
	return row
}

// AwaitRescan records that the chain must be read again.
func (s *payments) AwaitRescan(ctx context.Context) error { return s.store.SetRescan(ctx, s.chainID) }

// Rescanned records that the wallet with a file did.
func (s *payments) Rescanned(ctx context.Context, upTo uint64) error {
	return s.store.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.LockChain(ctx, s.chainID); err != nil {
			return err
		}
		if err := s.adopted(ctx, q, upTo); err != nil {
			return err
		}
		return q.ClearRescan(ctx, s.chainID)
	})
}

// HighestRef returns the highest number of an address that a wallet of the chain has to know.
func (s *payments) HighestRef(ctx context.Context) (uint64, error) {
	index, err := s.store.HighestMadeOfChain(ctx, s.wallets)
	return uint64(index), err
}

// Save stores a scan and the wakeups of the charges and trades that it concerns, in one
// transaction. A new block wakes what waits for confirmations. Payments of ours that were
// confirmed and are dropped become sent ones again. Save reads the origins of deposits
// before the transaction. Origins that cannot be read are requested later, see screening.
func (s *payments) Save(ctx context.Context, found watch.Scanned) error {
	from, err := s.origins(ctx, found.New)
	if err != nil {
		return err
	}
	dropped, err := s.dropped(ctx, found)
	if err != nil {
		return err
	}
	return s.store.Tx(ctx, func(q *db.Queries) error {
		// The chain's row comes first, so of two scans the second writes nothing.
		if err := s.advance(ctx, q, found); err != nil {
			return err
		}
		unpaid, err := s.unconfirm(ctx, q, dropped, found.Now) // before those that are sent are woken
		if err != nil {
			return err
		}
		c, err := s.apply(ctx, q, found, from)
		if err != nil {
			return err
		}
		c.trades = append(c.trades, unpaid...)
		if err := c.wake(ctx, q); err != nil {
			return err
		}
		return s.saveCheckpoints(ctx, q, found)
	})
}

// advance moves the chain's cursor. It returns watch.ErrSuperseded if another scan moved it
// first, or if a wallet was registered meanwhile that this process does not know.
func (s *payments) advance(ctx context.Context, q *db.Queries, found watch.Scanned) error {
	saved, err := q.SaveScan(ctx, db.SaveScanParams{
		Before: found.Before.ScannedAt, BeforeHash: found.Before.Hash, ID: s.chainID, ChainHeight: int64(found.After.Height), TopHash: found.After.Hash,
		SettledHeight: int64(found.After.Settled), SettledHash: found.After.SettledHash, ScannedAt: found.After.ScannedAt,
	})
	if err != nil {
		return err
	}
	_, unknown, err := s.chainWallets(ctx, q)
	if err == nil && (saved == 0 || unknown != "") {
		err = watch.ErrSuperseded
	}
	return err
}

// concerned are the charges and trades that a scan concerns.
type concerned struct{ charges, trades []string }

func (c *concerned) add(chargeID, tradeID *string) {
	if chargeID != nil {
		c.charges = append(c.charges, *chargeID)
	}
	if tradeID != nil {
		c.trades = append(c.trades, *tradeID)
	}
}

func (c *concerned) wake(ctx context.Context, q *db.Queries) error {
	if len(c.charges) > 0 {
		if err := q.WakeCharges(ctx, c.charges); err != nil {
			return err
		}
	}
	if len(c.trades) == 0 {
		return nil
	}
	return q.WakeTrades(ctx, c.trades)
}

// apply writes the changes and returns what they concern.
func (s *payments) apply(ctx context.Context, q *db.Queries, found watch.Scanned, from map[spending]origins) (c concerned, err error) {
	if err := s.insert(ctx, q, found, from, &c); err != nil {
		return c, err
	}
	if err := s.relock(ctx, q, found.Relocked); err != nil {
		return c, err
	}
	if err := s.revalue(ctx, q, found.Revalued, &c); err != nil {
		return c, err
	}
	if err := s.move(ctx, q, found, &c); err != nil {
		return c, err
	}
	matured, err := q.MaturePayments(ctx, db.MaturePaymentsParams{
		WalletIds: s.wallets, ChainHeight: int64(found.After.Height), Now: found.Now, Located: found.Located,
	})
	if err != nil {
		return c, err
	}
	for _, p := range matured {
		c.add(p.ChargeID, p.TradeID)
	}
	if !found.NewBlock() {
		return c, nil
	}
	if err := q.WakeSentPayouts(ctx, s.wallets); err != nil {
		return c, err
	}
	paying, err := q.TradesSending(ctx, s.wallets) // these trades look at each block
	if err != nil {
		return c, err
	}
	overdue, err := q.TradesOverdue(ctx, db.TradesOverdueParams{WalletIds: s.wallets, Before: found.Now.Add(-overdueAfter)})
	c.trades = append(append(c.trades, paying...), overdue...)
	return c, err
}

// move stores new places.
func (s *payments) move(ctx context.Context, q *db.Queries, found watch.Scanned, c *concerned) error {
	if len(found.Moved) == 0 {
		return nil
	}
	places := db.MovePaymentsParams{Now: found.Now}
	for _, m := range found.Moved {
		places.Ids = append(places.Ids, m.Row.ID)
		places.Heights = append(places.Heights, signedHeight(m.To.Height))
		places.Dropped, places.Contested = append(places.Dropped, m.To.Dropped), append(places.Contested, m.To.Contested)
	}
	moved, err := q.MovePayments(ctx, places)
	for _, p := range moved {
		c.add(p.ChargeID, p.TradeID)
	}
	return err
}

// relock stores locks for which the scan gives new values. The consequences follow when
// the payments are moved.
func (s *payments) relock(ctx context.Context, q *db.Queries, list []chain.Received) error {
	if len(list) == 0 {
		return nil
	}
	locks := db.RelockPaymentsParams{}
	for _, r := range list {
		at := r.UnlockAt
		if at.IsZero() {
			at = time.Unix(0, 0)
		}
		locks.WalletIds = append(locks.WalletIds, r.WalletID)
		locks.TxHashes, locks.Addresses = append(locks.TxHashes, r.TxHash), append(locks.Addresses, r.Address)
		locks.UnlockHeights, locks.UnlockAts = append(locks.UnlockHeights, int64(r.UnlockHeight)), append(locks.UnlockAts, at)
		locks.SpendableAfter = append(locks.SpendableAfter, int32(r.SpendableAfter))
	}
	return q.RelockPayments(ctx, locks)
}

// revalue stores the amounts that payments have in their blocks. A deposit of a trade that
// pays nothing is deleted, unless it was answered.
func (s *payments) revalue(ctx context.Context, q *db.Queries, list []watch.Revaluation, c *concerned) error {
	for _, r := range list {
		if r.Amount == 0 {
			worthless, err := q.DropWorthlessDeposit(ctx, r.Row.ID)
			if err != nil {
				return err
			}
			c.trades = append(c.trades, worthless...)
			if len(worthless) > 0 {
				continue
			}
		}
		if err := q.RevaluePayment(ctx, db.RevaluePaymentParams{ID: r.Row.ID, Amount: money.Piconero(r.Amount)}); err != nil {
			return err
		}
	}
	return nil
}
