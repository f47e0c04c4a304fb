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

// Extend moves the end of the wallet's lease: once it returns, addresses up to this
// index may be given out. It writes the intended end first, so that a place that
// knows the new end does not make the database look older. In safe mode it writes
// nothing, because a recovery compares the places with the earlier intention.
func (k *Keeper) Extend(ctx context.Context, walletID string, to int64) error {
	now, err := k.Store.GetWitness(ctx, walletID)
	if err == nil {
		err = standing(now.Witness).Err()
	}
	if err != nil {
		return err
	}
	if err := k.Store.IntendAddresses(ctx, db.IntendAddressesParams{WalletID: walletID, Addresses: to}); err != nil {
		return err
	}
	return k.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		if row.Witness.LeaseTo >= to && row.Current {
			return nil
		}
		if err := k.again(ctx, s, row, ByBlock); err != nil {
			return err
		}
		if err := k.raise(ctx, s, walletID, Mark{Addresses: to}, nil); err != nil {
			return err
		}
		return s.ExtendLease(ctx, db.ExtendLeaseParams{WalletID: walletID, LeaseTo: to})
	})
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
// wallet's addresses ready. Safe mode is not an error here. While the wallet's daemon is
// on another network, Tend returns ErrWrongChain and none of the ready addresses is
// given out.
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
	return k.Ensure(ctx, walletID)
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
	now := k.Clock()
	if now.Sub(k.compared[walletID]).Abs() < tendEvery {
		return false
	}
	if k.compared == nil {
		k.compared = map[string]time.Time{}
	}
	k.compared[walletID] = now
	return true
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
	blocks, err := c.Wallet.CatchUpTo(ctx, info)
	if err != nil {
		return nil, 0, err
	}
	rows, err := c.Wallet.Sent(ctx, uint64(height))
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
