package witness

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/postgres"
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

// mostAddresses is the highest answer of an operator about addresses. A wallet makes so
// many in days, and a wrong answer cannot be taken back.
const mostAddresses = 10_000_000

// lose stores how many addresses other copies of the database may have given out, as an
// operator knows it. The wallet may not know addresses that this database does not know,
// and may have read blocks with payments to them. So its watcher makes the addresses and
// lets it read the chain again. A second run stores nothing.
func (r *Recoverer) lose(ctx context.Context, s *postgres.Session, row db.GetWitnessRow) error {
	id := row.Witness.WalletID
	if r.AddressesUpTo <= 0 || r.AddressesUpTo > mostAddresses || row.Witness.SafeSince == nil {
		return nil
	}
	return s.Tx(ctx, func(q *db.Queries) error {
		highest, err := q.HighestMadeAddress(ctx, id)
		if err != nil || highest >= r.AddressesUpTo {
			return err
		}
		lost, err := q.LoseAddresses(ctx, db.LoseAddressesParams{WalletID: id, UpTo: r.AddressesUpTo})
		if err != nil || lost == 0 {
			return err
		}
		return q.SetRescanForWallet(ctx, id)
	})
}

// burn finds the highest index of an address that may have been given out. An operator
// must say it if the wallet's file is older than the database, or if the database was
// restored and the file may come from a backup of another time. No guess is safe, because
// a backup that is restored twice leads to the same guess twice.
// An earlier answer stays, because a later one may be wrong.
func (r *Recoverer) burn(ctx context.Context, q *db.Queries, found *Recovery, k Known, restored bool, lost int64) error {
	stray, err := q.HighestUnmatchedIndex(ctx, found.WalletID)
	if err != nil {
		return err
	}
	found.Burned = max(k.Highest.Addresses, stray, lost)
	for _, p := range found.Places {
		found.Burned = max(found.Burned, p.Addresses)
	}
	older := found.Places[0].Addresses < k.Confirmed.Addresses
	switch to := r.AddressesUpTo; {
	case to == 0 && (restored || older):
		found.Missing = "nobody knows how many addresses were handed out: give the highest index that any copy of the database may have handed out, " +
			"with --wallet=" + found.WalletID + " --addresses-up-to=N"
	case to < 0 || to > mostAddresses:
		found.Missing = fmt.Sprintf("--addresses-up-to=%d cannot be right: it is the highest index of an address, from 1 to %d", to, mostAddresses)
	case to > 0 && older && to < k.Confirmed.Addresses:
		found.Missing = fmt.Sprintf("--addresses-up-to=%d cannot be right: this copy of the database alone may have handed out addresses up to %d, "+
			"and the wallet's file, which knows of %d, is older", to, k.Confirmed.Addresses, found.Places[0].Addresses)
	default:
		found.Burned = max(found.Burned, to)
	}
	return nil
}

// unread sets the reason if the watcher has not yet read again what the wallet received
// at addresses that other copies of the database gave out.
func unread(ctx context.Context, q *db.Queries, found *Recovery, w db.Witness, tip int64) error {
	highest, err := q.HighestMadeAddress(ctx, found.WalletID)
	if err != nil || found.Missing != "" || w.LostAddresses == 0 || w.LostAddresses < highest {
		return err
	}
	scanned, err := q.ScannedHeight(ctx, found.WalletID)
	if err == nil && (scanned == 0 || scanned < tip-Behind) {
		found.Missing = fmt.Sprintf("the wallet's watcher has read %d of %d blocks again, for payments to addresses that this database does not know: "+
			"ask again later", scanned, tip+1)
	}
	return err
}
