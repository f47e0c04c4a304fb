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

// Wallet is what knows of one wallet beside the database.
type Wallet struct {
	// File is the wallet's own file. A raise needs it.
	File Place
	// Temporal is Temporal's. A raise does without it when it does not answer.
	Temporal Place
	Chain    Chain
}

// Places are both, the file first.
func (w Wallet) Places() []Place { return []Place{w.File, w.Temporal} }

// Keeper compares the database with what is known outside of it, and raises
// what is outside. It is safe for concurrent use, also in several processes:
// raises of one wallet wait for each other.
type Keeper struct {
	Store   *postgres.Store
	Wallets map[string]Wallet
	Clock   func() time.Time
	Log     *slog.Logger

	mu       sync.Mutex
	compared map[string]time.Time
}

// Behind is how far below the tip the wallets' own transactions are asked for
// again: a reorganization may bring one that was not seen.
const Behind = 100

// beyond is a height that no chain reaches.
const beyond = 1 << 40

// Standing is what a wallet may do.
type Standing struct {
	// Safe is why it is in safe mode; empty when it is not.
	Safe string
	// From is the highest index of an address that is handed out no more.
	From int64
	// To is the end of the lease.
	To int64
}

// Err is ErrSafeMode in safe mode.
func (s Standing) Err() error {
	if s.Safe == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrSafeMode, s.Safe)
}

// Ensure opens a lease where none was opened in this instance of the database,
// and tells where the wallet stands. Where one was, it asks nobody. It returns
// ErrUnknown when a place does not answer.
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

// open compares with every place and opens a lease above everything that may
// have been handed out, also by what this database has forgotten.
func (k *Keeper) open(ctx context.Context, walletID string) (Standing, error) {
	// A payment to an index beyond what is known here: it was handed out.
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
			if err := k.openAnew(ctx, s, row); err != nil {
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

// restored is why a wallet is in safe mode whose database was loaded from a dump.
const restored = "the database was restored from a backup, and nobody knows how old that is"

func (k *Keeper) openAnew(ctx context.Context, s *postgres.Session, row db.GetWitnessRow) error {
	w := row.Witness
	if row.Restored {
		return k.enter(ctx, s, w.WalletID, restored)
	}
	// What another copy of the database sent may wait for a block.
	c, err := k.compare(ctx, s, w, true, sentWithPool)
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
			at := k.at()
			if err := q.BeginWitness(ctx, db.BeginWitnessParams{
				WalletID: w.WalletID, BegunAt: &at, Sends: c.known.Highest.Sends, KnownHeight: max(0, c.tip),
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

// Compare compares the wallet with the places that answer, and with the chain
// when it answers: what was spent by hand a moment ago counts. It enters safe mode
// where the database is behind. It returns ErrSafeMode when the wallet is in safe mode,
// before or after, and ErrUnknown when too few answer, or the chain that answers is not
// the wallet's.
func (k *Keeper) Compare(ctx context.Context, walletID string) error {
	return k.compareBy(ctx, walletID, sentNow)
}

// compareBy is Compare that asks the chain in its own way.
func (k *Keeper) compareBy(ctx context.Context, walletID string, ask asking) error {
	s, err := k.Ensure(ctx, walletID)
	if err != nil {
		return err
	}
	if s.Safe != "" {
		return s.Err()
	}
	return k.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		return k.again(ctx, s, row, ask)
	})
}

// again compares, and returns ErrSafeMode where the wallet is in safe mode or has entered
// it.
func (k *Keeper) again(ctx context.Context, s *postgres.Session, row db.GetWitnessRow, ask asking) error {
	if row.Witness.SafeSince != nil {
		return standing(row.Witness).Err()
	}
	if !row.Current {
		return fmt.Errorf("%w: the database was restarted", ErrUnknown)
	}
	c, err := k.compare(ctx, s, row.Witness, false, ask)
	if err != nil || c.Safe == "" {
		return err
	}
	return k.enter(ctx, s, row.Witness.WalletID, c.Safe)
}

// alone runs do while no other process compares, raises or recovers the wallet. The places
// may take long to answer, so no transaction is open meanwhile. What do writes in the end
// goes to the instance of the database that it has read from, or nowhere.
func (k *Keeper) alone(ctx context.Context, walletID string, do func(*postgres.Session, db.GetWitnessRow) error) error {
	return k.Store.Alone(ctx, "witness "+walletID, func(s *postgres.Session) error {
		row, err := s.GetWitness(ctx, walletID)
		if err != nil {
			return err
		}
		return do(s, row)
	})
}

// comparison is what was found.
type comparison struct {
	Verdict

	known Known
	// mark is the highest that any place told.
	mark Mark
	// tip is the highest block that the wallet has seen.
	tip int64
}

func (k *Keeper) compare(ctx context.Context, s *postgres.Session, w db.Witness, all bool, ask asking) (comparison, error) {
	wallet, ok := k.Wallets[w.WalletID]
	if !ok {
		return comparison{}, fmt.Errorf("wallet %s is not configured here", w.WalletID)
	}
	var c comparison
	var err error
	if c.known, err = known(ctx, s.Queries, w); err != nil {
		return c, err
	}
	seen := read(ctx, wallet)
	for _, place := range seen {
		c.mark = c.mark.Max(place.Mark)
	}
	c.Verdict = Judge(c.known, seen, all)
	if c.Safe != "" {
		return c, nil
	}
	// Nobody goes on before: more addresses would hide that some were missing.
	if err := k.restore(ctx, s.Queries, w.WalletID, wallet.Chain, 0); err != nil {
		return c, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if err := k.compareChain(ctx, s.Queries, w, wallet.Chain, &c, all, ask); err != nil || c.Safe != "" {
		return c, err
	}
	if c.Unknown {
		return c, fmt.Errorf("%w: %w", ErrUnknown, silence(seen))
	}
	return c, k.repair(ctx, s, wallet, c)
}

// known is what the database says. A lease of another instance may have been
// opened by another copy of the database, and what it intended counts all the
// same.
func known(ctx context.Context, q *db.Queries, w db.Witness) (Known, error) {
	highest, err := q.SentNumber(ctx, w.WalletID)
	if err != nil {
		return Known{}, err
	}
	return Known{
		Begun: w.BegunAt != nil, Highest: Mark{Sends: highest, Addresses: w.Addresses},
		Confirmed: Mark{Sends: w.Sends, Addresses: w.LeaseTo},
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

// silence are the errors of those that did not answer.
func silence(seen []Seen) error {
	var errs []error
	for _, s := range seen {
		if s.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Place, s.Err))
		}
	}
	return errors.Join(errs...)
}

// compareChain asks the chain what the wallet sent and nobody here knows, or gave
// up. Once asked for all it must answer.
func (k *Keeper) compareChain(ctx context.Context, q *db.Queries, w db.Witness, of Chain, c *comparison, all bool, ask asking) error {
	since := w.KnownHeight
	if w.BegunAt == nil {
		since = beyond // what was sent before the first comparison is not in question
	}
	sent, tip, err := ask(ctx, of, since)
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

// accountOf asks which of them the database does not account for.
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

// enter puts the wallet into safe mode. It returns ErrSafeMode with the reason once that
// is done.
func (k *Keeper) enter(ctx context.Context, s *postgres.Session, walletID, reason string) error {
	at := k.at()
	if err := s.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.EnterSafeMode(ctx, db.EnterSafeModeParams{WalletID: walletID, Since: &at, Reason: reason}); err != nil {
			return err
		}
		if err := q.SetExchangeSafeMode(ctx, db.SetExchangeSafeModeParams{ID: walletID, SafeMode: true}); err != nil {
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
