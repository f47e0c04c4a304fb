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

// Receiver implements chain.Receiver with a daemon and the wallet's view key. The service
// watches merchants' wallets through it; the exchange's Wallet contains one.
type Receiver struct {
	*Network

	addresses *addresses
	scanner   *scan.Scanner
}

var _ chain.Receiver = (*Receiver)(nil)

// Store is what the scans of one wallet share.
type Store interface {
	// HighestAddress returns the highest index of an address that may have been given out.
	HighestAddress(ctx context.Context) (uint64, error)
	// RecordOneTimeKeys is a scan.Record, with the bytes of the keys.
	RecordOneTimeKeys(ctx context.Context, keys [][]byte, txHashes []string) (others []string, err error)
}

// NewReceiver makes a receiver of the wallet with these keys.
func NewReceiver(daemon *monero.Daemon, view *monero.Deriver, store Store) *Receiver {
	a := &addresses{view: view, highest: store.HighestAddress, known: map[scan.Key]uint32{}}
	record := func(ctx context.Context, keys []scan.Key, txHashes []string) ([]string, error) {
		list := make([][]byte, len(keys))
		for i, key := range keys {
			list[i] = key[:]
		}
		return store.RecordOneTimeKeys(ctx, list, txHashes)
	}
	return &Receiver{Network: NewNetwork(daemon), addresses: a, scanner: scan.NewScanner(daemon, view, a.lookup, record)}
}

// Scan lists the payments in blocks and in the pool. They include payments to the primary
// address with the change of own payments. The Amount of a payment in a block can be 0, see
// scan.Payment.
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
		TxHash: p.TxHash, Address: p.Address, Ref: strconv.FormatUint(uint64(p.SubaddressIndex), 10),
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

// Scan lists received payments as Receiver.Scan does, without the primary
// address. That is not a deposit address: change and rewards go there.
func (w *Wallet) Scan(ctx context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	list, upTo, err := w.Receiver.Scan(ctx, from, to)
	return slices.DeleteFunc(list, func(r chain.Received) bool { return r.Ref == "0" }), upTo, err
}

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
		return p.TxHash == txHash && p.Address == address && p.SubaddressIndex != 0 && p.Amount > 0
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
