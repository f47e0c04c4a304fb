package incoming

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/witness"
)

// tradeDeposits is the watch.Store of one of the exchange's wallets: the table
// trade_deposits. Its keys are addresses.
type tradeDeposits struct {
	walletRows

	box  *secret.Box
	coin exchange.Coin
}

// State returns the wallet's row.
func (s *tradeDeposits) State(ctx context.Context) (watch.State, error) {
	row, err := s.store.GetExchangeWallet(ctx, s.walletID)
	return watch.State{
		Height: uint64(row.ChainHeight), Hash: row.TopHash, Settled: uint64(row.SettledHeight), SettledHash: row.SettledHash,
		ScannedAt: row.ScannedAt, Rescan: row.Rescan,
	}, err
}

// Key returns the transaction and the address.
func (s *tradeDeposits) Key(r chain.Received) watch.Key {
	return watch.Key{TxHash: r.TxHash, Address: r.Address}
}

// Watched returns the rows that a scan needs.
func (s *tradeDeposits) Watched(ctx context.Context, w watch.RowQuery) ([]watch.Row, error) {
	rows, err := s.store.WatchedDeposits(ctx, db.WatchedDepositsParams{
		WalletID: s.walletID, FromHeight: int64(w.From), ToHeight: int64(w.To), ChainHeight: int64(w.Height), Now: w.Now,
		DroppedSince: w.DroppedSince, DroppedAfter: w.DroppedAfter, DroppedLimit: int32(w.DroppedLimit),
	})
	if err != nil {
		return nil, err
	}
	return s.rows(rows)
}

// Find returns the rows of transactions.
func (s *tradeDeposits) Find(ctx context.Context, txHashes []string) ([]watch.Row, error) {
	rows, err := s.store.FindTradeDeposits(ctx, db.FindTradeDepositsParams{WalletID: s.walletID, TxHashes: txHashes})
	if err != nil {
		return nil, err
	}
	return s.rows(rows)
}

func (s *tradeDeposits) rows(rows []db.TradeDeposit) ([]watch.Row, error) {
	list := make([]watch.Row, len(rows))
	for i, r := range rows {
		lock := watch.Lock{UnlockHeight: uint64(r.UnlockHeight), SpendableAfter: uint64(r.SpendableAfter)}
		if r.UnlockAt != nil {
			lock.UnlockAt = *r.UnlockAt
		}
		shown := r.Amount
		if r.ShownAmount != nil {
			shown = *r.ShownAmount
		}
		amount, err := shown.ToAtomic(s.coin.Decimals)
		if err != nil {
			return nil, err
		}
		list[i] = watch.Row{
			ID: r.ID, TxHash: r.TxHash, Address: r.Address, Amount: amount, Lock: &lock,
			Place: watch.Place{Height: unsigned(r.Height), Dropped: r.MissingAt != nil, Contested: r.Contested && r.MissingAt == nil},
		}
	}
	return list, nil
}

// AwaitRescan records that the wallet must read the chain again.
func (s *tradeDeposits) AwaitRescan(ctx context.Context) error {
	return s.store.SetExchangeRescan(ctx, s.walletID)
}

// Rescanned records that the wallet did.
func (s *tradeDeposits) Rescanned(ctx context.Context, upTo uint64) error {
	return s.store.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.LockExchangeWallet(ctx, s.walletID); err != nil {
			return err
		}
		if err := s.adopted(ctx, q, upTo); err != nil {
			return err
		}
		return q.ClearExchangeRescan(ctx, s.walletID)
	})
}

// HighestRef returns the highest number of an address that the wallet has to know.
func (s *tradeDeposits) HighestRef(ctx context.Context) (uint64, error) {
	ref, err := s.store.HighestMadeAddress(ctx, s.walletID)
	return uint64(ref), err
}

// Save stores a scan and the wakeups of the trades that it concerns, in one transaction. It reads the origins of the deposits before that. Origins that cannot
// be read are requested later, see screening.
func (s *tradeDeposits) Save(ctx context.Context, found watch.Scanned) error {
	origins, err := s.origins(ctx, found.New)
	if err != nil {
		return err
	}
	dropped, err := s.dropped(ctx, found)
	if err != nil {
		return err
	}
	return s.store.Tx(ctx, func(q *db.Queries) error {
		concerned, err := s.apply(ctx, q, found, origins)
		if err != nil {
			return err
		}
		unpaid, err := s.unconfirm(ctx, q, dropped, found.Now)
		if err != nil {
			return err
		}
		concerned = append(concerned, unpaid...)
		if len(concerned) > 0 {
			if err := q.WakeTrades(ctx, concerned); err != nil {
				return err
			}
		}
		if err := s.saveCheckpoints(ctx, q, found); err != nil {
			return err
		}
		// The wallet's row comes last, as in all transactions that lock trades.
		saved, err := q.SaveExchangeScan(ctx, db.SaveExchangeScanParams{
			Before: found.Before.ScannedAt, BeforeHash: found.Before.Hash, ID: s.walletID, ChainHeight: int64(found.After.Height), TopHash: found.After.Hash,
			SettledHeight: int64(found.After.Settled), SettledHash: found.After.SettledHash, ScannedAt: found.After.ScannedAt,
		})
		if err == nil && saved == 0 {
			err = watch.ErrSuperseded
		}
		return err
	})
}

// apply writes the changes and returns the trades that they concern.
func (s *tradeDeposits) apply(ctx context.Context, q *db.Queries, found watch.Scanned, origins map[spending]origins) ([]string, error) {
	places, err := s.insert(ctx, q, found, origins)
	if err != nil {
		return nil, err
	}
	if err := s.relock(ctx, q, found.Relocked); err != nil {
		return nil, err
	}
	for _, m := range found.Moved {
		addPlace(&places, m.Row.TxHash, m.Row.Address, m.To)
	}
	worthless, err := s.revalue(ctx, q, found.Revalued)
	if err != nil {
		return nil, err
	}
	concerned, err := s.place(ctx, q, found, places)
	concerned = append(concerned, worthless...)
	if err != nil || !found.NewBlock() && len(found.Located) == 0 {
		return concerned, err
	}
	height := int64(found.After.Height)
	if err := q.CountConfirmations(ctx, db.CountConfirmationsParams{
		WalletID: s.walletID, ChainHeight: height, Above: height - maxConfirmations - 2,
	}); err != nil {
		return nil, err
	}
	matured, err := q.MatureDeposits(ctx, db.MatureDepositsParams{
		WalletID: s.walletID, ChainHeight: height, Now: found.Now, Located: found.Located,
	})
	concerned = append(concerned, matured...)
	if err != nil || !found.NewBlock() {
		return concerned, err
	}
	paying, err := q.TradesSending(ctx, s.walletID) // these trades look at each block
	if err != nil {
		return nil, err
	}
	overdue, err := q.TradesOverdue(ctx, db.TradesOverdueParams{WalletFrom: s.walletID, Before: found.Now.Add(-overdueAfter)})
	return append(append(concerned, paying...), overdue...), err
}

// maxConfirmations is the most that a trade can require.
const maxConfirmations = 1000

// addPlace adds the present place of a deposit.
func addPlace(p *db.MoveDepositsParams, txHash, address string, at watch.Place) {
	p.TxHashes, p.Addresses = append(p.TxHashes, txHash), append(p.Addresses, address)
	p.Heights = append(p.Heights, signedHeight(at.Height))
	p.Dropped, p.Contested = append(p.Dropped, at.Dropped), append(p.Contested, at.Contested)
}

func (s *tradeDeposits) place(ctx context.Context, q *db.Queries, found watch.Scanned, p db.MoveDepositsParams) ([]string, error) {
	if len(p.TxHashes) == 0 {
		return nil, nil
	}
	p.WalletID, p.ChainHeight, p.Now = s.walletID, int64(found.After.Height), found.Now
	return q.MoveDeposits(ctx, p)
}

// insert stores new deposits of trades and returns their places. A payment to a deposit
// address without a trade is stored apart, and operators get an alert.
func (s *tradeDeposits) insert(ctx context.Context, q *db.Queries, found watch.Scanned, origins map[spending]origins) (db.MoveDepositsParams, error) {
	var where db.MoveDepositsParams
	owners, known, err := s.owners(ctx, q, found.New)
	if err != nil {
		return where, err
	}
	for _, p := range found.New {
		key := s.Key(p.Received)
		owner, owned := owners[p.Address]
		from, read := origins[spendingOf(p)]
		switch {
		case slices.Contains(known, key):
			continue
		case !owned:
			err = s.unmatched(ctx, q, p, found.Now, "came to an address that is no trade's")
		case cameBefore(p.Place, owner.CreatedHeight):
			err = s.unmatched(ctx, q, p, found.Now, "was in the chain before the trade of its address was made")
		case !read: // the trade was made after the origins were read
			err = watch.ErrSuperseded
		default:
			addPlace(&where, p.TxHash, p.Address, p.Place)
			err = s.insertDeposit(ctx, q, owner.ID, p, found.Now, from)
		}
		if err != nil {
			return where, err
		}
	}
	return where, nil
}

func (s *tradeDeposits) insertDeposit(
	ctx context.Context, q *db.Queries, tradeID string, p watch.Payment, now time.Time, from origins,
) error {
	sealed, err := exchange.SealOrigins(s.box, exchange.Deposit{WalletID: s.walletID, TxHash: p.TxHash, Address: p.Address}, from.addresses)
	if err != nil {
		return err
	}
	row := db.InsertTradeDepositParams{
		TradeID: tradeID, WalletID: s.walletID, TxHash: p.TxHash, Address: p.Address,
		Amount: money.FromAtomic(p.Amount, s.coin.Decimals), Contested: p.Place.Contested, OriginsSealed: sealed,
		UnlockHeight: int64(p.UnlockHeight), SpendableAfter: int32(p.SpendableAfter), SeenAt: now,
	}
	if from.unread {
		row.OriginsDueAt = &now
	}
	if !p.UnlockAt.IsZero() {
		row.UnlockAt = &p.UnlockAt
	}
	id, err := q.InsertTradeDeposit(ctx, row)
	if postgres.IsNotFound(err) { // it is stored already
		return nil
	}
	if err != nil {
		return err
	}
	return witness.AnswerSeen(ctx, q, db.TakeAwaitedDepositParams{TradeID: tradeID, TxHash: p.TxHash, Address: p.Address}, id)
}

// unmatched stores a payment to a deposit address that belongs to no trade.
func (s *tradeDeposits) unmatched(ctx context.Context, q *db.Queries, p watch.Payment, now time.Time, why string) error {
	amount := money.FromAtomic(p.Amount, s.coin.Decimals)
	kept, err := q.InsertUnmatchedDeposit(ctx, db.InsertUnmatchedDepositParams{
		WalletID: s.walletID, TxHash: p.TxHash, Address: p.Address, Amount: amount, SeenAt: now,
	})
	if err != nil || kept == 0 {
		return err
	}
	return sending.Alert(ctx, q, alert.DepositOrphaned, p.TxHash+":"+p.Address, fmt.Sprintf("%s %s %s", amount, s.coin.Ticker, why))
}

// owners returns the trades at the addresses of payments. known holds the payments that
// were stored as unmatched before.
func (s *tradeDeposits) owners(
	ctx context.Context, q *db.Queries, payments []watch.Payment,
) (owners map[string]db.TradesAtAddressesRow, known []watch.Key, err error) {
	if len(payments) == 0 {
		return nil, nil, nil
	}
	rows, err := s.tradesAt(ctx, q, payments)
	if err != nil {
		return nil, nil, err
	}
	owners = make(map[string]db.TradesAtAddressesRow, len(rows))
	for _, r := range rows {
		owners[r.DepositAddress] = r
	}
	kept, err := q.UnmatchedDeposits(ctx, db.UnmatchedDepositsParams{WalletID: s.walletID, TxHashes: each(payments, hashOf)})
	for _, r := range kept {
		known = append(known, watch.Key{TxHash: r.TxHash, Address: r.Address})
	}
	return owners, known, err
}

func (s *tradeDeposits) tradesAt(ctx context.Context, q *db.Queries, payments []watch.Payment) ([]db.TradesAtAddressesRow, error) {
	addresses := each(payments, func(p watch.Payment) string { return p.Address })
	return q.TradesAtAddresses(ctx, db.TradesAtAddressesParams{WalletFrom: s.walletID, Addresses: addresses})
}

// relock stores locks for which the wallet gives new values. The consequences follow when
// the deposits are placed.
func (s *tradeDeposits) relock(ctx context.Context, q *db.Queries, list []chain.Received) error {
	if len(list) == 0 {
		return nil
	}
	locks := db.RelockDepositsParams{WalletID: s.walletID}
	for _, r := range list {
		at := r.UnlockAt
		if at.IsZero() {
			at = time.Unix(0, 0)
		}
		locks.TxHashes, locks.Addresses = append(locks.TxHashes, r.TxHash), append(locks.Addresses, r.Address)
		locks.UnlockHeights, locks.UnlockAts = append(locks.UnlockHeights, int64(r.UnlockHeight)), append(locks.UnlockAts, at)
		locks.SpendableAfter = append(locks.SpendableAfter, int32(r.SpendableAfter))
	}
	return q.RelockDeposits(ctx, locks)
}

// revalue stores the amounts that deposits have in their blocks, and returns the trades
// of deposits that pay nothing. Such a deposit is deleted, unless it was answered.
func (s *tradeDeposits) revalue(ctx context.Context, q *db.Queries, list []watch.Revaluation) (worthless []string, err error) {
	for _, r := range list {
		var trades []string
		if r.Amount == 0 {
			if trades, err = q.DropWorthlessDeposit(ctx, r.Row.ID); err != nil {
				return nil, err
			}
		}
		if len(trades) > 0 {
			worthless = append(worthless, trades...)
			continue
		}
		if err := q.RevalueDeposit(ctx, db.RevalueDepositParams{
			ID: r.Row.ID, Amount: money.FromAtomic(r.Amount, s.coin.Decimals),
		}); err != nil {
			return nil, err
		}
	}
	return worthless, nil
}
