package xmrwallet

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
)

// Book is what the database knows of the addresses of wallets that spend.
type Book interface {
	// HighestAddress returns the highest index of an address that may have been given out.
	HighestAddress(ctx context.Context, walletID string) (uint64, error)
	// PaidBelow reports whether a payment to an address with this index, or a higher one, may
	// be in the first blocks of the chain, so many. read is how many blocks it has read: the
	// answer is right up to there.
	PaidBelow(ctx context.Context, walletID string, index uint32, blocks uint64) (paid bool, read uint64, err error)
	// ReportMismatch alerts operators to a wallet whose address differs from our derivation.
	ReportMismatch(ctx context.Context, walletID, detail string) error
}

// Spender is the process that spends the money of a wallet. The process sees only the money
// of addresses that it has made before it reads their blocks, and the worker derives
// addresses without it. So it reads the chain only when the worker asks, and first makes
// every address that may have been given out.
type Spender struct {
	*monero.Wallet

	id     string
	daemon *monero.Daemon
	view   *monero.Deriver
	book   Book
	// raising is held by the caller that makes addresses.
	raising chan struct{}
}

// NewSpender makes a Spender of an opened wallet with this ID.
func NewSpender(id string, open monero.OpenWallet, book Book) *Spender {
	return &Spender{Wallet: open.Spend, id: id, daemon: open.Daemon, view: open.Deriver, book: book, raising: make(chan struct{}, 1)}
}

// Errors of a Spender.
var (
	// ErrMismatch means that a wallet has an address that is not its own.
	ErrMismatch = errors.New("a wallet's address differs from our own derivation")
	// ErrRescan means that a wallet has read past payments to addresses that it did not know.
	// Raise with a rescan repairs that.
	ErrRescan = fmt.Errorf("%w: the wallet has to read the chain again first", chain.ErrUnavailable)
)

// rescanKey is the attribute in the wallet's file that has a text while it is not certain
// that the wallet has seen all payments to its addresses: rescanDue if it must read the chain
// again, or the index from which addresses were made and not checked yet.
const (
	rescanKey = "durapay.rescan"
	rescanDue = "due"
)

// CatchUp makes the wallet know every address that may have been given out, and then read
// every block that the daemon has, as monero.Wallet.CatchUp does. It returns ErrMismatch and
// ErrRescan.
func (s *Spender) CatchUp(ctx context.Context) error {
	info, err := s.daemon.Info(ctx)
	if err == nil {
		_, err = s.CatchUpTo(ctx, info)
	}
	return err
}

// CatchUpTo is CatchUp with the daemon's Info at hand. It returns the number of blocks that
// the wallet has read.
func (s *Spender) CatchUpTo(ctx context.Context, info monero.Info) (uint64, error) {
	if err := s.know(ctx); err != nil {
		return 0, err
	}
	return s.Wallet.CatchUpTo(ctx, info)
}

// ReadUpTo is monero.Wallet.ReadUpTo after the wallet knows its addresses.
func (s *Spender) ReadUpTo(ctx context.Context, info monero.Info) (uint64, error) {
	if err := s.know(ctx); err != nil {
		return 0, err
	}
	return s.Wallet.ReadUpTo(ctx, info)
}

// know makes the wallet know every address that may have been given out.
func (s *Spender) know(ctx context.Context) error {
	highest, err := s.book.HighestAddress(ctx, s.id)
	if err != nil {
		return err
	}
	return s.alone(ctx, func() error {
		due, err := s.raise(ctx, uint32(highest))
		if err == nil && due {
			err = ErrRescan
		}
		return err
	})
}

// Raise makes the wallet know every address up to an index, and read the chain again if it
// has read past a payment to one that it did not know. Reading it again takes hours on a long
// chain. Raise reports whether it was necessary. The file has a mark of that until it is done,
// so the next call repeats it after a crash.
func (s *Spender) Raise(ctx context.Context, highest uint64) (rescanned bool, err error) {
	err = s.alone(ctx, func() error {
		due, err := s.raise(ctx, uint32(highest))
		if err != nil || !due {
			return err
		}
		if err := s.Rescan(ctx); err != nil {
			return err
		}
		rescanned = true
		return errors.Join(s.SetAttribute(ctx, rescanKey, ""), s.Store(ctx))
	})
	return rescanned && err == nil, err
}

// alone runs do while no other caller raises the wallet.
func (s *Spender) alone(ctx context.Context, do func() error) error {
	select {
	case s.raising <- struct{}{}:
		defer func() { <-s.raising }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// raise makes the wallet store every address up to an index. It reports whether the wallet
// has to read the chain again. A process that was restarted reads new blocks by itself, so
// that is turned off each time.
func (s *Spender) raise(ctx context.Context, highest uint32) (due bool, err error) {
	if err := s.StopAutoRefresh(ctx); err != nil {
		return false, err
	}
	state, err := s.Attribute(ctx, rescanKey)
	if err != nil {
		return false, err
	}
	made, err := s.has(ctx, highest)
	if err != nil || made && (state == "" || state == rescanDue) {
		return state == rescanDue, err
	}
	if !made {
		if state, err = s.extend(ctx, highest, state); err != nil {
			return false, err
		}
	}
	if state, err = s.check(ctx, state); err != nil {
		return false, err
	}
	if made, err = s.has(ctx, highest); err == nil && !made {
		err = fmt.Errorf("%w: no address %d after it was made", monero.ErrResponse, highest)
	}
	return state == rescanDue, errors.Join(err, s.Store(ctx))
}

// has reports whether the wallet has made the address with an index. It returns ErrMismatch
// if that is not ours.
func (s *Spender) has(ctx context.Context, index uint32) (bool, error) {
	address, made, err := s.AddressAt(ctx, index)
	if err != nil || !made || address == s.view.Subaddress(0, index) {
		return made, err
	}
	err = fmt.Errorf("%w: index %d", ErrMismatch, index)
	return true, errors.Join(err, s.book.ReportMismatch(ctx, s.id, err.Error()))
}

// extend makes the missing addresses in the wallet's memory. Before that it notes in the
// attribute from which index they were missing, so a run that ends before the check does not
// make the next one believe that the wallet always knew them.
func (s *Spender) extend(ctx context.Context, highest uint32, state string) (string, error) {
	if _, err := s.has(ctx, 0); err != nil { // nothing is made in another wallet
		return state, err
	}
	have, err := s.AddressCount(ctx)
	if err != nil {
		return state, err
	}
	if state == "" {
		state = strconv.FormatUint(uint64(have), 10)
		if err := s.SetAttribute(ctx, rescanKey, state); err != nil {
			return state, err
		}
	}
	return state, s.ExtendAddresses(ctx, have, highest+1)
}

// check decides whether the wallet has read past a payment to an address that it has just
// made, and writes that into the attribute.
func (s *Spender) check(ctx context.Context, state string) (string, error) {
	if state == rescanDue {
		return state, nil
	}
	missing, err := strconv.ParseUint(state, 10, 32)
	if err != nil {
		return state, fmt.Errorf("the wallet's %s is not a number", rescanKey)
	}
	blocks, err := s.Height(ctx)
	if err != nil {
		return state, err
	}
	paid, read, err := s.book.PaidBelow(ctx, s.id, uint32(missing), blocks)
	switch {
	case err != nil:
		return state, err
	case paid:
		state = rescanDue
	case read < blocks:
		return state, &chain.LagError{Blocks: blocks - read, What: "the watcher"}
	default:
		state = ""
	}
	return state, s.SetAttribute(ctx, rescanKey, state)
}
