package operator

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// Merchant is a merchant as operators see them.
type Merchant struct {
	ID            int64          `json:"id" doc:"Number of the account" example:"1"`
	MerchantID    string         `json:"merchant_id" example:"0123456789abcdef0123456789abcdef"`
	Email         string         `json:"email" doc:"Empty once the account is deleted" example:"shop@example.com"`
	BusinessName  string         `json:"businessName" example:"Example Shop"`
	Admin         bool           `json:"admin" doc:"May use these routes"`
	SuspendedAt   *wire.Time     `json:"suspended_at" doc:"null while the merchant is not suspended"`
	WalletID      string         `json:"wallet_id" doc:"Live wallet" example:"live"`
	VolumeXMR     money.Piconero `json:"volume_xmr" doc:"Confirmed in the last 30 days, live wallet"`
	FeeRate       money.Decimal  `json:"fee_rate" doc:"Rate in force"`
	OwnFeeRate    *money.Decimal `json:"own_fee_rate" doc:"Set for this merchant; null: by volume tier or configuration"`
	Confirmations *int32         `json:"confirmations_required" doc:"Set for this merchant; null: by configuration"`
	Tolerance     *money.Decimal `json:"tolerance_percent" doc:"Set for this merchant; null: by configuration"`
	PendingMax    *int32         `json:"pending_charges_max" doc:"Charges that may be pending at the same time, set for this merchant; null: by configuration"`
	// PayoutHoldUntil is null unless a sweep would be refused now.
	PayoutHoldUntil *wire.Time `json:"payout_hold_until" doc:"Until when sweeps wait, since where they go was changed; null when they do not"`
	CreatedAt       wire.Time  `json:"created_at"`
	DeletedAt       *wire.Time `json:"deleted_at" doc:"null unless the merchant has deleted the account; what the books refer to stays"`
}

// Merchants is a page of merchants.
type Merchants struct {
	Merchants  []Merchant `json:"merchants" doc:"Oldest first"`
	NextCursor *int64     `json:"next_cursor" doc:"Cursor of the next page; null on the last"`
}

// Merchants lists all merchants, the oldest first.
func (d *Admin) Merchants(ctx context.Context, p Page) (Merchants, error) {
	tiers, err := postgres.FeeTiers(ctx, d.Store.Queries)
	if err != nil {
		return Merchants{}, err
	}
	rows, err := d.Store.ListMerchants(ctx, db.ListMerchantsParams{
		VolumeSince: d.now().Add(-payout.VolumePeriod), After: p.Cursor, MaxRows: p.Limit,
	})
	if err != nil {
		return Merchants{}, err
	}
	list := Merchants{make([]Merchant, 0, len(rows)), next(p, rows, func(r db.ListMerchantsRow) int64 { return r.Merchant.ID })}
	for _, r := range rows {
		m, err := d.merchantOf(r.Merchant, r.Volume, tiers)
		if err != nil {
			return Merchants{}, err
		}
		list.Merchants = append(list.Merchants, m)
	}
	return list, nil
}

func (d *Admin) merchantOf(m db.Merchant, volume money.Piconero, tiers []payout.Tier) (Merchant, error) {
	email, err := d.emailOf(m)
	return Merchant{
		ID: m.ID, MerchantID: m.MerchantID, Email: email, BusinessName: m.BusinessName, Admin: m.Admin,
		SuspendedAt: wire.TimeOrNil(m.SuspendedAt), WalletID: m.LiveWalletID, VolumeXMR: volume,
		FeeRate: payout.RateOf(m.FeeRate, tiers, volume, d.FeeRate), OwnFeeRate: m.FeeRate,
		Confirmations: m.ConfirmationsRequired, Tolerance: m.TolerancePercent, PendingMax: m.PendingChargesMax, CreatedAt: wire.TimeOf(m.CreatedAt),
		PayoutHoldUntil: wire.TimeOrNil(payout.HeldUntil(m.PayoutHoldUntil, d.now())), DeletedAt: wire.TimeOrNil(m.DeletedAt),
	}, err
}

// emailOf is the merchant's address; a deleted account has none.
func (d *Admin) emailOf(m db.Merchant) (string, error) {
	if m.DeletedAt != nil {
		return "", nil
	}
	email, err := d.Box.Unseal(m.EmailSealed, secret.EmailPlace.Of(m.MerchantID))
	return string(email), err
}

// Merchant is one merchant; postgres.ErrNotFound when there is none.
func (d *Admin) Merchant(ctx context.Context, merchantID string) (Merchant, error) {
	m, err := d.Store.GetMerchant(ctx, merchantID)
	if err != nil {
		return Merchant{}, missing(err)
	}
	tiers, err := postgres.FeeTiers(ctx, d.Store.Queries)
	if err != nil {
		return Merchant{}, err
	}
	now := d.now()
	volume, err := d.Store.ConfirmedVolume(ctx, db.ConfirmedVolumeParams{
		MerchantID: merchantID, Since: now.Add(-payout.VolumePeriod), Until: now,
	})
	if err != nil {
		return Merchant{}, err
	}
	return d.merchantOf(m, volume, tiers)
}

// Suspend suspends a merchant, or ends the suspension. Open charges continue either way.
func (d *Admin) Suspend(ctx context.Context, who Actor, merchantID string, suspended bool) (Merchant, error) {
	return d.change(ctx, merchantID, func(q *db.Queries, m db.Merchant) error {
		if (m.SuspendedAt != nil) == suspended {
			return nil
		}
		action, at := "merchant.unsuspend", (*time.Time)(nil)
		if suspended {
			now := d.now()
			action, at = "merchant.suspend", &now
		}
		if err := q.SetSuspended(ctx, db.SetSuspendedParams{MerchantID: merchantID, SuspendedAt: at}); err != nil {
			return err
		}
		return d.record(ctx, q, who, entry{action, merchantID, struct{}{}})
	})
}

// SetAdmin makes the account with this email an admin, or takes that away.
func (d *Admin) SetAdmin(ctx context.Context, who Actor, email string, admin bool) (Merchant, error) {
	found, err := d.Store.GetMerchantByEmail(ctx, d.Index.Email(email))
	if err != nil {
		return Merchant{}, missing(err)
	}
	return d.change(ctx, found.MerchantID, func(q *db.Queries, m db.Merchant) error {
		if m.Admin == admin {
			return nil
		}
		if err := q.SetAdmin(ctx, db.SetAdminParams{MerchantID: m.MerchantID, Admin: admin}); err != nil {
			return err
		}
		return d.record(ctx, q, who, entry{"merchant.admin", m.MerchantID, fromTo{m.Admin, admin}})
	})
}

// change holds a merchant's row while fn changes it, and then returns the merchant.
func (d *Admin) change(ctx context.Context, merchantID string, fn func(*db.Queries, db.Merchant) error) (Merchant, error) {
	err := d.Store.Tx(ctx, func(q *db.Queries) error {
		m, err := q.MerchantForUpdate(ctx, merchantID)
		if err != nil {
			return missing(err)
		}
		return fn(q, m)
	})
	if err != nil {
		return Merchant{}, err
	}
	return d.Merchant(ctx, merchantID)
}

// ResetTwoFactor switches off the second factor of a merchant who has lost it, and ends
// every session. The merchant gets a mail. Without a second factor it does nothing.
func (d *Admin) ResetTwoFactor(ctx context.Context, who Actor, merchantID string) (Merchant, error) {
	return d.change(ctx, merchantID, func(q *db.Queries, m db.Merchant) error {
		if m.DeletedAt != nil {
			return refuse("the account is deleted")
		}
		if m.TotpSecretSealed == nil {
			return nil
		}
		if err := q.ResetTwoFactor(ctx, merchantID); err != nil {
			return err
		}
		if err := q.DropBackupCodes(ctx, merchantID); err != nil {
			return err
		}
		if err := d.record(ctx, q, who, entry{"merchant.reset-2fa", merchantID, struct{}{}}); err != nil {
			return err
		}
		return d.Notices.Enqueue(ctx, q, m, notice.TwoFactorReset, nil)
	})
}

// RecordReset writes into the audit, in the transaction of the change, that a
// merchant set another password with a link that was mailed.
func (d *Admin) RecordReset(ctx context.Context, q *db.Queries, merchantID string) error {
	return d.record(ctx, q, Actor(merchantID), entry{"merchant.password-reset", merchantID, struct{}{}})
}

// MaxHold is how long an operator may have payments out wait, from now.
const MaxHold = 720 * time.Hour

// Hold has a merchant's sweeps and refunds wait until a moment, at most MaxHold from
// now. It lengthens a hold and never shortens one, so asking again changes nothing.
func (d *Admin) Hold(ctx context.Context, who Actor, merchantID string, until time.Time) (Merchant, error) {
	now := d.now()
	until = until.UTC().Truncate(time.Millisecond)
	if !until.After(now) || until.After(now.Add(MaxHold)) {
		return Merchant{}, refuse("until must be in the future, and at most %d hours from now", int(MaxHold.Hours()))
	}
	return d.change(ctx, merchantID, func(q *db.Queries, m db.Merchant) error {
		before := payout.HeldUntil(m.PayoutHoldUntil, now)
		if before != nil && !before.Before(until) {
			return nil
		}
		if err := q.HoldPayouts(ctx, db.HoldPayoutsParams{MerchantID: merchantID, Until: until}); err != nil {
			return err
		}
		return d.record(ctx, q, who, entry{"merchant.hold", merchantID, fromTo{wire.TimeOrNil(before), wire.TimeOf(until)}})
	})
}
