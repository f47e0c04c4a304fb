package books

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/internal/money"
)

// Trade is what the exchange has written of a trade.
type Trade struct {
	ID       string
	Deposits []Deposit
	Payments []TradePayment
}

// Deposit is one that came, and is there still.
type Deposit struct {
	TxHash string
	Amount money.Decimal
	// Height is nil while it waits in the pool.
	Height *int64
}

// TradePayment is a payout or a refund. Fields that exist once it is built are nil before.
type TradePayment struct {
	Kind, State string
	TxHash      *string
	Paid, Fee   *money.Decimal
}

// ReadTrade reads the rows of a trade.
func ReadTrade(ctx context.Context, conn *pgx.Conn, id string) (Trade, error) {
	t := Trade{ID: id}
	rows, err := conn.Query(ctx, "SELECT tx_hash, amount, height FROM trade_deposits WHERE trade_id = $1 AND missing_at IS NULL", id)
	if err != nil {
		return t, err
	}
	if t.Deposits, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Deposit]); err != nil {
		return t, err
	}
	rows, err = conn.Query(ctx, "SELECT kind, state, tx_hash, paid, fee FROM trade_payment_states WHERE trade_id = $1", id)
	if err != nil {
		return t, err
	}
	t.Payments, err = pgx.CollectRows(rows, pgx.RowToStructByPos[TradePayment])
	return t, err
}

// Seen is what customer and chains know of a trade that was paid for once.
type Seen struct {
	// Amount was deposited by Deposit, the transaction, in the block at Height.
	Amount  money.Decimal
	Deposit string
	Height  int64
	// Pays is what the deposit is worth at the locked rate.
	Pays money.Decimal
	// Paid and Back are what arrived at the customer's two addresses, by
	// transaction.
	Paid, Back map[string]money.Decimal
}

// Settled compares a trade with the chain. Its one deposit is the customer's
// transaction, in the same block. It has one transaction, and only that one arrived.
func (t Trade) Settled(seen Seen) []Fault {
	return append(t.deposited(seen), t.PaidOnce(seen)...)
}

func (t Trade) deposited(seen Seen) []Fault {
	if len(t.Deposits) != 1 {
		return []Fault{{TradeBesideChain, t.ID, fmt.Sprintf("%d deposits", len(t.Deposits))}}
	}
	d := t.Deposits[0]
	if d.TxHash != seen.Deposit || d.Amount.Cmp(seen.Amount) != 0 || d.Height == nil || *d.Height != seen.Height {
		what := fmt.Sprintf("%s of %s in %s, not %s of %s in block %d", d.Amount, d.TxHash, block(d.Height), seen.Amount, seen.Deposit, seen.Height)
		return []Fault{{TradeBesideChain, t.ID, what}}
	}
	return nil
}

func block(height *int64) string {
	if height == nil {
		return "no block"
	}
	return fmt.Sprintf("block %d", *height)
}

// SentBack compares a trade whose one deposit was refunded with the chain: it has
// one transaction, only that one arrived at the refund address, and it brought the
// deposit less its fee.
func (t Trade) SentBack(seen Seen) []Fault {
	faults := append(t.deposited(seen), t.paidTwice(seen)...)
	if len(seen.Back) == 0 || len(t.Payments) == 0 {
		return append(faults, Fault{TradeUnpaid, t.ID, fmt.Sprintf("%d transactions are planned, nothing came back", len(t.Payments))})
	}
	made := t.Payments[0]
	if made.Kind != "refund" || made.State != "confirmed" || made.TxHash == nil {
		return append(faults, Fault{TradeUnpaid, t.ID, made.Kind + " " + made.State})
	}
	if made.Paid.Add(*made.Fee).Cmp(seen.Amount) != 0 || seen.Back[*made.TxHash].Cmp(*made.Paid) != 0 {
		what := fmt.Sprintf("%s and a fee of %s in the books, %s came back of %s", made.Paid, made.Fee, seen.Back[*made.TxHash], seen.Amount)
		faults = append(faults, Fault{TradeBesideChain, t.ID, what})
	}
	return faults
}

// paidTwice returns a fault for more than one transaction, planned or arrived.
func (t Trade) paidTwice(seen Seen) []Fault {
	if len(t.Payments) <= 1 && len(seen.Paid)+len(seen.Back) <= 1 {
		return nil
	}
	what := fmt.Sprintf("%d transactions are planned; %d payouts and %d refunds arrived", len(t.Payments), len(seen.Paid), len(seen.Back))
	return []Fault{{TradePaidTwice, t.ID, what}}
}

// Untouched returns a fault if anything was done for a trade that was not paid.
func (t Trade) Untouched(seen Seen) []Fault {
	if len(t.Deposits)+len(t.Payments)+len(seen.Paid)+len(seen.Back) == 0 {
		return nil
	}
	return []Fault{{TradeBesideChain, t.ID, fmt.Sprintf("nobody paid for it, and there is %+v, and %+v arrived", t, seen)}}
}

// PaidOnce compares the one transaction of a trade with what arrived.
func (t Trade) PaidOnce(seen Seen) []Fault {
	faults := t.paidTwice(seen)
	if len(seen.Paid) == 0 || len(t.Payments) == 0 {
		return append(faults, Fault{TradeUnpaid, t.ID, fmt.Sprintf("%d transactions are planned, nothing arrived", len(t.Payments))})
	}
	made := t.Payments[0]
	if made.Kind != "payout" || made.State != "confirmed" || made.TxHash == nil {
		return append(faults, Fault{TradeUnpaid, t.ID, made.Kind + " " + made.State})
	}
	if made.Paid.Cmp(seen.Pays) != 0 || seen.Paid[*made.TxHash].Cmp(*made.Paid) != 0 {
		what := fmt.Sprintf("%s in the books, %s arrived, %s is the deposit at the locked rate", made.Paid, seen.Paid[*made.TxHash], seen.Pays)
		faults = append(faults, Fault{TradeBesideChain, t.ID, what})
	}
	return faults
}
