package witness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Wallet holds the sources of information about one wallet outside of the database.
type Wallet struct {
	// File is the wallet's own file. A raise needs it.
	File Place
	// Temporal is Temporal's place. A raise skips it when it does not answer.
	Temporal Lister
	Chain    Chain
}

// Places returns both places, the file first.
func (w Wallet) Places() []Place { return []Place{w.File, w.Temporal} }

// Keeper compares the database with the witnesses outside of it, and raises their marks.
// It is safe for concurrent use, also by several processes: raises of one wallet wait for
// each other.
type Keeper struct {
	Store   *postgres.Store
	Wallets map[string]Wallet
	Clock   func() time.Time
	Log     *slog.Logger

	mu       sync.Mutex
	compared map[string]time.Time
	// followed is up to which address this process raised the file of a wallet.
	followed map[string]int64
}

// Behind is how many blocks below the tip a comparison asks again for the wallets' own
// transactions, because a reorganization may add one that was not seen.
const Behind = 100

// beyond is a height that no chain reaches.
const beyond = 1 << 40

// Standing is what a wallet may do.
type Standing struct {
	// Safe is the reason for safe mode; empty outside of it.
	Safe string
	// From is the highest index of an address that is no longer given out.
	From int64
	// To is the end of the lease.
	To int64
}

// Err returns ErrSafeMode in safe mode.
func (s Standing) Err() error {
	if s.Safe == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrSafeMode, s.Safe)
}

// Ensure opens a lease if none was opened in this instance of the database, and returns
// the wallet's standing. If a lease is open, it asks no place. It returns ErrUnknown when
// a place does not answer.
func (k *Keeper) Ensure(ctx context.Context, walletID string) (Standing, error) {
	if err := k.Store.EnsureWitness(ctx, walletID); err != nil {
		return Standing{}, err
	}
	row, err := k.Store.GetWitness(ctx, walletID)
	if err != nil {
		return Standing{}, err
	}
	if row.Current || row.Witness.SafeSince != nil {
		return standing(row.Witness), nil
	}
	return k.open(ctx, walletID)
}

func standing(w db.Witness) Standing {
	s := Standing{From: w.LeaseFrom, To: w.LeaseTo}
	if w.SafeReason != nil {
		s.Safe = *w.SafeReason
	}
	return s
}

// open compares with every place and opens a lease above all addresses that may have been
// given out, including those that this database has forgotten.
func (k *Keeper) open(ctx context.Context, walletID string) (Standing, error) {
	// A payment to an index above the known ones shows that the address was given out.
	stray, err := k.Store.HighestUnmatchedIndex(ctx, walletID)
	if err != nil {
		return Standing{}, err
	}
	if err := k.Store.IntendAddresses(ctx, db.IntendAddressesParams{WalletID: walletID, Addresses: stray}); err != nil {
		return Standing{}, err
	}
	var made Standing
	err = k.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		if !row.Current && row.Witness.SafeSince == nil {
			if err := k.openLease(ctx, s, row); err != nil {
				return err
			}
		}
		now, err := s.GetWitness(ctx, walletID)
		made = standing(now.Witness)
		return err
	})
	if errors.Is(err, ErrSafeMode) {
		row, err := k.Store.GetWitness(ctx, walletID)
		return standing(row.Witness), err
	}
	return made, err
}

// restored is the reason for safe mode when the database was loaded from a dump.
const restored = "the database was restored from a backup, and nobody knows how old that is"

func (k *Keeper) openLease(ctx context.Context, s *postgres.Session, row db.GetWitnessRow) error {
	w := row.Witness
	if row.Restored {
		return k.enter(ctx, s, w.WalletID, restored)
	}
	// Transactions of another copy of the database may wait for a block.
	c, err := k.compare(ctx, s, w, true, WithPool)
	if err != nil {
		return err
	}
	if c.Safe != "" {
		return k.enter(ctx, s, w.WalletID, c.Safe)
	}
	if w.Addresses > c.mark.Addresses {
		if err := k.raise(ctx, s, w.WalletID, Mark{Addresses: w.Addresses}, nil); err != nil {
			return err
		}
	}
	return s.Tx(ctx, func(q *db.Queries) error {
		if w.BegunAt == nil {
			if err := q.BeginWitness(ctx, db.BeginWitnessParams{
				WalletID: w.WalletID, BegunAt: new(k.at()), Sends: c.known.Highest.Sends, KnownHeight: max(0, c.tip),
			}); err != nil {
				return err
			}
		}
		if taken, err := q.TakeUpLease(ctx, w.WalletID); err != nil || taken > 0 {
			return err
		}
		return q.OpenLease(ctx, db.OpenLeaseParams{WalletID: w.WalletID, LeaseFrom: w.Addresses})
	})
}

// Compare compares the wallet with the places that answer, and with the chain if it
// answers, including transactions that an operator just sent by hand. It enters safe mode
// if the database is behind. It returns ErrSafeMode when the wallet is in safe mode,
// before or after. It returns ErrUnknown when too few places answer, or when the chain
// that answers is not the wallet's.
func (k *Keeper) Compare(ctx context.Context, walletID string) error {
	return k.compareBy(ctx, walletID, Now)
}

// compareBy compares as Compare does, but asks the chain in this way.
func (k *Keeper) compareBy(ctx context.Context, walletID string, by Asking) error {
	s, err := k.Ensure(ctx, walletID)
	if err != nil {
		return err
	}
	if s.Safe != "" {
		return s.Err()
	}
	return k.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		return k.again(ctx, s, row, by)
	})
}

// again compares, and returns ErrSafeMode if the wallet is in safe mode or has entered it.
func (k *Keeper) again(ctx context.Context, s *postgres.Session, row db.GetWitnessRow, by Asking) error {
	if row.Witness.SafeSince != nil {
		return standing(row.Witness).Err()
	}
	if !row.Current {
		return fmt.Errorf("%w: the database was restarted", ErrUnknown)
	}
	c, err := k.compare(ctx, s, row.Witness, false, by)
	if err != nil || c.Safe == "" {
		return err
	}
	return k.enter(ctx, s, row.Witness.WalletID, c.Safe)
}

// alone runs do while no other process compares, raises or recovers the wallet. No
// transaction is open meanwhile, because the places may take long to answer. The final
// writes of do go only to the instance of the database that it has read from.
func (k *Keeper) alone(ctx context.Context, walletID string, do func(*postgres.Session, db.GetWitnessRow) error) error {
	return k.Store.Alone(ctx, "witness "+walletID, func(s *postgres.Session) error {
		row, err := s.GetWitness(ctx, walletID)
		if err != nil {
			return err
		}
		return do(s, row)
	})
}

type comparison struct {
	Verdict

	known Known
	// mark is the highest mark of any place.
	mark Mark
	// tip is the highest block that the wallet has read.
	tip int64
}

func (k *Keeper) compare(ctx context.Context, s *postgres.Session, w db.Witness, all bool, by Asking) (comparison, error) {
	wallet, ok := k.Wallets[w.WalletID]
	if !ok {
		return comparison{}, fmt.Errorf("wallet %s is not configured here", w.WalletID)
	}
	var c comparison
	seen := read(ctx, wallet)
	now, err := s.GetWitness(ctx, w.WalletID)
	if err != nil {
		return c, err
	}
	if c.known, err = known(ctx, s.Queries, w, now.Witness); err != nil {
		return c, err
	}
	for _, place := range seen {
		c.mark = c.mark.Max(place.Mark)
	}
	c.Verdict = Judge(c.known, seen, all)
	if c.Safe != "" {
		return c, nil
	}
	// A wallet must know its addresses first, because additional addresses would hide that
	// some were missing.
	if err := k.restore(ctx, s.Queries, w.WalletID, wallet.Chain); err != nil {
		return c, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if err := k.compareChain(ctx, s.Queries, w, wallet.Chain, &c, all, by); err != nil || c.Safe != "" {
		return c, err
	}
	if c.Unknown {
		return c, fmt.Errorf("%w: %w", ErrUnknown, silence(seen))
	}
	return c, k.repair(ctx, s, wallet, c)
}

// known returns the database's data. What is certain was read before the places were asked,
// and what may exist is read after that, because the lease is extended meanwhile. A lease of
// another instance may have been opened by another copy of the database, but its intended end
// counts too.
func known(ctx context.Context, q *db.Queries, before, after db.Witness) (Known, error) {
	highest, err := q.SentNumber(ctx, before.WalletID)
	if err != nil {
		return Known{}, err
	}
	return Known{
		Begun: before.BegunAt != nil, Highest: Mark{Sends: highest, Addresses: after.Addresses},
		Confirmed: Mark{Sends: before.Sends, Addresses: before.LeaseTo},
	}, nil
}

func read(ctx context.Context, w Wallet) []Seen {
	places := w.Places()
	seen := make([]Seen, len(places))
	for i, p := range places {
		seen[i] = Seen{Place: p.Name(), File: i == 0}
		seen[i].Mark, seen[i].Err = p.Read(ctx)
	}
	return seen
}

// silence returns the errors of the places that did not answer.
func silence(seen []Seen) error {
	var errs []error
	for _, s := range seen {
		if s.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Place, s.Err))
		}
	}
	return errors.Join(errs...)
}

// compareChain asks the chain for transactions of the wallet that this database does not
// know or has abandoned. If all is set, the chain must answer.
func (k *Keeper) compareChain(ctx context.Context, q *db.Queries, w db.Witness, of Chain, c *comparison, all bool, by Asking) error {
	since := w.KnownHeight
	if w.BegunAt == nil {
		since = beyond // transactions before the first comparison are not checked
	}
	sent, tip, err := of.SentSince(ctx, since, by)
	if err != nil {
		if all || errors.Is(err, ErrWrongChain) {
			return fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		return nil // the places decide while the chain does not answer
	}
	c.tip = tip
	if err := onItsChain(ctx, q, w.WalletID); err != nil || w.BegunAt == nil {
		return err
	}
	unknown, err := q.UnknownSends(ctx, accountOf(w.WalletID, sent))
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		c.Safe = fmt.Sprintf("the chain shows %d transactions of the wallet that the database does not know or has given up, such as %s", len(unknown), unknown[0])
		return nil
	}
	return q.KnowHeight(ctx, db.KnowHeightParams{WalletID: w.WalletID, KnownHeight: max(0, tip-Behind)})
}

// accountOf returns the parameters of the query for transactions that the database does
// not account for.
func accountOf(walletID string, sent []Sent) db.UnknownSendsParams {
	ask := db.UnknownSendsParams{WalletID: walletID, Hashes: []string{}, Mined: []bool{}}
	for _, s := range sent {
		ask.Hashes, ask.Mined = append(ask.Hashes, s.TxHash), append(ask.Mined, s.Height > 0)
	}
	return ask
}

// repair raises the places that are older copies.
func (k *Keeper) repair(ctx context.Context, s *postgres.Session, w Wallet, c comparison) error {
	to := c.known.Confirmed
	if !c.known.Begun {
		to = c.known.Highest
	}
	for _, p := range w.Places() {
		if c.known.Begun && !slices.Contains(c.Behind, p.Name()) {
			continue
		}
		if c.known.Begun {
			k.Log.WarnContext(ctx, "a witness knows less than the database and is raised", "place", p.Name(), "sends", to.Sends, "addresses", to.Addresses)
		}
		if err := s.Still(ctx); err != nil {
			return err
		}
		if err := p.Raise(ctx, to, nil); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrUnknown, p.Name(), err)
		}
	}
	return nil
}

// enter puts the wallet into safe mode. When that is done, it returns ErrSafeMode with the
// reason.
func (k *Keeper) enter(ctx context.Context, s *postgres.Session, walletID, reason string) error {
	if err := s.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.EnterSafeMode(ctx, db.EnterSafeModeParams{WalletID: walletID, Since: new(k.at()), Reason: reason}); err != nil {
			return err
		}
		if err := q.SetSafeMode(ctx, db.SetSafeModeParams{ID: walletID, SafeMode: true}); err != nil {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.SafeMode, Subject: walletID, Detail: reason})
	}); err != nil {
		return err
	}
	k.Log.ErrorContext(ctx, "a wallet is in safe mode", "wallet", walletID, "reason", reason)
	return fmt.Errorf("%w: %s", ErrSafeMode, reason)
}

func (k *Keeper) at() time.Time { return k.Clock().UTC().Truncate(time.Millisecond) }
