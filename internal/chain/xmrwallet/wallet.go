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
)

// Wallet implements chain.Wallet.
type Wallet struct {
	*Receiver

	spend *monero.Wallet

	// fork is the network version that the daemon last reported; 0 before the first
	// answer.
	fork atomic.Int64

	// lastSeen is the result of the last list of all outputs; nil before the first.
	lastSeen atomic.Pointer[holdings]

	mu sync.Mutex
	// spendKnows is how many addresses the spending wallet is known to have stored; 0
	// before the first call to it.
	spendKnows uint32
}

var _ chain.Wallet = (*Wallet)(nil)

// New makes a wallet from the two processes. The deriver has their keys.
func New(daemon *monero.Daemon, watch, spend *monero.Wallet, deriver *monero.Deriver) *Wallet {
	return &Wallet{Receiver: NewReceiver(daemon, watch, deriver), spend: spend}
}

// NewAddress makes a fresh subaddress; Ref is its index. When it returns, both
// wallets have stored the address, because the spending wallet would not see the
// money otherwise.
func (w *Wallet) NewAddress(ctx context.Context) (chain.Address, error) {
	made, err := w.watch.CreateAddresses(ctx, 1)
	if err != nil {
		return chain.Address{}, translated(err)
	}
	if err := w.watch.Store(ctx); err != nil {
		return chain.Address{}, translated(err)
	}
	want := w.deriver.Subaddress(0, made[0].Index)
	if made[0].Address != want {
		return chain.Address{}, fmt.Errorf("chain: the wallet's address %d is not its own", made[0].Index)
	}
	if err := w.letSpendKnow(ctx, made[0].Index); err != nil {
		return chain.Address{}, err
	}
	return chain.Address{Text: want, Ref: strconv.FormatUint(uint64(made[0].Index), 10)}, nil
}

// ahead is how many additional addresses the spending wallet makes, so that most
// calls do not wait until it has built a payment.
const ahead = 16

func (w *Wallet) letSpendKnow(ctx context.Context, index uint32) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if index < w.spendKnows {
		return nil
	}
	// EnsureAddressCount also stores them.
	if err := w.spend.EnsureAddressCount(ctx, index+1+ahead); err != nil {
		return translated(err)
	}
	w.spendKnows = index + 1 + ahead
	return nil
}

// Balance returns the content of the spending wallet, because the watching one does
// not know which outputs are spent. Change that is still in the pool does not count.
func (w *Wallet) Balance(ctx context.Context, promised []string) (chain.Balance, error) {
	if err := w.catchUp(ctx, w.spend); err != nil {
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

// catchUp lets a wallet read every block.
func (w *Wallet) catchUp(ctx context.Context, wallet *monero.Wallet) error {
	info, err := w.info(ctx)
	if err != nil {
		return err
	}
	return readUpTo(ctx, wallet, info)
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
