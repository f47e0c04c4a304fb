package incoming

import (
	"context"
	"slices"
	"strconv"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// chargePayments is the watch.Store of a merchants' wallet: the table received_payments.
// Its keys are the numbers of subaddresses.
type chargePayments struct{ walletRows }

// State returns the wallet's row.
func (s *chargePayments) State(ctx context.Context) (watch.State, error) {
	row, err := s.store.GetWallet(ctx, s.walletID)
	return stateOfWallet(row), err
}

func stateOfWallet(row db.Wallet) watch.State {
	return watch.State{
		Height: uint64(row.ChainHeight), Hash: row.TopHash, Settled: uint64(row.SettledHeight), SettledHash: row.SettledHash,
		ScannedAt: row.ScannedAt, Rescan: row.Rescan,
	}
}

// Key returns the transaction and the subaddress's number.
func (s *chargePayments) Key(r chain.Received) watch.Key {
	return watch.Key{TxHash: r.TxHash, Address: r.Ref}
}

// Watched returns the rows that a scan needs.
func (s *chargePayments) Watched(ctx context.Context, w watch.RowQuery) ([]watch.Row, error) {
	rows, err := s.store.WatchedPayments(ctx, db.WatchedPaymentsParams{
		WalletID: s.walletID, FromHeight: int64(w.From), ToHeight: int64(w.To), ChainHeight: int64(w.Height), Now: w.Now,
		DroppedSince: w.DroppedSince, DroppedAfter: w.DroppedAfter, DroppedLimit: int32(w.DroppedLimit),
	})
	return rowsOf(rows), err
}

// Find returns the rows of transactions.
func (s *chargePayments) Find(ctx context.Context, txHashes []string) ([]watch.Row, error) {
	rows, err := s.store.FindReceivedPayments(ctx, db.FindReceivedPaymentsParams{WalletID: s.walletID, TxHashes: txHashes})
	return rowsOf(rows), err
}

func rowsOf(rows []db.ReceivedPayment) []watch.Row {
	list := make([]watch.Row, len(rows))
	for i, r := range rows {
		shown := r.Amount
		if r.ShownAmount != nil {
			shown = *r.ShownAmount
		}
		list[i] = watch.Row{
			ID: r.ID, TxHash: r.TxHash, Address: strconv.Itoa(int(r.SubaddressIndex)), Amount: uint64(shown),
			Place: watch.Place{Height: unsigned(r.Height), Dropped: r.VanishedAt != nil},
		}
	}
	return list
}

// AwaitRescan records that the wallet must read the chain again.
func (s *chargePayments) AwaitRescan(ctx context.Context) error {
	return s.store.SetRescan(ctx, s.walletID)
}

// Rescanned records that the wallet did.
func (s *chargePayments) Rescanned(ctx context.Context, upTo uint64) error {
	return s.store.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.LockWallet(ctx, s.walletID); err != nil {
			return err
		}
		if err := s.adopted(ctx, q, upTo); err != nil {
			return err
		}
		return q.ClearRescan(ctx, s.walletID)
	})
}

// HighestRef returns the highest number of an address that the wallet has to know.
func (s *chargePayments) HighestRef(ctx context.Context) (uint64, error) {
	index, err := s.store.HighestMadeAddress(ctx, s.walletID)
	return uint64(index), err
}

// Save stores a scan and the wakeups of the charges that it concerns, in one transaction.
// A new block wakes the payouts that wait for confirmations. Payouts that were confirmed
// and are dropped become broadcast payouts again.
func (s *chargePayments) Save(ctx context.Context, found watch.Scanned) error {
	dropped, err := s.dropped(ctx, found)
	if err != nil {
		return err
	}
	return s.store.Tx(ctx, func(q *db.Queries) error {
		if _, err := s.unconfirm(ctx, q, dropped, found.Now); err != nil {
			return err
		}
		return s.save(ctx, q, found)
	})
}

func (s *chargePayments) save(ctx context.Context, q *db.Queries, found watch.Scanned) error {
	row, err := q.LockWallet(ctx, s.walletID)
	if err != nil {
		return err
	}
	if !sameScan(stateOfWallet(row), found.Before) {
		return watch.ErrSuperseded
	}
	concerned, err := s.insert(ctx, q, found)
	if err != nil {
		return err
	}
	moved, err := s.move(ctx, q, found)
	if err != nil {
		return err
	}
	matured, err := q.MaturePayments(ctx, db.MaturePaymentsParams{
		WalletID: s.walletID, ChainHeight: int64(found.After.Height), Now: found.Now, Located: found.Located,
	})
	if err != nil {
		return err
	}
	concerned = append(append(concerned, moved...), present(matured)...)
	if len(concerned) > 0 {
		if err := q.WakeCharges(ctx, concerned); err != nil {
			return err
		}
	}
	if found.NewBlock() {
		if err := q.WakeSentPayouts(ctx, s.walletID); err != nil {
			return err
		}
	}
	if err := s.saveCheckpoints(ctx, q, found); err != nil {
		return err
	}
	return q.SaveScan(ctx, db.SaveScanParams{
		ID: s.walletID, ChainHeight: int64(found.After.Height), TopHash: found.After.Hash,
		SettledHeight: int64(found.After.Settled), SettledHash: found.After.SettledHash, ScannedAt: found.After.ScannedAt,
	})
}

// sameScan reports whether no other watcher has stored a scan since a state was read.
func sameScan(now, before watch.State) bool {
	if now.ScannedAt == nil || before.ScannedAt == nil {
		return now.ScannedAt == before.ScannedAt
	}
	return now.ScannedAt.Equal(*before.ScannedAt) && now.Height == before.Height && now.Hash == before.Hash
}

// insert stores new payments and returns their charges. A payment without a charge opens
// an alert, unless it is the wallet's own change.
func (s *chargePayments) insert(ctx context.Context, q *db.Queries, found watch.Scanned) ([]string, error) {
	if len(found.New) == 0 {
		return nil, nil
	}
	owners, err := s.owners(ctx, q, found.New)
	if err != nil {
		return nil, err
	}
	own, err := q.OwnTransactions(ctx, each(found.New, hashOf)) // payments that the wallet made itself
	if err != nil {
		return nil, err
	}
	var concerned []string
	for _, p := range found.New {
		row, err := s.row(p, found)
		if err != nil {
			return nil, err
		}
		owner, owned := owners[row.SubaddressIndex]
		why := chargestore.NoCharge
		switch {
		case owned && cameBefore(p.Place, owner.CreatedHeight):
			why = chargestore.BeforeCharge
		case owned:
			row.ChargeID, row.MerchantID = &owner.ID, &owner.MerchantID
			concerned = append(concerned, owner.ID)
		case slices.Contains(own, p.TxHash):
			continue
		}
		if row.Height != nil {
			mature := charge.MatureHeight(*row.Height, owner.ConfirmationsRequired, row.UnlockHeight)
			row.MatureHeight = &mature
		}
		if err := q.InsertReceivedPayment(ctx, row); err != nil {
			return nil, err
		}
		if row.ChargeID == nil {
			if err := q.OpenAlert(ctx, chargestore.UnmatchedAlert(row.TxHash, row.SubaddressIndex, why)); err != nil {
				return nil, err
			}
		}
	}
	return concerned, nil
}

func (s *chargePayments) owners(ctx context.Context, q *db.Queries, payments []watch.Payment) (map[int32]db.HoldChargesAtRow, error) {
	indices := make([]int32, 0, len(payments))
	for _, p := range payments {
		index, err := strconv.ParseInt(p.Ref, 10, 32)
		if err != nil {
			return nil, err
		}
		indices = append(indices, int32(index))
	}
	rows, err := q.HoldChargesAt(ctx, db.HoldChargesAtParams{WalletID: s.walletID, Indices: indices})
	owners := make(map[int32]db.HoldChargesAtRow, len(rows))
	for _, r := range rows {
		owners[r.SubaddressIndex] = r
	}
	return owners, err
}

// row returns a payment as it is stored. It is not shown before its charge was advanced
// with it.
func (s *chargePayments) row(p watch.Payment, found watch.Scanned) (db.InsertReceivedPaymentParams, error) {
	index, err := strconv.ParseInt(p.Ref, 10, 32)
	row := db.InsertReceivedPaymentParams{
		WalletID: s.walletID, TxHash: p.TxHash, SubaddressIndex: int32(index), Amount: money.Piconero(p.Amount),
		Outputs: int32(p.Outputs), UnlockHeight: int64(p.UnlockHeight), FirstSeenAt: found.Now, Fresh: true,
	}
	if p.Place.Height != nil {
		height := int64(*p.Place.Height)
		row.Height = &height
	}
	if !p.UnlockAt.IsZero() {
		row.UnlockAt = &p.UnlockAt
	}
	return row, err
}

// move stores new places and returns the charges of the payments.
func (s *chargePayments) move(ctx context.Context, q *db.Queries, found watch.Scanned) ([]string, error) {
	if len(found.Moved) == 0 {
		return nil, nil
	}
	places := db.MovePaymentsParams{Now: found.Now}
	for _, m := range found.Moved {
		places.Ids = append(places.Ids, m.Row.ID)
		places.Heights = append(places.Heights, signedHeight(m.To.Height))
		places.Dropped = append(places.Dropped, m.To.Dropped)
	}
	for _, r := range found.Revalued {
		if err := q.RevaluePayment(ctx, db.RevaluePaymentParams{ID: r.Row.ID, Amount: money.Piconero(r.Amount)}); err != nil {
			return nil, err
		}
	}
	charges, err := q.MovePayments(ctx, places)
	return present(charges), err
}

func present(ids []*string) []string {
	var list []string
	for _, id := range ids {
		if id != nil {
			list = append(list, *id)
		}
	}
	return list
}
