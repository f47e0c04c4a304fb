package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/wire"
)

// account names an account by its email address.
type account struct {
	Email string `arg:"" help:"Email address of the account."`
}

func (c account) set(ctx context.Context, admin *adminCmd, to bool) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Merchant, error) { return d.SetAdmin(ctx, admin.actor(), c.Email, to) })
}

type grantCmd struct{ account }

// Run makes the account an admin.
func (c *grantCmd) Run(ctx context.Context, admin *adminCmd) error { return c.set(ctx, admin, true) }

type revokeCmd struct{ account }

// Run makes the account an ordinary one.
func (c *revokeCmd) Run(ctx context.Context, admin *adminCmd) error { return c.set(ctx, admin, false) }

type merchantsCmd struct {
	List      merchantListCmd `cmd:"" help:"List merchants, the oldest first."`
	Suspend   suspendCmd      `cmd:"" help:"Shut a merchant out; open charges go on to their end."`
	Unsuspend unsuspendCmd    `cmd:"" help:"Let a merchant in again."`
	Hold      holdCmd         `cmd:"" help:"Have a merchant's sweeps and refunds wait, and leave the rest open. A hold is lengthened and never shortened."`
	Reset2FA  reset2FACmd     `cmd:"" name:"reset-2fa" help:"Switch two-factor authentication off for a merchant who has lost it; ends the sessions and tells the merchant by mail."`
	Terms     termsCmd        `cmd:"" help:"Set what a merchant has of their own; default takes it away."`
}

type merchantListCmd struct {
	pageFlags
}

// Run lists merchants.
func (c *merchantListCmd) Run(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Merchants, error) { return d.Merchants(ctx, c.page()) })
}

// suspension names a merchant.
type suspension struct {
	MerchantID string `arg:"" help:"merchant_id, 32 hex digits."`
}

func (c suspension) set(ctx context.Context, admin *adminCmd, to bool) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Merchant, error) {
		return d.Suspend(ctx, admin.actor(), c.MerchantID, to)
	})
}

type suspendCmd struct{ suspension }

// Run suspends the merchant.
func (c *suspendCmd) Run(ctx context.Context, admin *adminCmd) error { return c.set(ctx, admin, true) }

type unsuspendCmd struct{ suspension }

// Run ends the suspension.
func (c *unsuspendCmd) Run(ctx context.Context, admin *adminCmd) error {
	return c.set(ctx, admin, false)
}

type holdCmd struct {
	MerchantID string `arg:"" help:"merchant_id, 32 hex digits."`
	Until      until  `arg:"" placeholder:"UNTIL" help:"A day, whose beginning in UTC is meant, or a moment with an offset: 2026-12-01T12:00:00Z. At most 720 hours from now."`
}

// Run delays the merchant's payouts.
func (c *holdCmd) Run(ctx context.Context, admin *adminCmd) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Merchant, error) {
		return d.Hold(ctx, admin.actor(), c.MerchantID, time.Time(c.Until))
	})
}

// until is a time, or the beginning of a day.
type until time.Time

// UnmarshalText reads either.
func (u *until) UnmarshalText(text []byte) error {
	at, err := time.Parse(time.DateOnly, string(text))
	if err != nil {
		at, err = wire.ParseTime(string(text))
	}
	*u = until(at)
	return err
}

type reset2FACmd struct {
	MerchantID string `arg:"" help:"merchant_id, 32 hex digits."`
}

// Run switches the second factor off.
func (c *reset2FACmd) Run(ctx context.Context, admin *adminCmd) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Merchant, error) {
		return d.ResetTwoFactor(ctx, admin.actor(), c.MerchantID)
	})
}

type termsCmd struct {
	MerchantID    string  `arg:"" help:"merchant_id, 32 hex digits."`
	FeeRate       decimal `placeholder:"SHARE|default" help:"Share of a payout: 0.004 is 0.4 percent."`
	Confirmations number  `placeholder:"BLOCKS|default" help:"Blocks that a payment needs, 1 to 1000."`
	Tolerance     decimal `placeholder:"PERCENT|default" help:"Underpayment that still confirms a charge."`
	Pending       number  `placeholder:"CHARGES|default" help:"Charges that may be pending at the same time."`
}

// Run sets the merchant's terms.
func (c *termsCmd) Run(ctx context.Context, admin *adminCmd) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Merchant, error) {
		return d.SetTerms(ctx, admin.actor(), c.MerchantID, operator.Terms{
			FeeRate: c.FeeRate.Setting, Confirmations: c.Confirmations.Setting, Tolerance: c.Tolerance.Setting,
			PendingMax: c.Pending.Setting,
		})
	})
}

// standard is the word that removes a merchant's own value.
const standard = "default"

// decimal is a decimal number or the word default.
type decimal struct {
	operator.Setting[money.Decimal]
}

// UnmarshalText reads either.
func (d *decimal) UnmarshalText(text []byte) error {
	d.Given = true
	if string(text) == standard {
		return nil
	}
	n, err := money.ParseDecimal(string(text))
	d.To = &n
	return err
}

// number is a whole number or the word default.
type number struct{ operator.Setting[int32] }

// UnmarshalText reads either.
func (n *number) UnmarshalText(text []byte) error {
	n.Given = true
	if string(text) == standard {
		return nil
	}
	parsed, err := strconv.ParseInt(string(text), 10, 32)
	to := int32(parsed)
	n.To = &to
	return err
}

type feesCmd struct {
	List feeListCmd `cmd:"" help:"List the volume tiers."`
	Set  feeSetCmd  `cmd:"" help:"Replace the volume tiers; without any they are removed."`
}

type feeListCmd struct{}

// Run lists the tiers.
func (c *feeListCmd) Run(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Tiers, error) { return d.Tiers(ctx) })
}

type feeSetCmd struct {
	Tiers []tier `arg:"" optional:"" placeholder:"VOLUME:RATE" help:"From this volume in XMR, confirmed in 30 days, this share: 100:0.004."`
}

// Run replaces the tiers.
func (c *feeSetCmd) Run(ctx context.Context, admin *adminCmd) error {
	tiers := make([]operator.Tier, 0, len(c.Tiers))
	for _, t := range c.Tiers {
		tiers = append(tiers, t.Tier)
	}
	return asAdmin(ctx, func(d *operator.Admin) (operator.Tiers, error) { return d.SetTiers(ctx, admin.actor(), tiers) })
}

// tier is VOLUME:RATE.
type tier struct{ operator.Tier }

// UnmarshalText reads a tier.
func (t *tier) UnmarshalText(text []byte) error {
	volume, rate, _ := strings.Cut(string(text), ":")
	var err error
	if t.VolumeXMR, err = money.ParseXMR(volume); err == nil {
		t.FeeRate, err = money.ParseDecimal(rate)
	}
	if err != nil {
		return fmt.Errorf("%q is not VOLUME:RATE: %w", text, err)
	}
	return nil
}

// inviteCmd holds the commands for invites to open an account.
type inviteCmd struct {
	Create inviteCreateCmd `cmd:"" help:"Make an invite, good for one account. It is shown once."`
	List   inviteListCmd   `cmd:"" help:"List the newest invites."`
	Revoke inviteRevokeCmd `cmd:"" help:"Take an unused invite away."`
}

type inviteCreateCmd struct {
	For  time.Duration `default:"168h" placeholder:"DURATION" help:"How long it is good: 168h is a week."`
	Note string        `placeholder:"TEXT" help:"Whom it is for, shown to operators only."`
}

// Run creates an invite.
func (c *inviteCreateCmd) Run(ctx context.Context, admin *adminCmd) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Invite, error) {
		return d.CreateInvite(ctx, admin.actor(), c.For, c.Note)
	})
}

type inviteListCmd struct{}

// Run lists invites.
func (c *inviteListCmd) Run(ctx context.Context) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Invites, error) { return d.Invites(ctx) })
}

type inviteRevokeCmd struct {
	ID string `arg:"" help:"Identifier of the invite, in_…"`
}

// Run revokes the invite.
func (c *inviteRevokeCmd) Run(ctx context.Context, admin *adminCmd) error {
	return asAdmin(ctx, func(d *operator.Admin) (operator.Invites, error) { return d.RevokeInvite(ctx, admin.actor(), c.ID) })
}
