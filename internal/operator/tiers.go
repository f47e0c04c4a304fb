package operator

import (
	"context"
	"slices"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Tier is a fee rate for merchants whose volume reaches an amount.
type Tier = payout.Tier

// Tiers are the volume tiers and the rate below the lowest.
type Tiers struct {
	Tiers          []Tier        `json:"tiers" doc:"Lowest volume first"`
	DefaultFeeRate money.Decimal `json:"default_fee_rate" doc:"Configured rate, for those who reach no tier"`
}

// Tiers are the volume tiers in force.
func (d *Admin) Tiers(ctx context.Context) (Tiers, error) {
	found, err := postgres.FeeTiers(ctx, d.Store.Queries)
	return Tiers{found, d.FeeRate}, err
}

// SetTiers puts these tiers in place of those that there are. Payouts that are
// reserved keep their rate.
func (d *Admin) SetTiers(ctx context.Context, who Actor, tiers []Tier) (Tiers, error) {
	tiers, err := sorted(tiers)
	if err != nil {
		return Tiers{}, err
	}
	err = d.Store.Tx(ctx, func(q *db.Queries) error {
		if err := q.LockFeeTiers(ctx); err != nil {
			return err
		}
		before, err := postgres.FeeTiers(ctx, q)
		if err != nil {
			return err
		}
		if slices.EqualFunc(before, tiers, sameTier) {
			return nil
		}
		if err := q.DeleteFeeTiers(ctx); err != nil {
			return err
		}
		for _, t := range tiers {
			if err := q.InsertFeeTier(ctx, db.InsertFeeTierParams{VolumeFrom: t.VolumeXMR, FeeRate: t.FeeRate}); err != nil {
				return err
			}
		}
		return d.record(ctx, q, who, entry{"fees.tiers", "fee_tiers", fromTo{before, tiers}})
	})
	return Tiers{tiers, d.FeeRate}, err
}

func sameTier(a, b Tier) bool {
	return a.VolumeXMR == b.VolumeXMR && a.FeeRate.Cmp(b.FeeRate) == 0
}

// sorted checks tiers and returns them with the lowest volume first.
func sorted(tiers []Tier) ([]Tier, error) {
	if len(tiers) > payout.MaxFeeTiers {
		return nil, refuse("there can be at most %d tiers", payout.MaxFeeTiers)
	}
	tiers = append([]Tier{}, tiers...)
	slices.SortFunc(tiers, func(a, b Tier) int { return a.VolumeXMR.Decimal().Cmp(b.VolumeXMR.Decimal()) })
	for i, t := range tiers {
		switch {
		case t.VolumeXMR == 0:
			return nil, refuse("volume_xmr must be above 0; the rate below is the configured one")
		case i > 0 && t.VolumeXMR == tiers[i-1].VolumeXMR:
			return nil, refuse("volume_xmr %s is there twice", t.VolumeXMR)
		case !payout.IsRate(t.FeeRate):
			return nil, errRate()
		}
	}
	return tiers, nil
}

func errRate() error {
	return refuse("fee_rate must be a share from 0 up to, and without, 1, with at most 6 decimals")
}
