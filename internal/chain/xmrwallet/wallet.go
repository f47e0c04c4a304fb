package xmrwallet

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
)

// Wallet implements chain.Wallet.
type Wallet struct {
	*Receiver

	spend *monero.Wallet
	id    string
	view  *monero.Deriver
	store Store

	// fork is the network version that the daemon last reported; 0 before the first
	// answer.
	fork atomic.Int64

	// lastSeen is the result of the last list of all outputs; nil before the first.
	lastSeen atomic.Pointer[holdings]

	mu sync.Mutex
	// made is the index of the last address that was made.
	made uint64
	// spendKnows is how many addresses the spending wallet is known to have stored; 0
	// before the first call to it.
	spendKnows uint32
}

var _ chain.Wallet = (*Wallet)(nil)

// New makes a wallet from the process that pays. The deriver has its keys.
func New(daemon *monero.Daemon, spend *monero.Wallet, id string, deriver *monero.Deriver, store Store) *Wallet {
	keys := Keys{Configured: []Configured{{Wallet: scan.Wallet{ID: id, View: deriver}, WithoutPrimary: true}}}
	return &Wallet{Receiver: NewReceiver(daemon, keys, store), spend: spend, id: id, view: deriver, store: store}
}

// NewAddress derives the subaddress above all that may have been given out or were made
// here; Ref is its index. When it returns, the spending wallet has stored the address,
// because it would not see the money otherwise.
func (w *Wallet) NewAddress(ctx context.Context) (chain.Address, error) {
	highest, err := w.store.HighestAddress(ctx, w.id)
	if err != nil {
		return chain.Address{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	index := uint32(max(highest, w.made) + 1)
	if err := w.letSpendKnow(ctx, index); err != nil {
		return chain.Address{}, err
	}
	w.made = uint64(index)
	return chain.Address{Text: w.view.Subaddress(0, index), Ref: strconv.FormatUint(uint64(index), 10)}, nil
}

// ahead is how many additional addresses the spending wallet makes, so that most
// calls do not wait until it has built a payment.
const ahead = 16

func (w *Wallet) letSpendKnow(ctx context.Context, index uint32) error {
	if index < w.spendKnows {
		return nil
	}
	// EnsureAddressCount also stores them.
	if err := w.spend.EnsureAddressCount(ctx, index+1+ahead); err != nil {
		return translated(err)
	}
	own, made, err := w.spend.AddressAt(ctx, index)
	if err != nil {
		return translated(err)
	}
	if want := w.view.Subaddress(0, index); !made || own != want {
		return fmt.Errorf("chain: the wallet's address %d is not its own", index)
	}
	w.spendKnows = index + 1 + ahead
	return nil
}

// Balance returns the content of the spending wallet, because a view key does not show
// which outputs are spent. Change that is still in the pool does not count.
func (w *Wallet) Balance(ctx context.Context, promised []string) (chain.Balance, error) {
	if err := w.catchUp(ctx); err != nil {
		return chain.Balance{}, err
	}
	held, _, err := w.outputs(ctx)
	if err != nil {
		return chain.Balance{}, err
	}
	var b chain.Balance
	for _, o := range held {
		b.Total += uint64(o.Amount)
		if o.Unlocked && !o.Frozen && !slices.Contains(promised, o.KeyImage) {
			b.Unlocked += uint64(o.Amount)
		}
	}
	return b, nil
}

// outputs returns the outputs at these subaddresses, or at all, that the spending
// wallet counts as unspent. held are those that it holds. spent are those that the
// daemon shows as spent in the pool, which the wallet learns only from blocks.
func (w *Wallet) outputs(ctx context.Context, indices ...uint32) (held, spent []monero.Output, err error) {
	all, err := w.spend.Unspent(ctx, indices...)
	if err != nil {
		return nil, nil, translated(err)
	}
	images := make([]string, len(all))
	for i, o := range all {
		images[i] = o.KeyImage
	}
	states, err := w.daemon.KeyImages(ctx, images)
	if err != nil {
		return nil, nil, translated(err)
	}
	for i, o := range all {
		if states[i] == monero.Unspent {
			held = append(held, o)
		} else {
			spent = append(spent, o)
		}
	}
	if len(indices) == 0 {
		w.lastSeen.Store(holdingsOf(held))
	}
	return held, spent, nil
}

// catchUp lets the spending wallet read every block that the daemon has. A wallet that
// cannot follow a reorganization reports success but stays at its height.
func (w *Wallet) catchUp(ctx context.Context) error {
	info, err := w.info(ctx)
	if err != nil {
		return err
	}
	height, err := w.spend.ReadUpTo(ctx, info)
	if err != nil {
		return translated(err)
	}
	if height < info.Height {
		return &chain.LagError{Blocks: info.Height - height, What: "the wallet"}
	}
	return nil
}

// translated converts an error of a process into the corresponding error of package
// chain.
func translated(err error) error {
	return chain.Translated(err, [][2]error{
		{monero.ErrUnavailable, chain.ErrUnavailable},
		{monero.ErrLogin, chain.ErrUnavailable},
		{monero.ErrNetType, chain.ErrUnavailable},
		{monero.ErrAddress, chain.ErrAddress},
		{monero.ErrNotEnoughMoney, chain.ErrNotEnough},
		{monero.ErrNotUnlocked, chain.ErrLocked},
		{monero.ErrTooLarge, chain.ErrTooLarge},
		{monero.ErrRefused, chain.ErrRefused},
	})
}
