package witness

import (
	"context"

	"github.com/durapay/durapay/internal/postgres/db"
)

// leastGuess is the minimum number of addresses that are given up above the known ones,
// if the wallet's file was lost.
const leastGuess = 2000

// burn finds the highest index of an address that may have been given out. lost reports
// whether the wallet's file cannot tell: the file is older than the database, or the
// database was restored and the file may come from a backup of another time. Then burn
// gives up as many addresses again, unless an operator knows the number.
func (r *Recoverer) burn(ctx context.Context, q *db.Queries, found *Recovery, k Known, restored bool) (lost bool, err error) {
	stray, err := q.HighestUnmatchedIndex(ctx, found.WalletID)
	if err != nil {
		return false, err
	}
	found.Burned = max(k.Highest.Addresses, stray)
	for _, p := range found.Places {
		found.Burned = max(found.Burned, p.Addresses)
	}
	file := found.Places[0].Addresses
	lost = restored || file < k.Confirmed.Addresses
	switch {
	case r.AddressesUpTo > 0:
		found.Burned = max(found.Burned, r.AddressesUpTo)
	case lost:
		found.Guessed = max(found.Burned, leastGuess)
		found.Burned += found.Guessed
	}
	return lost, nil
}
