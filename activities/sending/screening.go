package sending

import (
	"context"
	"errors"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/sanctions"
)

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
