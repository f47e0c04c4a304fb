package witness

import (
	"context"
	"errors"
)

// Mark is how far a wallet has come. The zero mark stands for a wallet that has
// never sent and never handed out an address, and for no mark at all.
type Mark struct {
	// Sends is the highest number of an outgoing transaction that may have been
	// relayed.
	Sends int64 `json:"sends"`
	// Addresses is the highest index of an address that may have been handed out.
	Addresses int64 `json:"addresses"`
}

// Max is the higher of two marks in each of its parts.
func (m Mark) Max(o Mark) Mark {
	return Mark{Sends: max(m.Sends, o.Sends), Addresses: max(m.Addresses, o.Addresses)}
}

// covers says whether m is nowhere below o.
func (m Mark) covers(o Mark) bool { return m.Sends >= o.Sends && m.Addresses >= o.Addresses }

// Entry is what one transaction paid: what a database that forgot it can learn
// from a place.
type Entry struct {
	// Seq is the transaction's number, from 1.
	Seq    int64  `json:"seq"`
	TxHash string `json:"tx"`
	// Purpose is payout, trade_payout, refund or consolidation.
	Purpose string `json:"purpose"`
	// Pays names what is paid: a payout, or a trade and its deposit (transaction:address)
	// for each that is answered.
	Pays []Reference `json:"pays,omitempty"`
	// Amount is what was paid and Fee the network's, in whole coins.
	Amount string `json:"amount"`
	Fee    string `json:"fee"`
	// To are the addresses that are paid. They are kept by no place beside the
	// wallet, which knows them anyway.
	To []string `json:"-"`
}

// Reference names one debt that a transaction pays: a merchant's payout, or the
// answer to a deposit of a trade.
type Reference struct {
	PayoutID   string `json:"payout,omitempty"`
	MerchantID string `json:"merchant,omitempty"`
	TradeID    string `json:"trade,omitempty"`
	// Kind is payout or refund.
	Kind           string `json:"kind,omitempty"`
	DepositTx      string `json:"deposit_tx,omitempty"`
	DepositAddress string `json:"deposit_address,omitempty"`
	// Amount is what is owed for the deposit, Paid what the transaction pays of it
	// and Fee its share of the fee, in whole coins.
	Amount string `json:"amount,omitempty"`
	Paid   string `json:"paid,omitempty"`
	Fee    string `json:"fee,omitempty"`
	// Order is what a merchant's payout paid at a provider; nil where it paid its
	// merchant.
	Order *Order `json:"order,omitempty"`
	// Refund is what a merchant's payout paid to a buyer beside the merchant; nil for
	// nothing.
	Refund *RefundPaid `json:"refund,omitempty"`
	// Unspent are the payments that a merchant's payout pays out and its transaction does
	// not spend, because the operator's fee is taken of them.
	Unspent []Received `json:"unspent,omitempty"`
}

// RefundPaid is a claim of a refund that a payout paid.
type RefundPaid struct {
	RefundID string `json:"refund"`
	ClaimID  string `json:"claim"`
	ChargeID string `json:"charge"`
	// Amount is what the buyer was paid, in whole coins.
	Amount string `json:"amount"`
}

// Place keeps marks outside of the database. It is safe for concurrent use; two
// raises at the same time are kept apart by the Keeper.
type Place interface {
	// Name is what operators call it.
	Name() string
	// Read is the mark as it was last raised, the zero mark when there is none.
	Read(ctx context.Context) (Mark, error)
	// Raise returns once the mark and the entry, unless it is nil, would survive
	// the crash of whoever keeps them. It lowers nothing. ErrConflict.
	Raise(ctx context.Context, to Mark, entry *Entry) error
	// Journal is what was noted of transactions, by hash; those of which nothing
	// is known are left out.
	Journal(ctx context.Context, txHashes []string) (map[string]Entry, error)
}

// Lister is a Place that tells of transactions whose hashes nobody has.
type Lister interface {
	// Since is what was noted of the transactions numbered above seq, as far as the
	// place still has it.
	Since(ctx context.Context, seq int64) ([]Entry, error)
}

// Errors of this package.
var (
	// ErrSafeMode says that the wallet is in safe mode.
	ErrSafeMode = errors.New("the wallet is in safe mode")
	// ErrConflict says that a place knows another transaction by the same number.
	ErrConflict = errors.New("another transaction has this number")
	// ErrMissing says that a daemon has a transaction neither in a block nor in its
	// pool.
	ErrMissing = errors.New("the daemon does not have the transaction")
	// ErrUnknown says that too few places answer to decide anything; try later.
	ErrUnknown = errors.New("the witness does not answer")
)
