package incoming

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
)

// Made is an address that a wallet has for good.
type Made struct {
	// Index is its subaddress index, or the index of its key.
	Index   int64
	Address string
}

// Maker makes addresses of one wallet.
type Maker interface {
	// Make makes up to n addresses with indices above from, and returns them in the order of
	// their indices, those too that it made before an error. The wallet has to know the address
	// at the index known.
	Make(ctx context.Context, known, from, n int64) ([]Made, error)
}

// MoneroMaker derives the addresses of a Monero wallet from its view key, has the wallet's
// process make and store them, and compares both.
type MoneroMaker struct{ monero.OpenWallet }

// errOlder means that a wallet's file is older than the database.
var errOlder = errors.New("a wallet does not know the addresses that were made: it has to read the chain again first")

// errMismatch means that a wallet handed out an address that is not its own.
var errMismatch = errors.New("a wallet's address differs from our own derivation")

// Make returns errOlder unless the process has made the address at the index known. A process
// without it may have scanned past payments to it, and could not spend them.
func (m MoneroMaker) Make(ctx context.Context, known, from, n int64) ([]Made, error) {
	switch _, made, err := m.Spend.AddressAt(ctx, uint32(known)); {
	case err != nil:
		return nil, err
	case !made:
		return nil, errOlder
	}
	if err := m.Spend.EnsureAddressCount(ctx, uint32(from+n)+1); err != nil { // it stores them
		return nil, err
	}
	var made []Made
	for i := from + 1; i <= from+n; i++ {
		want := m.Deriver.Subaddress(0, uint32(i))
		got, found, err := m.Spend.AddressAt(ctx, uint32(i))
		if err != nil {
			return nil, err
		}
		if !found || got != want {
			return nil, fmt.Errorf("%w: index %d", errMismatch, i)
		}
		made = append(made, Made{i, want})
	}
	return made, nil
}

// NextMaker takes the next addresses of a wallet that counts by itself.
type NextMaker struct{ chain.Wallet }

// mostSkipped bounds how many addresses are skipped at once, if the wallet file is older
// than the lease.
const mostSkipped = 200

// Make takes addresses until n of them lie above from. One that was taken and is not returned
// is never handed out.
func (m NextMaker) Make(ctx context.Context, _, from, n int64) (made []Made, err error) {
	for tries := n + mostSkipped; int64(len(made)) < n && tries > 0; tries-- {
		taken, err := m.NewAddress(ctx)
		if err != nil {
			return made, err
		}
		index, err := addressNumber(taken.Ref)
		if err != nil {
			return made, err
		}
		if index > from {
			made, from = append(made, Made{index, taken.Text}), index
		}
	}
	return made, nil
}

// addressNumber returns the position of an address in the wallet's chain of keys: its
// subaddress index, or the last part of its key's path.
func addressNumber(ref string) (int64, error) {
	last := strings.TrimRight(ref[strings.LastIndex(ref, "/")+1:], "'h")
	n, err := strconv.ParseInt(last, 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("the wallet does not tell where its address lies: %q", ref)
	}
	return n, nil
}
