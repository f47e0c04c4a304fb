package witness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// BeforeRelay records in the places that a stored transaction may have been relayed.
// When it returns nil, the caller may relay the transaction. again means that the
// transaction was relayed before: then no place is asked. In safe mode no
// transaction may be relayed, not even one that was relayed before, because newer
// rows may have abandoned it and paid its debt with another one. It returns
// ErrSafeMode or ErrUnknown.
func (k *Keeper) BeforeRelay(ctx context.Context, walletID string, e Entry, again bool) error {
	s, err := k.Ensure(ctx, walletID)
	if err != nil || s.Safe != "" || again {
		return errors.Join(err, s.Err())
	}
	return k.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		if err := k.again(ctx, s, row, Now); err != nil {
			return err
		}
		if err := k.raise(ctx, s, walletID, Mark{Sends: e.Seq}, &e); err != nil {
			return err
		}
		return s.MarkSends(ctx, db.MarkSendsParams{WalletID: walletID, Sends: e.Seq})
	})
}

// errNotAsked stands for the answer of a place that was left out.
var errNotAsked = errors.New("not asked")

// Extend moves the end of the wallet's lease: once it returns, addresses up to this index
// may be given out. It asks Temporal alone, so a wallet that hangs, or works, does not hold it
// up; Tend raises the wallet's file. If Temporal knows less than the database, Extend
// returns ErrUnknown, because only a comparison with the file shows which of them is right.
// It writes the intended end first, so that a place that knows the new end does not make the
// database look older. In safe mode it writes nothing, because a recovery compares the places
// with the earlier intention.
func (k *Keeper) Extend(ctx context.Context, walletID string, to int64) error {
	wallet, ok := k.Wallets[walletID]
	if !ok {
		return fmt.Errorf("wallet %s is not configured here", walletID)
	}
	// Another lock than that of comparisons, which wait for the wallet. One for all wallets,
	// because each keeps a connection.
	return k.Store.Alone(ctx, "leases", func(s *postgres.Session) error {
		row, err := s.GetWitness(ctx, walletID)
		switch {
		case err != nil:
			return err
		case row.Witness.SafeSince != nil:
			return standing(row.Witness).Err()
		case !row.Current:
			return fmt.Errorf("%w: the database was restarted", ErrUnknown)
		case row.Witness.LeaseTo >= to:
			return nil
		}
		if err := k.agrees(ctx, s, wallet, row.Witness); err != nil {
			return err
		}
		if err := s.IntendAddresses(ctx, db.IntendAddressesParams{WalletID: walletID, Addresses: to}); err != nil {
			return err
		}
		if err := wallet.Temporal.Raise(ctx, Mark{Addresses: to}, nil); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrUnknown, wallet.Temporal.Name(), err)
		}
		extended, err := s.ExtendLease(ctx, db.ExtendLeaseParams{WalletID: walletID, LeaseTo: to})
		if err == nil && extended == 0 {
			err = fmt.Errorf("%w: the lease ended meanwhile", ErrUnknown)
		}
		return err
	})
}

// agrees compares the database with Temporal alone. It enters safe mode if Temporal knows
// more, and returns ErrUnknown if it knows less.
func (k *Keeper) agrees(ctx context.Context, s *postgres.Session, wallet Wallet, w db.Witness) error {
	temporal := Seen{Place: wallet.Temporal.Name()}
	temporal.Mark, temporal.Err = wallet.Temporal.Read(ctx)
	now, err := s.GetWitness(ctx, w.WalletID)
	if err != nil {
		return err
	}
	has, err := known(ctx, s.Queries, w, now.Witness)
	if err != nil {
		return err
	}
	v := Judge(has, []Seen{{Place: wallet.File.Name(), File: true, Err: errNotAsked}, temporal}, false)
	switch {
	case v.Safe != "":
		return k.enter(ctx, s, w.WalletID, v.Safe)
	case v.Unknown:
		return fmt.Errorf("%w: %s has no mark that agrees with the database: %w", ErrUnknown, temporal.Place, temporal.Err)
	default:
		return nil
	}
}

// raise raises both places. Raising the wallet's own file must succeed.
func (k *Keeper) raise(ctx context.Context, s *postgres.Session, walletID string, to Mark, e *Entry) error {
	for i, p := range k.Wallets[walletID].Places() {
		if err := s.Still(ctx); err != nil {
			return err
		}
		err := p.Raise(ctx, to, e)
		switch {
		case errors.Is(err, ErrConflict):
			return k.enter(ctx, s, walletID, p.Name()+": "+err.Error())
		case err != nil && i == 0:
			return fmt.Errorf("%w: %s: %w", ErrUnknown, p.Name(), err)
		case err != nil:
			k.Log.WarnContext(ctx, "Temporal did not take a mark; it is raised by the next comparison", "wallet", walletID, "error", err)
		}
	}
	return nil
}

// tendEvery is the time between two comparisons of a wallet for which no transaction is
// built or relayed.
const tendEvery = 10 * time.Second

// Tend is Ensure with a comparison every few seconds, for the process that keeps a
// wallet's addresses ready. It also raises the file of the wallet to the end of the lease. Safe
// mode is not an error here. While the wallet's daemon is on another network, Tend returns
// ErrWrongChain and none of the ready addresses is given out.
func (k *Keeper) Tend(ctx context.Context, walletID string) (Standing, error) {
	if k.due(walletID) {
		// A transaction by hand is seen with its block, or before a transaction is built.
		err := k.compareBy(ctx, walletID, ByBlock)
		if errors.Is(err, ErrWrongChain) {
			return Standing{}, errors.Join(err, k.withhold(ctx, walletID, err))
		}
		if err != nil && !errors.Is(err, ErrSafeMode) {
			return Standing{}, err
		}
	}
	stands, err := k.Ensure(ctx, walletID)
	if err != nil || stands.Safe != "" {
		return stands, err
	}
	return stands, k.follow(ctx, walletID, stands.To)
}

// follow raises the file of the wallet to the end of the lease, which did not wait for it.
// This process remembers how far it raised it. A comparison finds a file that is older all the
// same.
func (k *Keeper) follow(ctx context.Context, walletID string, leaseTo int64) error {
	k.mu.Lock()
	done := k.followed[walletID] >= leaseTo
	k.mu.Unlock()
	if done {
		return nil
	}
	return k.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		if err := standing(row.Witness).Err(); err != nil || !row.Current {
			return err
		}
		if err := s.Still(ctx); err != nil {
			return err
		}
		file := k.Wallets[walletID].File
		if err := file.Raise(ctx, Mark{Addresses: row.Witness.LeaseTo}, nil); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrUnknown, file.Name(), err)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.followed == nil {
			k.followed = map[string]int64{}
		}
		k.followed[walletID] = row.Witness.LeaseTo
		return nil
	})
}

// withhold removes the lease, so that no address is given out, and opens an alert with
// the reason. When the wallet's own chain answers again, the same lease continues,
// because no address was given out meanwhile. In another instance of the database a new
// lease is opened.
func (k *Keeper) withhold(ctx context.Context, walletID string, why error) error {
	k.Log.ErrorContext(ctx, "a wallet's daemon is on another network: nothing is done with the wallet", "wallet", walletID, "error", why)
	return k.Store.Tx(ctx, func(q *db.Queries) error {
		if err := q.WithholdLease(ctx, walletID); err != nil {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.WrongChain, Subject: walletID, Detail: why.Error()})
	})
}

// onItsChain resolves the alert that a wallet's daemon is on another network, because
// the wallet's own chain has answered a caller.
func onItsChain(ctx context.Context, q *db.Queries, walletID string) error {
	return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.WrongChain, Subject: walletID})
}

// due reports whether this process has not compared the wallet for tendEvery. If so, the
// time counts from now.
func (k *Keeper) due(walletID string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fresh(walletID) {
		return false
	}
	if k.compared == nil {
		k.compared = map[string]time.Time{}
	}
	k.compared[walletID] = k.Clock()
	return true
}

// Tended reports whether a call of Tend would find nothing to do for a wallet with an open
// lease up to this index.
func (k *Keeper) Tended(walletID string, leaseTo int64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.fresh(walletID) && k.followed[walletID] >= leaseTo
}

// fresh reports whether this process has compared the wallet within tendEvery. mu is locked.
func (k *Keeper) fresh(walletID string) bool {
	return k.Clock().Sub(k.compared[walletID]).Abs() < tendEvery
}

// sentAnswer is a wallet's answer about transactions sent since a height, with the newest
// block at that time.
type sentAnswer struct {
	newest string
	since  int64
	sent   []Sent
	tip    int64
}

// sentSince makes the wallet read the chain in info, and asks it.
func (c *MoneroChain) sentSince(ctx context.Context, info monero.Info, height int64) ([]Sent, int64, error) {
	blocks, err := c.Spender.CatchUpTo(ctx, info)
	if err != nil {
		return nil, 0, err
	}
	rows, err := c.Spender.Sent(ctx, uint64(height))
	if err != nil {
		return nil, 0, err
	}
	t := &sentAnswer{newest: info.TopHash, since: height, sent: make([]Sent, 0, len(rows)), tip: int64(blocks) - 1}
	for _, r := range rows {
		t.sent = append(t.sent, Sent{TxHash: r.TxHash, Amount: uint64(r.Amount), Fee: uint64(r.Fee), Height: r.Height})
	}
	c.lastAnswer.Store(t)
	return t.sent, t.tip, nil
}
