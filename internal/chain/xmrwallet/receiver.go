package xmrwallet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
)

// Receiver implements chain.Receiver with a daemon and the view keys of any number of wallets.
// The exchange's Wallet contains one for itself.
type Receiver struct {
	*Network

	scanner *scan.Scanner
}

var _ chain.Receiver = (*Receiver)(nil)

// Keys are the wallets of one chain whose payments a Receiver finds.
type Keys struct {
	Configured []Configured
	// Own are the wallets of shops; nil where there are none.
	Own OwnWallets
}

// Configured is a wallet of the configuration. Its addresses are derived in memory.
type Configured struct {
	scan.Wallet

	// WithoutPrimary leaves out payments to the primary address, because change and rewards
	// go there.
	WithoutPrimary bool
}

// OwnWallets lists wallets that come while the service runs. All their addresses are in the
// store, with their public spend keys.
type OwnWallets interface {
	// NewWallets returns the wallets that are not known. A wallet must be among them before
	// an address of it is given out. It is asked in each scan, so an error in one wallet
	// must not keep it from returning the others.
	NewWallets(ctx context.Context, known []string) ([]scan.Wallet, error)
}

// Store is what the scans of wallets share.
type Store interface {
	// HighestAddress returns the highest index of an address of a wallet that may have been
	// given out.
	HighestAddress(ctx context.Context, walletID string) (uint64, error)
	// AddressesOf returns for each wallet its address with the public spend key at the same
	// position, with the address's number; an empty address where the wallet has none.
	AddressesOf(ctx context.Context, walletIDs []string, spendKeys [][]byte) (numbers []uint32, addresses []string, err error)
	// RecordOneTimeKeys is a scan.Record, with the bytes of the keys.
	RecordOneTimeKeys(ctx context.Context, walletID string, keys [][]byte, txHashes []string) (others []string, err error)
}

// NewReceiver makes a receiver of the wallets with these keys.
func NewReceiver(daemon *monero.Daemon, keys Keys, store Store) *Receiver {
	a, w := &addresses{store: store, configured: map[string]*derived{}}, &wallets{own: keys.Own}
	for _, c := range keys.Configured {
		a.configured[c.ID] = &derived{Configured: c, known: map[scan.Key]uint32{}}
		w.list = append(w.list, &c.Wallet)
	}
	record := func(ctx context.Context, walletID string, keys []scan.Key, txHashes []string) ([]string, error) {
		list := make([][]byte, len(keys))
		for i, key := range keys {
			list[i] = key[:]
		}
		return store.RecordOneTimeKeys(ctx, walletID, list, txHashes)
	}
	return &Receiver{Network: NewNetwork(daemon), scanner: scan.NewScanner(daemon, w.all, a.lookup, record)}
}

// Scan lists the payments in blocks and in the pool. Ref is the number of the address. They
// include payments to the primary address with the change of own payments, unless a wallet is
// WithoutPrimary. The Amount of a payment in a block can be 0, see scan.Payment.
func (r *Receiver) Scan(ctx context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	shown, err := r.scanner.Payments(ctx, monero.Range{From: from, To: to, Pool: true})
	if err != nil {
		return nil, 0, unread(err)
	}
	list := make([]chain.Received, len(shown))
	for i, p := range shown {
		list[i] = received(p)
	}
	return list, to, nil
}

// unread translates an error of the scanner. A block that is missing has left the chain
// since the caller read its tip.
func unread(err error) error {
	if errors.Is(err, monero.ErrNotFound) {
		return fmt.Errorf("%w: %w", chain.ErrUnavailable, err)
	}
	return chain.Translated(translated(err), [][2]error{
		{scan.ErrForm, chain.ErrForm}, {scan.ErrHash, chain.ErrForm}, {monero.ErrTransaction, chain.ErrForm},
	})
}

// spendableAfter is how many confirmations every output needs
// (CRYPTONOTE_DEFAULT_TX_SPENDABLE_AGE).
const spendableAfter = 10

// Unlock times: a number below this is a block height, any other a Unix time
// in seconds (CRYPTONOTE_MAX_BLOCK_NUMBER in Monero's cryptonote_config.h).
const firstUnixUnlock = 500_000_000

// lastUnlock replaces every later time: the last second of 9999-12-30, which all formats
// can hold in every time zone.
const lastUnlock = 253_402_214_399

func received(p scan.Payment) chain.Received {
	r := chain.Received{
		TxHash: p.TxHash, Address: p.Address, WalletID: p.WalletID, Ref: strconv.FormatUint(uint64(p.SubaddressIndex), 10),
		Amount: uint64(p.Amount), Outputs: len(p.Amounts), Height: p.Height,
		SpendableAfter: spendableAfter, Contested: p.DoubleSpendSeen, Seen: p.Timestamp,
	}
	if r.Seen.IsZero() { // a restricted daemon does not tell it
		r.Seen = time.Now().UTC()
	}
	if p.UnlockTime < firstUnixUnlock {
		r.UnlockHeight = p.UnlockTime
	} else {
		r.UnlockAt = time.Unix(int64(min(p.UnlockTime, lastUnlock)), 0).UTC()
	}
	return r
}

// Origins returns nothing, because the chain hides them.
func (r *Receiver) Origins(context.Context, chain.Received) ([]string, error) { return nil, nil }

// Deposit returns what a transaction pays to one of the wallet's addresses.
func (w *Wallet) Deposit(ctx context.Context, txHash, address string) (chain.Deposit, error) {
	tip, err := w.Tip(ctx)
	if err != nil {
		return chain.Deposit{}, err
	}
	payments, err := w.scanner.PaymentOf(ctx, txHash)
	if err != nil {
		return chain.Deposit{}, unread(err)
	}
	at := slices.IndexFunc(payments, func(p scan.Payment) bool {
		return p.TxHash == txHash && p.Address == address && p.Amount > 0
	})
	if at < 0 {
		return chain.Deposit{}, fmt.Errorf("%w: deposit %s", chain.ErrNotFound, txHash)
	}
	r := received(payments[at])
	place, err := w.Locate(ctx, []string{txHash})
	if err != nil {
		return chain.Deposit{}, err
	}
	d, err := r.At(place[0], tip.Height)
	// A block that comes next is the first that can spend it.
	d.Locked = d.Confirmations == 0 || max(d.Height+spendableAfter, r.UnlockHeight) > tip.Height+1 || r.UnlockAt.After(time.Now())
	return d, err
}
