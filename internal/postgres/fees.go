package postgres

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
)

// FeeRate returns a merchant's fee rate at a point in time. standard is the
// configured rate. It reads through q, so that a payout can fix the rate in the
// transaction that reserves it.
func FeeRate(ctx context.Context, q *db.Queries, m db.Merchant, standard money.Decimal, now time.Time) (money.Decimal, error) {
	if m.FeeRate != nil {
		return *m.FeeRate, nil
	}
	tiers, err := FeeTiers(ctx, q)
	if err != nil || len(tiers) == 0 {
		return standard, err
	}
	volume, err := q.ConfirmedVolume(ctx, db.ConfirmedVolumeParams{
		MerchantID: m.MerchantID, Since: now.Add(-payout.VolumePeriod), Until: now,
	})
	return payout.RateOf(m.FeeRate, tiers, volume, standard), err
}

// FeeTiers returns the volume tiers, the lowest first.
func FeeTiers(ctx context.Context, q *db.Queries) ([]payout.Tier, error) {
	rows, err := q.ListFeeTiers(ctx)
	tiers := make([]payout.Tier, 0, len(rows))
	for _, r := range rows {
		tiers = append(tiers, payout.Tier{VolumeXMR: r.VolumeFrom, FeeRate: r.FeeRate})
	}
	return tiers, err
}
