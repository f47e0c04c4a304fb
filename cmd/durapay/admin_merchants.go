package main

import (
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

// oneMerchant names a merchant.
type oneMerchant struct {
	MerchantID string `arg:"" help:"merchant_id, 32 hex digits."`
}

type merchantsCmd struct {
	List      pageFlags   `cmd:"" help:"List merchants, the oldest first."`
	Suspend   oneMerchant `cmd:"" help:"Shut a merchant out; open charges go on to their end."`
	Unsuspend oneMerchant `cmd:"" help:"Let a merchant in again."`
	Hold      struct {
		oneMerchant

		Until until `arg:"" placeholder:"UNTIL" help:"A day, whose beginning in UTC is meant, or a moment with an offset: 2026-12-01T12:00:00Z. At most 720 hours from now."`
	} `cmd:"" help:"Have a merchant's sweeps and refunds wait, and leave the rest open. A hold is lengthened and never shortened."`
	Reset2FA oneMerchant `cmd:"" name:"reset-2fa" help:"Switch two-factor authentication off for a merchant who has lost it; ends the sessions and tells the merchant by mail."`
	Terms    struct {
		oneMerchant

		FeeRate       decimal `placeholder:"SHARE|default" help:"Share of a payout: 0.004 is 0.4 percent."`
		Confirmations number  `placeholder:"BLOCKS|default" help:"Blocks that a payment needs, 1 to 1000."`
		Tolerance     decimal `placeholder:"PERCENT|default" help:"Underpayment that still confirms a charge."`
		Pending       number  `placeholder:"CHARGES|default" help:"Charges that may be pending at the same time."`
	} `cmd:"" help:"Set what a merchant has of their own; default takes it away."`
}

func (c *merchantsCmd) terms() operator.Terms {
	t := c.Terms
	return operator.Terms{FeeRate: t.FeeRate.Setting, Confirmations: t.Confirmations.Setting, Tolerance: t.Tolerance.Setting, PendingMax: t.Pending.Setting}
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

// standard is the word that removes a merchant's own value.
const standard = "default"

// own reads a merchant's own value.
func own[T any](text []byte, parse func(string) (T, error)) (operator.Setting[T], error) {
	if string(text) == standard {
		return operator.Setting[T]{Given: true}, nil
	}
	to, err := parse(string(text))
	return operator.Setting[T]{Given: true, To: &to}, err
}

// decimal is a decimal number or the word default.
type decimal struct {
	operator.Setting[money.Decimal]
}

// UnmarshalText reads either.
func (d *decimal) UnmarshalText(text []byte) (err error) {
	d.Setting, err = own(text, money.ParseDecimal)
	return err
}

// number is a whole number or the word default.
type number struct{ operator.Setting[int32] }

// UnmarshalText reads either.
func (n *number) UnmarshalText(text []byte) (err error) {
	n.Setting, err = own(text, func(digits string) (int32, error) {
		parsed, err := strconv.ParseInt(digits, 10, 32)
		return int32(parsed), err
	})
	return err
}

type feesCmd struct {
	List struct{} `cmd:"" help:"List the volume tiers."`
	Set  struct {
		Tiers []tier `arg:"" optional:"" placeholder:"VOLUME:RATE" help:"From this volume in XMR, confirmed in 30 days, this share: 100:0.004."`
	} `cmd:"" help:"Replace the volume tiers; without any they are removed."`
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

func tiersOf(given []tier) []operator.Tier {
	tiers := make([]operator.Tier, 0, len(given))
	for _, t := range given {
		tiers = append(tiers, t.Tier)
	}
	return tiers
}

// inviteCmd holds the commands for invites to open an account.
type inviteCmd struct {
	Create struct {
		For  time.Duration `default:"168h" placeholder:"DURATION" help:"How long it is good: 168h is a week."`
		Note string        `placeholder:"TEXT" help:"Whom it is for, shown to operators only."`
	} `cmd:"" help:"Make an invite, good for one account. It is shown once."`
	List   struct{} `cmd:"" help:"List the newest invites."`
	Revoke struct {
		ID string `arg:"" help:"Identifier of the invite, in_…"`
	} `cmd:"" help:"Take an unused invite away."`
}
