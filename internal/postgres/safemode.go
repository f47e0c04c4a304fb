package postgres

import (
	"context"
	"errors"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// ErrNoLease means that nothing can be handed out for a moment: the database was
// restarted, and the worker has not compared it with the witness yet.
var ErrNoLease = errors.New("the wallet's lease is being opened")

// NoAddress returns why no address of a wallet can be taken. It returns safe if the
// wallet is in safe mode. It returns ErrNoLease, which passes within seconds, while the
// lease is being opened. Otherwise it returns none: no address is ready, or the wallet's
// daemon is on another network.
func NoAddress(ctx context.Context, q *db.Queries, walletID string, safe, none error) error {
	row, err := q.GetWitness(ctx, walletID)
	switch {
	case IsNotFound(err):
		return none // no worker has served the wallet yet
	case err != nil:
		return err
	case row.Witness.SafeSince != nil:
		return safe
	case !row.Current:
		wrong, err := q.HasAlert(ctx, db.HasAlertParams{Kind: alert.WrongChain, Subject: walletID})
		if err != nil {
			return err
		}
		if wrong {
			return none
		}
		return ErrNoLease
	default:
		return none
	}
}

// SafeModeRefusal returns the refusal for a step that moves or reserves money of a wallet in safe
// mode.
func SafeModeRefusal() error {
	return refusals.New(refusals.SafeMode, "the service is in safe mode until an operator has looked at it, try again later")
}

// CheckSafeMode returns SafeModeRefusal if a wallet is in safe mode.
func CheckSafeMode(ctx context.Context, q *db.Queries, walletID string) error {
	row, err := q.GetWitness(ctx, walletID)
	if err == nil && row.Witness.SafeSince != nil {
		return SafeModeRefusal()
	}
	if IsNotFound(err) {
		return nil
	}
	return err
}
