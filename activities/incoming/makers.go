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

// PairMaker makes addresses in both processes of a Monero wallet, and compares them with our
// own derivation.
type PairMaker struct{ monero.WalletPair }

// errOlder means that a wallet's file is older than the database.
var errOlder = errors.New("a wallet does not know the addresses that were made: it has to read the chain again first")

// errMismatch means that a wallet handed out an address that is not its own.
var errMismatch = errors.New("a wallet's address differs from our own derivation")

// Make creates the addresses in both processes and has both store them. A wallet killed
// before that gives the same indices again.
func (m PairMaker) Make(ctx context.Context, known, from, n int64) ([]Made, error) {
	if err := m.know(ctx, uint32(known)); err != nil {
		return nil, err
	}
	for _, w := range []*monero.Wallet{m.Watch, m.Spend} {
		if err := w.EnsureAddressCount(ctx, uint32(from+n)+1); err != nil {
			return nil, err
		}
		if err := w.Store(ctx); err != nil {
			return nil, err
		}
	}
	var made []Made
	for i := from + 1; i <= from+n; i++ {
		address, err := m.verified(ctx, uint32(i))
		if err != nil {
			return nil, err
		}
		made = append(made, Made{i, address})
	}
	return made, nil
}

// verified returns the address at an index if both wallets and our own derivation agree.
// Otherwise nothing is published.
func (m PairMaker) verified(ctx context.Context, index uint32) (string, error) {
	want := m.Deriver.Subaddress(0, index)
	for _, w := range []*monero.Wallet{m.Watch, m.Spend} {
		got, found, err := w.AddressAt(ctx, index)
		if err != nil {
			return "", err
		}
		if !found || got != want {
			return "", fmt.Errorf("%w: index %d", errMismatch, index)
		}
	}
	return want, nil
}

// know returns errOlder unless both processes have made the address at an index. A
// process without the address may have scanned past payments to it, and these payments
// would stay unseen once the address was made.
func (m PairMaker) know(ctx context.Context, index uint32) error {
	for _, w := range []*monero.Wallet{m.Watch, m.Spend} {
		_, made, err := w.AddressAt(ctx, index)
		if err != nil {
			return err
		}
		if !made {
			return errOlder
		}
	}
	return nil
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
