package witness

import (
	"context"
	"errors"
)

// Mark is how far a wallet has come. The zero mark means that the wallet has never
// sent and never given out an address, or that there is no mark.
type Mark struct {
	// Sends is the highest number of an outgoing transaction that may have been relayed.
	Sends int64 `json:"sends"`
	// Addresses is the highest index of an address that may have been given out.
	Addresses int64 `json:"addresses"`
}

// Max returns the higher value of two marks for each part.
func (m Mark) Max(o Mark) Mark {
	return Mark{Sends: max(m.Sends, o.Sends), Addresses: max(m.Addresses, o.Addresses)}
}

// Entry describes what one transaction paid, so that a database that has forgotten it
// can read this from a place.
type Entry struct {
	// Seq is the transaction's number, from 1.
	Seq    int64  `json:"seq"`
	TxHash string `json:"tx"`
	// Purpose is payout, trade_payout, refund or consolidation.
	Purpose string `json:"purpose"`
	// Pays lists the debts that are paid: a payout, or a trade and its deposit
	// (transaction:address) for each deposit that is answered.
	Pays []Reference `json:"pays,omitempty"`
	// Amount is the amount paid and Fee the network's fee, in whole coins.
	Amount string `json:"amount"`
	Fee    string `json:"fee"`
	// To are the addresses that are paid. Only the wallet stores them, and it knows them
	// anyway.
	To []string `json:"-"`
}

// Reference identifies one debt that a transaction pays: a merchant's payout, or the
// answer to a deposit of a trade.
type Reference struct {
	PayoutID   string `json:"payout,omitempty"`
	MerchantID string `json:"merchant,omitempty"`
	TradeID    string `json:"trade,omitempty"`
	// Kind is payout or refund.
	Kind           string `json:"kind,omitempty"`
	DepositTx      string `json:"deposit_tx,omitempty"`
	DepositAddress string `json:"deposit_address,omitempty"`
	// Amount is the debt for the deposit, Paid the part that the transaction pays, and
	// Fee its share of the fee, in whole coins.
	Amount string `json:"amount,omitempty"`
	Paid   string `json:"paid,omitempty"`
	Fee    string `json:"fee,omitempty"`
	// Order is the provider order that a merchant's payout paid; nil if it paid its
	// merchant.
	Order *Order `json:"order,omitempty"`
	// Refund is the claim that a merchant's payout paid to a buyer in addition to the
	// merchant; nil for none.
	Refund *RefundPaid `json:"refund,omitempty"`
	// Unspent are the payments that a merchant's payout covers but its transaction does
	// not spend, because the operator's fee is taken from them.
	Unspent []Received `json:"unspent,omitempty"`
}

// RefundPaid is a claim of a refund that a payout paid.
type RefundPaid struct {
	RefundID string `json:"refund"`
	ClaimID  string `json:"claim"`
	ChargeID string `json:"charge"`
	// Amount is the amount paid to the buyer, in whole coins.
	Amount string `json:"amount"`
}

// Place keeps marks outside of the database. It is safe for concurrent use; the
// Keeper prevents two raises at the same time.
type Place interface {
	// Name returns the operators' name for the place.
	Name() string
	// Read returns the mark as last raised, or the zero mark when there is none.
	Read(ctx context.Context) (Mark, error)
	// Raise returns once the mark, and the entry unless it is nil, would survive a crash
	// of the process that keeps them. It lowers nothing. It returns ErrConflict.
	Raise(ctx context.Context, to Mark, entry *Entry) error
	// Journal returns the recorded entries of transactions, by hash. It leaves out
	// transactions without one.
	Journal(ctx context.Context, txHashes []string) (map[string]Entry, error)
}

// Lister is a Place that can list transactions whose hashes are unknown.
type Lister interface {
	Place

	// Since returns the entries of the transactions numbered above seq, as far as the
	// place still has them.
	Since(ctx context.Context, seq int64) ([]Entry, error)
}

// Errors of this package.
var (
	// ErrSafeMode is returned when the wallet is in safe mode.
	ErrSafeMode = errors.New("the wallet is in safe mode")
	// ErrConflict is returned when a place knows another transaction by the same number.
	ErrConflict = errors.New("another transaction has this number")
	// ErrMissing is returned when a daemon has a transaction neither in a block nor in
	// its pool.
	ErrMissing = errors.New("the daemon does not have the transaction")
	// ErrUnknown is returned when too few places answer to decide; try later.
	ErrUnknown = errors.New("the witness does not answer")
)
