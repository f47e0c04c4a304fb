package trades

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// screening looks the origins of trades' deposits up in the sanctions list.
type screening struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Sanctioned reports whether one of the addresses is on the sanctions list in force.
	Sanctioned func(ctx context.Context, addresses ...string) (bool, error)
}

// Deposits marks deposits that come from a listed address, and alerts operators. A mark
// is permanent.
func (s screening) Deposits(ctx context.Context, tradeID string) error {
	deposits, err := s.Store.TradeDeposits(ctx, tradeID)
	if err != nil {
		return err
	}
	for _, d := range deposits {
		if d.Blocked || d.OriginsSealed == nil {
			continue
		}
		origins, err := exchange.OriginsOf(s.Secret, d)
		if err != nil {
			return err
		}
		sanctioned, err := s.Sanctioned(ctx, origins...)
		if err != nil {
			return err
		}
		if !sanctioned {
			continue
		}
		err = s.Store.Tx(ctx, func(q *db.Queries) error {
			if err := q.BlockDeposit(ctx, d.ID); err != nil {
				return err
			}
			return q.OpenAlert(ctx, db.OpenAlertParams{
				Kind: alert.DepositBlocked, Subject: tradeID, Detail: fmt.Sprintf("deposit %d comes from an address on the sanctions list", d.ID),
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
