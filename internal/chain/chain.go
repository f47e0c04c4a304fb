// Package chain defines the wallet that the exchange needs for one coin: it
// makes deposit addresses, shows the payments that arrive on them, and pays.
// Wallet is the interface. Package xmrwallet implements it for Monero and
// package utxowallet for Bitcoin-like coins, and TestConformance runs both on
// real private chains. Amounts are integers in the coin's atomic units
// (piconero, satoshi). The interface makes these promises:
//
// Durable address. When NewAddress returns, the wallet still watches the address
// after its process is killed. A process that dies earlier leaves at most an
// address that no caller received. An address that the caller has not stored, and the loss
// of a wallet's files, can lead to the same address twice, so the caller checks that
// addresses are unique.
//
// The daemon decides where a payment is. Scan lists received payments as the
// wallet shows them: amounts, addresses, locks, and a height that is only a
// hint. A wallet shows old heights after a reorganization, and loses track of
// payments that return to the pool. Locate asks the daemon. Both are stateless;
// package watch compares their results with the stored state. Before money is
// sent because of a deposit, call Deposit once more.
//
// If the chain gets shorter, package watch assumes that the daemon lost its last
// blocks in a crash, and waits until the chain is as long again.
//
// No stale answers. Methods that read the chain return ErrUnavailable while the
// daemon is down, and ErrLagging while the daemon or the wallet is behind. They
// never return an old state.
//
// Built once. Build signs and does not relay. The caller stores the bytes and
// relays the same bytes until they are mined, because a second Build for one
// payment could pay twice. A process that dies between Build and the caller's
// commit has sent nothing. No wallet process reliably remembers the built
// transactions: litecoind forgets its locks at a restart, and monero-wallet-rpc
// has none. So each Build gets the coins that are reserved for other
// transactions in Payment.Avoid, and drops every other reservation. For each
// wallet, only one caller at a time calls Build and Release.
//
// Relay twice. The bytes go to the daemon, not through the wallet. Relaying them
// again is harmless in the pool, after they were mined, and after their outputs
// were spent. After an error other than ErrRefused it is unknown whether the
// daemon has the bytes.
//
// Release is for a transaction that will never be relayed again. It returns
// ErrInUse while the daemon knows the transaction, or another transaction in its
// pool that spends the same coins. A transaction that was relayed may remain in
// other daemons' pools. So do not pay the same debt with another transaction
// until Find has returned InputsSpent for as many blocks as the caller trusts.
//
// Confirmed coins. Build spends only coins with the confirmations that the
// wallet's configuration requires (10 in Monero, by consensus). So a deposit
// that disappears does not invalidate a payment to another person.
package chain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Depth is how many blocks below the tip a received payment counts as settled.
// It is located again only after a deeper reorganization.
const Depth = 60

// Errors that callers distinguish. Test with errors.Is.
var (
	// ErrUnavailable is returned when the daemon or the wallet is down, busy or too
	// slow. Whether the call had an effect is unknown; try later.
	ErrUnavailable = errors.New("chain: unavailable")
	// ErrLagging is returned when the daemon or the wallet has not caught up with
	// the chain. It is also an ErrUnavailable.
	ErrLagging = errors.New("chain: lagging behind")
	// ErrNotFound is returned when the wallet has no such deposit.
	ErrNotFound = errors.New("chain: not found")
	// ErrAddress is returned for a text that is not an address to which the wallet
	// can pay.
	ErrAddress = errors.New("chain: not an address")
	// ErrNotEnough is returned when the wallet holds less than the payment needs,
	// including coins that cannot be spent yet.
	ErrNotEnough = errors.New("chain: not enough money")
	// ErrLocked is returned when the wallet holds enough but cannot spend it yet:
	// coins are unconfirmed, locked or reserved for another transaction.
	ErrLocked = errors.New("chain: money is locked")
	// ErrTooSmall is returned when the fee consumes the amount, or when the network
	// does not relay so small an amount.
	ErrTooSmall = errors.New("chain: amount too small")
	// ErrTooLarge is returned when the payment would not fit into one transaction.
	ErrTooLarge = errors.New("chain: transaction too large")
	// ErrRefused is returned when the daemon rejects a transaction. Find returns the
	// reason.
	ErrRefused = errors.New("chain: transaction refused")
	// ErrTooManySources is returned when a payment spends outputs of more
	// transactions than Origins reads. It is final.
	ErrTooManySources = errors.New("chain: spends outputs of too many transactions")
	// ErrForm is returned when the daemon shows a block or transaction of an unknown form, or
	// bytes that do not have their hash. Payments after it are not read, so nothing is settled
	// until it is gone.
	ErrForm = errors.New("chain: unknown form")
	// ErrNothing is returned when there is nothing to consolidate.
	ErrNothing = errors.New("chain: nothing to do")
	// ErrInUse is returned when a transaction cannot be released: it is in the pool
	// or in a block, or another transaction in the pool spends its inputs.
	ErrInUse = errors.New("chain: transaction in use")
)

// LagError is an ErrLagging that contains how many blocks the daemon or the
// wallet is behind the chain, where that is known.
type LagError struct {
	Blocks uint64
	What   string
}

// Error names the part that lags and the number of blocks.
func (e *LagError) Error() string { return fmt.Sprintf("%s lags %d blocks behind", e.What, e.Blocks) }

// Unwrap makes it an ErrLagging.
func (e *LagError) Unwrap() error { return ErrLagging }

// Receiver is the part of a wallet that shows received payments. It is safe for
// concurrent use. Every method can return ErrUnavailable.
type Receiver interface {
	// Tip returns the highest block that the daemon has, and the wallet, if that reads blocks
	// by itself. It returns ErrLagging when they have not caught up, so it also checks that
	// the wallet is ready.
	Tip(ctx context.Context) (Tip, error)
	// BlockHash returns the hash of the daemon's block at a height, or ErrNotFound
	// above the tip.
	BlockHash(ctx context.Context, height uint64) (string, error)
	// Scan lists the payments that the wallet shows in the blocks from one height to
	// another, both included, and in the whole pool; only the pool if from is above
	// to. A wallet that cannot limit the range may continue up to the tip; upTo is
	// the height that it reached. Change of own payments is in the list only if the
	// wallet cannot distinguish it. It returns ErrForm.
	Scan(ctx context.Context, from, to uint64) (received []Received, upTo uint64, err error)
	// Locate asks the daemon for transactions by hash, and answers in the same
	// order. It asks twice for a transaction that is in neither pool nor chain,
	// because no daemon reads both at one moment. A transaction in the pool is
	// Unknown when another transaction in a block spends the same coins.
	Locate(ctx context.Context, txHashes []string) ([]Location, error)
	// Origins returns the addresses that a received payment was spent from, each
	// once; none where the chain does not show them. It may be slow, because the
	// payer chooses how much there is to read. It returns ErrTooManySources above
	// the limit.
	Origins(ctx context.Context, r Received) ([]string, error)
}

// Restorable is a wallet that finds payments with a file. The file may be older than its
// use: restored from a copy, or created again from its seed.
type Restorable interface {
	// Knows reports whether the wallet has made its addresses up to this number. If
	// not, payments to them in blocks that it has read may be missing until Adopt
	// and Rescan.
	Knows(ctx context.Context, ref uint64) (bool, error)
	// Adopt makes the wallet create and store its addresses up to this number.
	Adopt(ctx context.Context, ref uint64) error
	// Rescan reads the whole chain again. It takes minutes to hours, during which
	// the wallet does nothing else.
	Rescan(ctx context.Context) error
}

// Extendable is a wallet that makes some keys ahead and sees only payments to
// those. Its file may be older than the database, or created again from its
// seed, and then it may have too few keys.
type Extendable interface {
	// Watches reports whether the wallet sees payments to an address.
	Watches(ctx context.Context, address string) (bool, error)
	// Extend makes keys until the wallet watches its address with this number, and as
	// many more as ahead says. An empty address stands for none. It returns ErrNotFound
	// when the wallet has another address there, because the wallet was made from
	// another seed.
	Extend(ctx context.Context, address string, number, ahead uint64) error
	// Rescan works as Restorable.Rescan does.
	Rescan(ctx context.Context) error
}

// Wallet is the exchange's wallet of one coin. It is safe for concurrent use,
// except Build and Release. Every method can return ErrUnavailable.
type Wallet interface {
	Receiver
	Sender

	// NewAddress makes a fresh deposit address.
	NewAddress(ctx context.Context) (Address, error)
	// Balance returns what the wallet holds. promised are reserved coins, as in
	// Payment.Avoid.
	Balance(ctx context.Context, promised []string) (Balance, error)
	// Fee estimates the current cost of an ordinary payment, on the high side.
	Fee(ctx context.Context) (uint64, error)
	// Deposit returns what a transaction pays to one of the wallet's addresses, as
	// the chain has it now. Its Missing is never set: a missing deposit is
	// ErrNotFound. It also returns ErrLagging.
	Deposit(ctx context.Context, txHash, address string) (Deposit, error)
}

// Sender is the part of a wallet that pays.
type Sender interface {
	// Build makes and signs a payment without relaying it. It returns ErrAddress,
	// ErrNotEnough, ErrLocked, ErrTooSmall, ErrTooLarge or ErrLagging.
	Build(ctx context.Context, pay Payment) (Built, error)
	// MaxPayees returns how many addresses one payment can have.
	MaxPayees() int
	// Consolidate makes and signs a payment of the wallet's smallest coins to the
	// wallet itself, as many as fit well into one transaction, so that fewer and
	// larger coins remain. It ignores coins that cost more than they bring. It
	// returns ErrNothing when the wallet has at most keep coins that can be spent,
	// else the errors of Build.
	Consolidate(ctx context.Context, avoid []string, keep int) (Built, error)
	// Relay sends the stored bytes to the daemon. It returns ErrRefused.
	Relay(ctx context.Context, b Built) error
	// Find returns the state of a built transaction. A daemon may not show a
	// transaction in the seconds before it has relayed it.
	Find(ctx context.Context, b Built) (Found, error)
	// Release abandons a built transaction, so that other transactions can spend its
	// coins. Repeating it is harmless. It returns ErrInUse.
	Release(ctx context.Context, b Built) error
}

// Address is a deposit address.
type Address struct {
	// Text is the address that a customer pays to.
	Text string
	// Ref is the wallet's name for it: a subaddress index, or a key path.
	Ref string
}

// Balance is the content of a wallet, in atomic units.
type Balance struct {
	// Unlocked is what successive Builds could spend now, fees included. Reserved
	// coins do not count, whether or not the wallet remembers the reservation.
	Unlocked uint64
	// Total includes unconfirmed, locked and reserved coins.
	Total uint64
}

// Tip is the highest block of the chain.
type Tip struct {
	// Height counts from 0, the first block.
	Height uint64
	Hash   string
}

// Received is one transaction's payment to one of the wallet's addresses, as the
// wallet shows it. Hash and address together identify it.
type Received struct {
	TxHash, Address string
	// WalletID is the wallet that the address belongs to.
	WalletID string
	// Ref is the wallet's name for the address, as in Address; empty where the
	// wallet is not asked.
	Ref string
	// Amount is the sum of the transaction's outputs to Address, in atomic units. It
	// can be 0.
	Amount uint64
	// Outputs is the number of those outputs, at least 1.
	Outputs int
	// Height is where the wallet last saw the payment, which is only a hint; 0 for
	// the pool.
	Height uint64
	// UnlockHeight and UnlockAt are the payer's lock: the number of blocks of the
	// chain, and the time, before which the payment cannot be spent. They are 0 and
	// zero for an ordinary payment.
	UnlockHeight uint64
	UnlockAt     time.Time
	// SpendableAfter is how many confirmations consensus requires before the payment
	// can be spent.
	SpendableAfter uint64
	// Contested reports whether the wallet saw another transaction spend the same
	// coins.
	Contested bool
	// Hidden reports whether the chain hides the payment's origin.
	Hidden bool
	// Seen is when the daemon or the wallet first saw the payment. If only the
	// block's time is known, or if that is earlier, it is the block's time.
	Seen time.Time
}

// Location is where the daemon has a transaction.
type Location struct {
	State State
	// Height is the block's height if the state is Mined.
	Height uint64
	// Contested reports whether another transaction was seen that spends the same
	// coins, if the state is InPool.
	Contested bool
}

// Deposit is what one transaction pays to one address of the wallet. Hash and
// address together identify it.
type Deposit struct {
	TxHash  string
	Address string
	// Amount is the sum of the transaction's outputs to Address, in atomic units.
	Amount uint64
	// Height is the block's height; 0 while in the pool.
	Height uint64
	// Confirmations is 0 in the pool, 1 in the tip.
	Confirmations uint64
	// Locked reports whether consensus does not allow spending it yet: a block
	// reward, a Monero output below 10 confirmations, or one with a longer lock by
	// its payer.
	Locked bool
	// Contested reports whether another transaction was seen that spends the same
	// coins, and no block has decided between them.
	Contested bool
	// Missing reports whether the deposit is in neither the pool nor the chain any
	// more. The other fields then have their last values.
	Missing bool
	// Seen is when the daemon or the wallet first saw the deposit. If only the
	// block's time is known, or if that is earlier, it is the block's time.
	Seen time.Time
}

// Destination is a payee's address and amount.
type Destination struct {
	Address string
	// Amount, in atomic units, must be positive.
	Amount uint64
}

// Payment is the input of Build.
type Payment struct {
	// To is the address to pay.
	To string
	// Amount, in atomic units, must be positive.
	Amount uint64
	// More are further payees of the same transaction: together with To at most
	// MaxPayees, no address twice.
	More []Destination
	// SubtractFee subtracts the fee from the amounts, in equal parts, instead of
	// adding it. To bears the remainder of the division.
	SubtractFee bool
	// Prefer lists transactions whose outputs are spent, and no other coins, if they
	// are enough.
	Prefer []string
	// Avoid lists coins that must not be spent: the Inputs of every transaction that
	// was built, is not mined yet and was not released. All coins that are not in
	// the list count as free.
	Avoid []string
}

// Built is a signed transaction that was not relayed.
type Built struct {
	TxHash string
	// Raw is the serialized transaction: anyone who has it can relay it.
	Raw []byte
	// Amount is what the payees receive, Fee what the network receives, in atomic
	// units.
	Amount, Fee uint64
	// Paid is what each payee receives, in the order of the payment.
	Paid []uint64
	// Inputs are the coins it spends: key images, or transaction:output.
	Inputs []string
	// Proof is a secret that proves the payment to another person, where the chain
	// itself does not show it. It is empty where the chain shows payments.
	Proof string
}

// Destinations returns all payees, To first.
func (p Payment) Destinations() []Destination {
	return append([]Destination{{p.To, p.Amount}}, p.More...)
}

// Total returns the sum of the amounts to pay, in atomic units. ok is false when
// the sum is out of range or one of the amounts is 0.
func (p Payment) Total() (total uint64, ok bool) {
	for _, d := range p.Destinations() {
		if d.Amount == 0 || total > math.MaxInt64-d.Amount || d.Amount > math.MaxInt64 {
			return 0, false
		}
		total += d.Amount
	}
	return total, true
}

// Less returns the amounts after subtracting a fee in equal parts. ok is false
// when the fee consumes one of them.
func (p Payment) Less(fee uint64) (amounts []uint64, ok bool) {
	all := p.Destinations()
	part, rest := fee/uint64(len(all)), fee%uint64(len(all))
	for i, d := range all {
		share := part
		if i == 0 {
			share += rest
		}
		if d.Amount <= share {
			return nil, false
		}
		amounts = append(amounts, d.Amount-share)
	}
	return amounts, true
}

// State is the place of a transaction.
type State uint8

// The states of a transaction, as the daemon sees them.
const (
	// Unknown: the transaction is in neither the pool nor the chain.
	Unknown State = iota
	// InPool: the transaction waits for a block.
	InPool
	// Mined: the transaction is in a block of the main chain.
	Mined
)

// InputState is whether an unknown transaction could still be mined.
type InputState uint8

// The states of a transaction's inputs, without its own spending of them. The
// most serious state counts.
const (
	// InputsFree: no other transaction spends them.
	InputsFree InputState = iota
	// InputsMissing: one of them comes from a transaction that the daemon no longer
	// has, and that may come back.
	InputsMissing
	// InputsContested: another transaction in the pool spends one of them.
	InputsContested
	// InputsSpent: another transaction in a block spends one of them.
	InputsSpent
)

// Found is the result of looking for a built transaction.
type Found struct {
	State State
	// Height and Confirmations are set when it is Mined.
	Height, Confirmations uint64
	// Inputs is InputsFree unless the state is Unknown.
	Inputs InputState
}
