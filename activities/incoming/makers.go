package incoming

import (
	"context"
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
	// their indices, those too that it made before an error.
	Make(ctx context.Context, from, n int64) ([]Made, error)
}

// MoneroMaker derives the addresses of a Monero wallet from its view key and calls no
// process. The one that spends makes them before it reads the chain: see xmrwallet.Spender.
type MoneroMaker struct{ *monero.Deriver }

// Make derives the next addresses: forty microseconds each.
func (m MoneroMaker) Make(_ context.Context, from, n int64) ([]Made, error) {
	made := make([]Made, 0, n)
	for i := from + 1; i <= from+n; i++ {
		made = append(made, Made{i, m.Subaddress(0, uint32(i))})
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
func (m NextMaker) Make(ctx context.Context, from, n int64) (made []Made, err error) {
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
