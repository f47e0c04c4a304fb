package xmrwallet

import (
	"context"
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

	spend *Spender

	// fork is the network version that the daemon last reported; 0 before the first
	// answer.
	fork atomic.Int64

	// lastSeen is the result of the last list of all outputs; nil before the first.
	lastSeen atomic.Pointer[holdings]

	mu sync.Mutex
	// made is the index of the last address that was made.
	made uint64
}

var _ chain.Wallet = (*Wallet)(nil)

// New makes a wallet from the process that pays.
func New(spend *Spender, store Store) *Wallet {
	keys := Keys{Configured: []Configured{{Wallet: scan.Wallet{ID: spend.id, View: spend.view}, WithoutPrimary: true}}}
	return &Wallet{Receiver: NewReceiver(spend.daemon, keys, store), spend: spend}
}

// NewAddress derives the subaddress above all that may have been given out or were made
// here; Ref is its index. The process that pays learns of it before it reads the chain.
func (w *Wallet) NewAddress(ctx context.Context) (chain.Address, error) {
	highest, err := w.spend.book.HighestAddress(ctx, w.spend.id)
	if err != nil {
		return chain.Address{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made = max(highest, w.made) + 1
	return chain.Address{Text: w.spend.view.Subaddress(0, uint32(w.made)), Ref: strconv.FormatUint(w.made, 10)}, nil
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

// catchUp lets the spending wallet know every address and read every block that the daemon
// has. A wallet that cannot follow a reorganization reports success but stays at its height.
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
