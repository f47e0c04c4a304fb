package witness

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/postgres/db"
)

// Nameless replaces the hash of transactions that a place has numbered and whose
// hashes are unknown.
const Nameless = "nameless"

// nameless asks about numbers between the database's and the highest mark that no
// entry explains. For example, the wallet's file has an entry of a transaction whose
// hash is unknown, because it is in no block and no pool here. Another daemon may
// have it.
func (r *Recoverer) nameless(ctx context.Context, q *db.Queries, found Recovery, noted []Entry) ([]RecoveredSend, error) {
	named := map[int64]bool{}
	for _, e := range noted {
		named[e.Seq] = true
	}
	highest := Mark{}
	for _, p := range found.Places {
		highest = highest.Max(p.Mark)
	}
	missing := 0
	for seq := found.Database.Sends + 1; seq <= highest.Sends; seq++ {
		if !named[seq] {
			missing++
		}
	}
	if missing == 0 {
		return nil, nil
	}
	s := RecoveredSend{TxHash: Nameless, Outcome: Undecided, Why: fmt.Sprintf(
		"%d transactions numbered %d to %d may have been relayed, and nobody knows their hashes: wait until none can be mined any more, look at what the wallet "+
			"shows, and accept this; what they paid is paid again", missing, found.Database.Sends+1, highest.Sends)}
	if !r.accepts(Nameless) {
		return []RecoveredSend{s}, nil
	}
	s.Outcome = Accepted
	return []RecoveredSend{s}, r.audit(ctx, q, "wallet.take_over", found.WalletID, s)
}

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
