package chain

import (
	"context"
	"errors"
	"fmt"
)

// Translated converts an error of a process into the error of this package beside it in
// the table. It keeps the error of the process.
func Translated(err error, table [][2]error) error {
	for _, pair := range table {
		if errors.Is(err, pair[0]) {
			return fmt.Errorf("%w: %w", pair[1], err)
		}
	}
	return err
}

// Relayed returns the result of relaying a transaction. A daemon refuses a transaction
// that is mined and whose outputs are spent, so a refused one is looked for.
func Relayed(ctx context.Context, b Built, err error, find func(context.Context, Built) (Found, error)) error {
	if !errors.Is(err, ErrRefused) {
		return err
	}
	found, findErr := find(ctx, b)
	switch {
	case findErr != nil:
		return findErr
	case found.State != Unknown:
		return nil
	}
	return err
}

// Releasable returns ErrInUse for a transaction that cannot be released.
func Releasable(b Built, found Found) error {
	if found.State != Unknown || found.Inputs == InputsContested {
		return fmt.Errorf("%w: %s", ErrInUse, b.TxHash)
	}
	return nil
}

// Missing returns the error for a payment that a wallet cannot make. It distinguishes
// money that the wallet does not have from money that it cannot spend yet.
func Missing(total, held, spendable uint64) error {
	if held < total || held == spendable {
		return fmt.Errorf("%w: %d of %d", ErrNotEnough, held, total)
	}
	return fmt.Errorf("%w: %d of %d can be spent", ErrLocked, spendable, held)
}

// At returns a received payment at its place according to the daemon, as seen from a
// tip. A payment in a block above the tip counts as in the pool. Its Locked is not set.
func (r Received) At(l Location, tip uint64) (Deposit, error) {
	d := Deposit{TxHash: r.TxHash, Address: r.Address, Amount: r.Amount, Seen: r.Seen}
	switch {
	case l.State == Unknown:
		return Deposit{}, fmt.Errorf("%w: deposit %s", ErrNotFound, r.TxHash)
	case l.State == Mined && l.Height <= tip:
		d.Height, d.Confirmations = l.Height, tip-l.Height+1
	default:
		d.Contested = r.Contested || l.Contested
	}
	return d, nil
}
