package sending

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/witness"
)

// bearWitness returns once a place outside of the database knows that a stored
// transaction may have been relayed, and what it pays. Bytes that were relayed before
// need no new entry.
func (o *Outgoing) bearWitness(ctx context.Context, tx db.OutgoingTransaction) error {
	again := witness.TxState(tx.State) != witness.TxBuilt
	var entry witness.Entry
	if !again {
		var err error
		if entry, err = o.entry(ctx, tx); err != nil {
			return err
		}
	}
	return o.Witness.BeforeRelay(ctx, tx.WalletID, entry, again)
}

func (o *Outgoing) entry(ctx context.Context, tx db.OutgoingTransaction) (witness.Entry, error) {
	e := witness.Entry{
		Seq: *tx.Seq, TxHash: *tx.TxHash, Purpose: tx.Purpose, Amount: tx.Paid.String(), Fee: tx.Fee.String(),
	}
	if tx.PayoutID != nil {
		p, err := o.Store.GetPayout(ctx, *tx.PayoutID)
		if err != nil {
			return e, err
		}
		ref, err := witness.ReferenceOf(ctx, o.Store.Queries, p, tx.UnspentPayments)
		e.Pays = []witness.Reference{ref}
		return e, err
	}
	rows, err := o.Store.OutgoingReferences(ctx, tx.ID)
	for _, r := range rows {
		if r.Paid == nil || r.Fee == nil {
			return e, fmt.Errorf("transaction %d: what it pays is not settled", tx.ID)
		}
		details, err := exchange.OpenDetails(o.Secret, r.TradeID, r.DetailsSealed)
		if err != nil {
			return e, err
		}
		e.To = append(e.To, details.PaidTo(trade.Kind(r.Kind)))
		e.Pays = append(e.Pays, witness.Reference{
			TradeID: r.TradeID, Kind: r.Kind, DepositTx: r.TxHash, DepositAddress: r.DepositAddress, Amount: r.Amount.String(),
			Paid: r.Paid.String(), Fee: r.Fee.String(),
		})
	}
	return e, err
}

// holdLease returns nil if bytes may be stored: the database is the instance that was
// compared, and not in safe mode. It detects a restore in the middle of a build.
func (o *Outgoing) holdLease(ctx context.Context, q *db.Queries, id int64) error {
	tx, err := q.GetOutgoing(ctx, id)
	if err != nil {
		return err
	}
	row, err := q.GetWitness(ctx, tx.WalletID)
	switch {
	case err != nil:
		return fmt.Errorf("wallet %s: %w", tx.WalletID, err)
	case row.Witness.SafeSince != nil:
		return witness.ErrSafeMode
	case !row.Current:
		return postgres.ErrNoLease
	default:
		return nil
	}
}

// SanctionsLookup reports whether one of the addresses is on the sanctions list in force; it is
// nil if no list is configured.
type SanctionsLookup func(ctx context.Context, addresses ...string) (bool, error)

// RefuseListed refuses listed addresses with refusals.Blocked and a text. While a list is
// configured but missing, it refuses all addresses with refusals.Route.
func RefuseListed(ctx context.Context, sanctioned SanctionsLookup, text string, addresses ...string) error {
	if sanctioned == nil {
		return nil
	}
	listed, err := sanctioned(ctx, addresses...)
	if errors.Is(err, sanctions.ErrNoList) {
		return refusals.New(refusals.Route, "addresses cannot be checked now")
	}
	if err == nil && listed {
		err = refusals.New(refusals.Blocked, text)
	}
	return err
}

// IsOwnAddress reports whether an address belongs to a wallet of merchants: its primary address,
// one with a payment ID in it, or a published subaddress.
func IsOwnAddress(ctx context.Context, q *db.Queries, address monero.Address) (bool, error) {
	wallets, err := q.PrimaryAddresses(ctx)
	if err != nil {
		return false, err
	}
	for _, text := range wallets {
		if primary, err := monero.ParseAddress(text); err == nil && primary.Spend == address.Spend {
			return true, nil
		}
	}
	return q.IsOwnAddress(ctx, address.String())
}
