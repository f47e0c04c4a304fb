// Package chain is what the exchange needs of one coin: a wallet that makes
// deposit addresses, tells what arrives on them, and pays. Wallet is the
// interface; xmrwallet implements it for Monero and utxowallet for the coins
// of Bitcoin's kind, and TestConformance runs both on real
// private chains. Amounts are integers in the coin's atomic units (piconero,
// satoshi). What the words of the interface promise:
//
// Durable address. NewAddress returns once the wallet would still watch the
// address after its process was killed. A process that dies before leaves at
// most an address that nobody was told. Only the loss of the wallet's files
// could hand an address out twice, so the caller keeps addresses unique.
//
// The daemon says where a payment is. Scan lists what the wallet shows of
// received payments: amounts, addresses, locks, and a height that is no more
// than a hint, since a wallet shows old heights after a reorganization and loses
// sight of what returns to the pool. Locate asks the daemon. Neither remembers
// anything; package watch compares them with what is stored. Before money leaves
// because of a deposit, ask Deposit once more.
//
// A chain that got shorter is taken for a daemon that lost its last blocks in
// a crash: package watch waits until it is as long again.
//
// No stale answers. Whatever tells about the chain fails with ErrUnavailable
// while the daemon is down and with ErrLagging while the daemon or the wallet
// is behind; it does not tell yesterday's state.
//
// Built once. Build signs and does not relay. The caller stores what it got
// and relays those bytes, the same ones, until they are mined; a second Build
// for one payment could pay twice. A process that dies between Build and the
// caller's commit has sent nothing. No wallet process remembers reliably what
// was built (litecoind forgets its locks at a restart, monero-wallet-rpc has
// none), so each Build is told in Payment.Avoid which coins are promised to
// other transactions, and every other reservation is dropped. Build and
// Release are called by one caller at a time for each wallet.
//
// Relay twice. The bytes go to the daemon, not through the wallet. Relaying
// them again is harmless in the pool, after they were mined, and after their
// outputs were spent. An error other than ErrRefused leaves open whether the
// daemon has them.
//
// Release is for a transaction that will never be relayed again. It is
// refused with ErrInUse while the daemon knows the transaction, or another in
// its pool that spends the same coins. One that was
// relayed may live in other daemons' pools, so it must not be replaced by
// another payment of the same debt until Find says InputsSpent for as many
// blocks as the caller trusts.
//
// Confirmed coins. Build spends coins that have the confirmations of the
// wallet's configuration (10 in Monero by consensus), so that a deposit that
// vanishes does not take a payment to somebody else with it.
package chain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Depth is how many blocks below the tip what was received counts as settled: it
// is asked for again only after a reorganization that is deeper.
const Depth = 60

// What went wrong, as far as a caller has to know. Test with errors.Is.
var (
	// ErrUnavailable says that the daemon or the wallet is down, busy or too
	// slow. Nothing is known about the call's effect; try later.
	ErrUnavailable = errors.New("chain: unavailable")
	// ErrLagging says that the daemon or the wallet has not caught up with the
	// chain. It is an ErrUnavailable too.
	ErrLagging = errors.New("chain: lagging behind")
	// ErrNotFound says that the wallet knows no such deposit.
	ErrNotFound = errors.New("chain: not found")
	// ErrAddress says that a text is not an address that can be paid to.
	ErrAddress = errors.New("chain: not an address")
	// ErrNotEnough says that the wallet holds less than the payment needs,
	// coins that cannot be spent yet included.
	ErrNotEnough = errors.New("chain: not enough money")
	// ErrLocked says that the wallet holds enough but cannot spend it yet:
	// coins are unconfirmed, locked or promised to another transaction.
	ErrLocked = errors.New("chain: money is locked")
	// ErrTooSmall says that the amount is eaten up by the fee or is too small
	// for the network to relay.
	ErrTooSmall = errors.New("chain: amount too small")
	// ErrTooLarge says that the payment would not fit into one transaction.
	ErrTooLarge = errors.New("chain: transaction too large")
	// ErrRefused says that the daemon looked at a transaction and will not
	// have it. Ask Find why.
	ErrRefused = errors.New("chain: transaction refused")
	// ErrTooManySources says that a payment spends outputs of more transactions
	// than are read to tell where it comes from. It is final.
	ErrTooManySources = errors.New("chain: spends outputs of too many transactions")
	// ErrNothing says that there is nothing to consolidate.
	ErrNothing = errors.New("chain: nothing to do")
	// ErrInUse says that a transaction cannot be released: it is in the pool or
	// in a block, or another in the pool spends its inputs.
	ErrInUse = errors.New("chain: transaction in use")
)

// LagError says by how much the daemon or the wallet has not caught up with the
// chain, where that is known. It is an ErrLagging.
type LagError struct {
	Blocks uint64
	What   string
}

// Error tells who lags and by how much.
func (e *LagError) Error() string { return fmt.Sprintf("%s lags %d blocks behind", e.What, e.Blocks) }

// Unwrap makes it an ErrLagging.
func (e *LagError) Unwrap() error { return ErrLagging }

// Receiver is the part of a wallet that shows what it received. It is safe for
// concurrent use. Every method can fail with ErrUnavailable.
type Receiver interface {
	// Tip is the highest block that daemon and wallet have both seen.
	// ErrLagging when they have not caught up: the wallet's readiness.
	Tip(ctx context.Context) (Tip, error)
	// BlockHash is the hash of the daemon's block at a height. ErrNotFound above
	// the tip.
	BlockHash(ctx context.Context, height uint64) (string, error)
	// Scan lists what the wallet shows of payments in the blocks from one height
	// up to another, both included, and all of its pool; with from above to, the
	// pool only. A wallet that cannot be asked for less may go on up to the tip;
	// it answers up to where it went. Change of own payments may be among it only
	// where the wallet cannot tell.
	Scan(ctx context.Context, from, to uint64) (received []Received, upTo uint64, err error)
	// Locate asks the daemon for transactions, by hash, and answers in the
	// same order. What it finds in neither pool nor chain it asks for twice,
	// because no daemon looks into both at one moment. What a daemon keeps in
	// its pool is Unknown when another transaction in a block spends the same
	// coins.
	Locate(ctx context.Context, txHashes []string) ([]Location, error)
	// Origins are the addresses that a received payment was spent from, each
	// once; none where the chain does not show them. It may take long, because
	// the payer chose how much there is to read. It returns ErrTooManySources
	// when that is more than is read.
	Origins(ctx context.Context, r Received) ([]string, error)
}

// Restorable is a wallet whose file may be older than what was done with it:
// restored from a copy, or made anew from its seed.
type Restorable interface {
	// Knows says whether the wallet has made its addresses up to this number.
	// Where it has not, payments to them in blocks that it has read may be
	// missing, until Adopt and Rescan.
	Knows(ctx context.Context, ref uint64) (bool, error)
	// Adopt lets the wallet make its addresses up to this number, and stores it.
	Adopt(ctx context.Context, ref uint64) error
	// Rescan reads the whole chain anew. It takes as long as that takes: minutes
	// to hours. The wallet does nothing else meanwhile.
	Rescan(ctx context.Context) error
}

// Extendable is a wallet that makes its keys some way ahead and sees only
// payments to those. Its file may be older than the database, or made anew
// from its seed, and the way too short.
type Extendable interface {
	// Watches says whether the wallet sees payments to an address.
	Watches(ctx context.Context, address string) (bool, error)
	// Extend makes keys until the wallet watches its address with this number.
	// ErrNotFound when it has another there: it was made of another seed.
	Extend(ctx context.Context, address string, number uint64) error
	// Rescan is that of Restorable.
	Rescan(ctx context.Context) error
}

// Wallet is one coin's wallet of the exchange. It is safe for concurrent use,
// apart from Build and Release. Every method can fail with ErrUnavailable.
type Wallet interface {
	Receiver
	Sender

	// NewAddress makes a fresh deposit address.
	NewAddress(ctx context.Context) (Address, error)
	// Balance is what the wallet holds; promised are coins as in Payment.Avoid.
	Balance(ctx context.Context, promised []string) (Balance, error)
	// Fee estimates what an ordinary payment costs now, on the high side.
	Fee(ctx context.Context) (uint64, error)
	// Deposit is what a transaction pays to one of the wallet's addresses, as
	// the chain has it now, never Gone. ErrNotFound, ErrLagging.
	Deposit(ctx context.Context, txHash, address string) (Deposit, error)
}

// Sender is the part of a wallet that pays.
type Sender interface {
	// Build makes and signs a payment without relaying it. ErrAddress,
	// ErrNotEnough, ErrLocked, ErrTooSmall, ErrTooLarge, ErrLagging.
	Build(ctx context.Context, pay Payment) (Built, error)
	// MaxPayees is how many addresses one payment can have.
	MaxPayees() int
	// Consolidate makes and signs a payment to the wallet itself, of as many of its
	// smallest coins as fit well into one transaction, so that fewer and larger
	// ones remain. Coins that cost more than they bring are left alone.
	// ErrNothing when the wallet has not more than keep coins that can be spent;
	// else as Build.
	Consolidate(ctx context.Context, avoid []string, keep int) (Built, error)
	// Relay hands the stored bytes to the daemon. ErrRefused.
	Relay(ctx context.Context, b Built) error
	// Find tells what became of a built transaction. A daemon may not show a
	// transaction in the seconds before it has passed it on.
	Find(ctx context.Context, b Built) (Found, error)
	// Release gives a built transaction up, so that its coins can be spent by
	// others; again is harmless. ErrInUse.
	Release(ctx context.Context, b Built) error
}

// Address is a deposit address.
type Address struct {
	// Text is what a customer pays to.
	Text string
	// Ref is how the wallet names it: a subaddress index, or a key path.
	Ref string
}

// Balance is what a wallet holds, in atomic units.
type Balance struct {
	// Unlocked is what one Build after another could spend now, fees
	// included. Coins that are promised do not count, whatever the wallet
	// remembers of that.
	Unlocked uint64
	// Total counts in what is unconfirmed, locked or promised.
	Total uint64
}

// Tip is the highest block of the chain.
type Tip struct {
	// Height counts from 0, the first block.
	Height uint64
	Hash   string
}

// Received is what the wallet shows of one transaction's payment to one of its
// addresses; both together identify it.
type Received struct {
	TxHash, Address string
	// Ref is how the wallet names the address, as in Address; empty where it is
	// not asked.
	Ref string
	// Amount is the sum of the transaction's outputs to Address, in atomic units;
	// it can be 0.
	Amount uint64
	// Outputs is the number of those outputs, at least 1.
	Outputs int
	// Height is where the wallet last saw it, a hint; 0 for the pool.
	Height uint64
	// UnlockHeight is the number of blocks of the chain, and UnlockAt the moment,
	// before which its payer locked it; 0 and zero for an ordinary payment.
	UnlockHeight uint64
	UnlockAt     time.Time
	// SpendableAfter is how many confirmations it needs before consensus lets it
	// be spent.
	SpendableAfter uint64
	// Contested says that the wallet saw another transaction spend the same coins.
	Contested bool
	// Hidden says that the chain does not show where it comes from.
	Hidden bool
	// Seen is when the daemon or the wallet first saw it, or its block's time
	// when that is all that is known (or earlier).
	Seen time.Time
}

// Location is where the daemon has a transaction.
type Location struct {
	State State
	// Height is the block's, when Mined.
	Height uint64
	// Contested says that another transaction was seen that spends the same
	// coins, when InPool.
	Contested bool
}

// Deposit is what one transaction pays to one address of the wallet: both
// together identify it.
type Deposit struct {
	TxHash  string
	Address string
	// Amount is the sum of the transaction's outputs to Address, in atomic units.
	Amount uint64
	// Height is the block's height; 0 while in the pool.
	Height uint64
	// Confirmations is 0 in the pool, 1 in the tip.
	Confirmations uint64
	// Locked says that the chain does not let it be spent yet: a block reward,
	// a Monero output below 10 confirmations, or one whose payer asked for a
	// longer lock.
	Locked bool
	// Contested says that another transaction was seen that spends the same
	// coins, and that no block has decided between them.
	Contested bool
	// Missing says that it is neither in the pool nor in the chain any more; the
	// other fields are then as last told.
	Missing bool
	// Seen is when the daemon or the wallet first saw it, or its block's time
	// when that is all that is known (or earlier).
	Seen time.Time
}

// Destination is who is paid and how much.
type Destination struct {
	Address string
	// Amount, in atomic units, must be positive.
	Amount uint64
}

// Payment is what Build makes a transaction of.
type Payment struct {
	// To is the address that is paid.
	To string
	// Amount, in atomic units, must be positive.
	Amount uint64
	// More are paid by the same transaction: with To at most MaxPayees, no
	// address twice.
	More []Destination
	// SubtractFee takes the fee off the amounts, in equal parts, instead of
	// adding it; To bears what cannot be divided.
	SubtractFee bool
	// Prefer are transactions whose outputs are spent, and no other coins, where
	// they are enough.
	Prefer []string
	// Avoid are coins that must not be spent: the Inputs of every transaction
	// that was built, is not yet mined, and was not released. All coins that
	// are not named here count as free.
	Avoid []string
}

// Built is a signed transaction that was not relayed.
type Built struct {
	TxHash string
	// Raw are the transaction's bytes: whoever has them can relay it.
	Raw []byte
	// Amount is what the payees get, Fee what the network gets, in atomic units.
	Amount, Fee uint64
	// Paid is what each payee gets, in the order of the payment.
	Paid []uint64
	// Inputs name the coins it spends: key images, or transaction:output.
	Inputs []string
	// Proof lets one prove the payment to others, where the chain itself does
	// not show it. It is a secret; empty where the chain shows payments.
	Proof string
}

// Destinations are all payees, To first.
func (p Payment) Destinations() []Destination {
	return append([]Destination{{p.To, p.Amount}}, p.More...)
}

// Total is the sum of what is to be paid, in atomic units; ok is false when it
// is out of range or a part of it is 0.
func (p Payment) Total() (total uint64, ok bool) {
	for _, d := range p.Destinations() {
		if d.Amount == 0 || total > math.MaxInt64-d.Amount || d.Amount > math.MaxInt64 {
			return 0, false
		}
		total += d.Amount
	}
	return total, true
}

// Less are the amounts after a fee was taken off in equal parts; ok is false
// when one of them is eaten up.
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

// State is where a transaction is.
type State uint8

// The states of a transaction, as the daemon sees them.
const (
	// Unknown says that it is neither in the pool nor in the chain.
	Unknown State = iota
	// InPool says that it waits for a block.
	InPool
	// Mined says that it is in a block of the main chain.
	Mined
)

// InputState is whether an unknown transaction could still be mined.
type InputState uint8

// The states of a transaction's inputs, apart from itself; the gravest counts.
const (
	// InputsFree says that no other transaction spends them.
	InputsFree InputState = iota
	// InputsMissing says that one comes from a transaction that is not known
	// any more; it may come back.
	InputsMissing
	// InputsContested says that another transaction in the pool spends one.
	InputsContested
	// InputsSpent says that another transaction in a block spends one.
	InputsSpent
)

// Found is what became of a built transaction.
type Found struct {
	State State
	// Height and Confirmations are set when it is Mined.
	Height, Confirmations uint64
	// Inputs is InputsFree unless the state is Unknown.
	Inputs InputState
}
