package incoming

import (
	"context"
	"fmt"
	"slices"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/witness"
)

// owner is the charge or the trade whose address a payment pays; none if both are nil.
type owner struct {
	charge *db.HoldChargesAtRow
	trade  *db.HoldTradesAtRow
}

func (o owner) createdHeight() *int64 {
	switch {
	case o.charge != nil:
		return o.charge.CreatedHeight
	case o.trade != nil:
		return o.trade.CreatedHeight
	default:
		return nil
	}
}

// matureHeight returns the number of blocks at which a payment in a block counts: a trade
// pays it out or sends it back, so it must be spendable too.
func (o owner) matureHeight(height int64, p watch.Payment) int64 {
	required := int32(p.SpendableAfter)
	switch {
	case o.charge != nil:
		required = o.charge.ConfirmationsRequired
	case o.trade != nil:
		required = max(required, o.trade.Confirmations)
	}
	return charge.MatureHeight(height, required, int64(p.UnlockHeight))
}

// owners returns the owners of the addresses that payments pay, by address. They are held
// until the transaction ends, so that none is removed before its payment is stored.
func (s *payments) owners(ctx context.Context, q *db.Queries, list []watch.Payment) (map[string]owner, error) {
	addresses := each(list, func(p watch.Payment) string { return p.Address })
	wallets := walletsOf(list)
	charges, err := q.HoldChargesAt(ctx, db.HoldChargesAtParams{WalletIds: wallets, Addresses: addresses})
	if err != nil {
		return nil, err
	}
	trades, err := q.HoldTradesAt(ctx, db.HoldTradesAtParams{WalletIds: wallets, Addresses: addresses})
	owners := make(map[string]owner, len(charges)+len(trades))
	for _, c := range charges {
		owners[c.Subaddress] = owner{charge: &c}
	}
	for _, t := range trades {
		owners[t.DepositAddress] = owner{trade: &t}
	}
	return owners, err
}

// walletsOf returns the wallets that payments pay, each once.
func walletsOf(list []watch.Payment) []string {
	ids := each(list, func(p watch.Payment) string { return p.WalletID })
	slices.Sort(ids)
	return slices.Compact(ids)
}

// insert stores new payments. One without an owner opens an alert, unless it is the
// wallet's own change.
func (s *payments) insert(ctx context.Context, q *db.Queries, found watch.Scanned, from map[spending]origins, c *concerned) error {
	if len(found.New) == 0 {
		return nil
	}
	owners, err := s.owners(ctx, q, found.New)
	if err != nil {
		return err
	}
	own, err := q.OwnTransactions(ctx, db.OwnTransactionsParams{WalletIds: walletsOf(found.New), TxHashes: each(found.New, hashOf)})
	if err != nil {
		return err
	}
	for _, p := range found.New {
		of, why := owners[p.Address], unowned
		if cameBefore(p.Place, of.createdHeight()) {
			of, why = owner{}, before
		}
		switch {
		case of.charge != nil:
			err = s.insertOfCharge(ctx, q, p, of, found, c)
		case of.trade != nil:
			err = s.insertDeposit(ctx, q, p, of, found, from, c)
		case why == unowned && slices.Contains(own, db.OwnTransactionsRow{WalletID: p.WalletID, TxHash: p.TxHash}):
		default:
			err = s.insertUnmatched(ctx, q, p, found, why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// row returns a payment as it is stored.
func (s *payments) row(p watch.Payment, of owner, index int32, found watch.Scanned) db.InsertReceivedPaymentParams {
	row := db.InsertReceivedPaymentParams{
		WalletID: p.WalletID, TxHash: p.TxHash, Address: p.Address, SubaddressIndex: index, Amount: money.Piconero(p.Amount),
		Outputs: int32(p.Outputs), UnlockHeight: int64(p.UnlockHeight), SpendableAfter: int32(p.SpendableAfter),
		Contested: p.Place.Contested, FirstSeenAt: found.Now,
	}
	if p.Place.Height != nil {
		height := int64(*p.Place.Height)
		mature := of.matureHeight(height, p)
		row.Height, row.MatureHeight = &height, &mature
	}
	if !p.UnlockAt.IsZero() {
		row.UnlockAt = &p.UnlockAt
	}
	return row
}

// insertOfCharge stores a payment of a charge. It is not shown before its charge was
// advanced with it.
func (s *payments) insertOfCharge(ctx context.Context, q *db.Queries, p watch.Payment, of owner, found watch.Scanned, c *concerned) error {
	row := s.row(p, of, of.charge.SubaddressIndex, found)
	row.ChargeID, row.MerchantID, row.Fresh = &of.charge.ID, &of.charge.MerchantID, true
	c.add(row.ChargeID, nil)
	return q.InsertReceivedPayment(ctx, row)
}

// insertDeposit stores a deposit of a trade with its origins. An answer that was given
// before this copy of the database saw the deposit becomes its payment.
func (s *payments) insertDeposit(
	ctx context.Context, q *db.Queries, p watch.Payment, of owner, found watch.Scanned, all map[spending]origins, c *concerned,
) error {
	from, read := all[spendingOf(p)]
	if !read { // the trade was made after the origins were read
		return watch.ErrSuperseded
	}
	sealed, err := exchange.SealOrigins(s.box, exchange.Deposit{WalletID: p.WalletID, TxHash: p.TxHash, Address: p.Address}, from.addresses)
	if err != nil {
		return err
	}
	row := s.row(p, of, of.trade.SubaddressIndex, found)
	row.TradeID, row.OriginsSealed = &of.trade.ID, sealed
	if from.unread {
		row.OriginsDueAt = &found.Now
	}
	c.add(nil, row.TradeID)
	if err := q.InsertReceivedPayment(ctx, row); err != nil {
		return err
	}
	return witness.AnswerSeen(ctx, q, db.TakeAwaitedDepositParams{TradeID: of.trade.ID, TxHash: p.TxHash, Address: p.Address})
}

// Why a payment has no owner.
const (
	unowned = iota
	before  // it was in the chain before its owner was made
)

// insertUnmatched stores a payment that has no owner. At a wallet of the exchange it is
// stored at a deposit address alone: what came elsewhere, such as an operator's funding, is
// not ours to match.
func (s *payments) insertUnmatched(ctx context.Context, q *db.Queries, p watch.Payment, found watch.Scanned, why int) error {
	wallet, err := q.GetWallet(ctx, p.WalletID)
	if err != nil {
		return err
	}
	if wallet.Role != exchange.WalletRole {
		index, err := addressNumber(p.Ref)
		if err != nil {
			return err
		}
		if err := q.InsertReceivedPayment(ctx, s.row(p, owner{}, int32(index), found)); err != nil {
			return err
		}
		return q.OpenAlert(ctx, chargestore.UnmatchedAlert(p.TxHash, int32(index), []string{chargestore.NoCharge, chargestore.BeforeCharge}[why]))
	}
	index, err := q.IndexOfAddress(ctx, db.IndexOfAddressParams{WalletID: p.WalletID, Address: p.Address})
	if postgres.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := q.InsertReceivedPayment(ctx, s.row(p, owner{}, index, found)); err != nil {
		return err
	}
	detail := []string{"came to an address that is no trade's", "was in the chain before the trade of its address was made"}[why]
	amount := money.FromAtomic(p.Amount, wallet.Decimals)
	return sending.Alert(ctx, q, alert.DepositOrphaned, p.TxHash+":"+p.Address, fmt.Sprintf("%s %s %s", amount, wallet.Ticker, detail))
}
