package accounts

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// payoutAddressLength is the length of a primary address or a subaddress.
const payoutAddressLength = 95

type keyInfo struct {
	Prefix    string    `json:"prefix" doc:"First characters of the key" example:"cm_live_0123"`
	CreatedAt wire.Time `json:"createdAt"`
}

type keyInfos struct {
	Production *keyInfo `json:"production"`
	Sandbox    *keyInfo `json:"sandbox"`
}

type profile struct {
	ID                int64          `json:"id" doc:"Number of the account" example:"1"`
	MerchantID        string         `json:"merchant_id" doc:"Public identifier, 32 hex digits" example:"0123456789abcdef0123456789abcdef"`
	Email             string         `json:"email" example:"shop@example.com"`
	BusinessName      string         `json:"businessName" example:"Example Shop"`
	Contact           string         `json:"contact" doc:"How customers reach the business; may be empty"`
	TimeZone          string         `json:"timeZone" doc:"IANA name of the zone in which the desk shows times" example:"UTC"`
	DefaultCurrency   money.Currency `json:"defaultCurrency" enum:"USD,EUR,XMR" doc:"What the forms of the desk begin with" example:"EUR"`
	NamesInLinks      bool           `json:"namesInLinks" doc:"Whether monero: links of payment pages carry recipient_name and tx_description"`
	MailsReceipts     bool           `json:"mailsReceipts" doc:"Whether customers who give an email address on a payment page get a receipt"`
	EmailVerified     bool           `json:"emailVerified"`
	TwoFactorEnabled  bool           `json:"twoFactorEnabled"`
	HasPayoutAddress  bool           `json:"hasPayoutAddress"`
	PayoutAddress     *string        `json:"payoutAddress" doc:"First and last six characters"`
	ReportingEnabled  bool           `json:"reportingEnabled"`
	ReportingCurrency money.Currency `json:"reportingCurrency" enum:"USD,EUR"`
	FeeRate           money.Decimal  `json:"feeRate" doc:"Share of a payout kept by the operator, as it is in force now: 0.005 is half a percent"`
	AutoSwap          AutoSwap       `json:"autoSwap"`
	APIKeys           keyInfos       `json:"apiKeys"`
	CreatedAt         wire.Time      `json:"createdAt"`
	// Custody and CustodyText say who holds the money until it is paid out.
	Custody     config.Custody `json:"custody" enum:"hosted,own" doc:"Who holds what new live charges receive: the service until it is paid out, or the shop's own wallet"`
	CustodyText string         `json:"custodyText" doc:"The same in one sentence" example:"The operator of this service holds your payments until they are paid out to you."`
	// PayoutHoldUntil is null unless a sweep would be refused now.
	PayoutHoldUntil *wire.Time `json:"payoutHoldUntil" doc:"Until when sweeps wait, since where they go was changed; null when they do not"`
	// RefundAutoUpTo is nil if every refund needs approval.
	RefundAutoUpTo *money.Piconero `json:"refundAutoUpToXmr,omitempty" doc:"Refunds of at most so much need no approval; only there when it is more than 0"`
	// RefundHoldUntil is nil unless that setting is still on hold.
	RefundHoldUntil *wire.Time `json:"refundHoldUntil,omitempty" doc:"Until then every claim needs the approval of a session, since more was let go without one; only there while it does"`
}

type me struct {
	Merchant profile `json:"merchant"`
}

type newPayoutAddress struct {
	Address  string  `json:"address" doc:"Mainnet primary address or subaddress, 95 characters"`
	TOTPCode *string `json:"totp_code,omitempty" doc:"Six digits; required when two-factor authentication is on" example:"123456"`
}

type payoutAddressSet struct {
	OK            bool   `json:"ok" doc:"Always true"`
	PayoutAddress string `json:"payoutAddress" doc:"First and last six characters" example:"48DCHZ…3FaS4u"`
}

type keyChoice struct {
	Type     string  `json:"type" enum:"production,sandbox" doc:"Which key" example:"production"`
	TOTPCode *string `json:"totp_code,omitempty" doc:"Six digits; required when two-factor authentication is on" example:"123456"`
}

type newKey struct {
	Type   string `json:"type" enum:"production,sandbox" example:"production"`
	APIKey string `json:"apiKey" doc:"The new key; shown only now. The old one is invalid" example:"cm_live_0123456789abcdef0123456789abcdef0123456789abcdef"`
}

func (h *Settings) me(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[me], error) {
	email, err := h.Box.Unseal(m.EmailSealed, secret.EmailPlace.Of(m.MerchantID))
	if err != nil {
		return nil, err
	}
	keys, err := h.Store.ListAPIKeys(ctx, m.MerchantID)
	if err != nil {
		return nil, err
	}
	rate, err := postgres.FeeRate(ctx, h.Store.Queries, m, h.FeeRate, h.Clock())
	if err != nil {
		return nil, err
	}
	var autoUpTo *money.Piconero
	if m.RefundAutoUpTo > 0 {
		autoUpTo = &m.RefundAutoUpTo
	}
	custody := postgres.CustodyOf(m, h.Custody, h.Clock())
	return httpapi.With(me{profile{
		Custody: custody, CustodyText: postgres.CustodyText(custody),
		ID: m.ID, MerchantID: m.MerchantID, Email: string(email), BusinessName: m.BusinessName, Contact: m.Contact,
		TimeZone: m.TimeZone, DefaultCurrency: money.Currency(m.DefaultCurrency),
		NamesInLinks: m.NamesInLinks, MailsReceipts: m.MailsReceipts,
		EmailVerified: m.EmailVerifiedAt != nil, TwoFactorEnabled: m.TotpEnabledAt != nil, HasPayoutAddress: m.PayoutAddressSealed != nil, PayoutAddress: m.PayoutAddressMasked,
		ReportingEnabled: m.ReportingEnabled, ReportingCurrency: money.Currency(m.ReportingCurrency), FeeRate: rate, AutoSwap: autoSwapOf(m),
		APIKeys: keyInfosOf(keys), CreatedAt: wire.TimeOf(m.CreatedAt), PayoutHoldUntil: wire.TimeOrNil(payout.HeldUntil(m.PayoutHoldUntil, h.Clock())),
		RefundAutoUpTo: autoUpTo, RefundHoldUntil: wire.TimeOrNil(payout.HeldUntil(m.RefundHoldUntil, h.Clock())),
	}}, nil)
}

func keyInfosOf(rows []db.ListAPIKeysRow) keyInfos {
	var infos keyInfos
	for _, k := range rows {
		info := &keyInfo{k.Prefix, wire.TimeOf(k.CreatedAt)}
		if k.Mode == string(config.Live) {
			infos.Production = info
		} else {
			infos.Sandbox = info
		}
	}
	return infos
}

func (h *Settings) setPayoutAddress(ctx context.Context, m db.Merchant, in *struct {
	Body httpapi.Body[newPayoutAddress]
}) (*httpapi.Out[payoutAddressSet], error) {
	fields := in.Body.Value()
	parsed, err := monero.ParseAddress(fields.Address)
	if err != nil || len(fields.Address) != payoutAddressLength || parsed.Network != monero.Mainnet || parsed.Kind == monero.KindIntegrated {
		return nil, httpapi.BadRequest("address must be a mainnet primary address or subaddress of %d characters", payoutAddressLength)
	}
	sealed, err := h.Box.Seal([]byte(fields.Address), secret.PayoutPlace.Of(m.MerchantID))
	if err != nil {
		return nil, err
	}
	masked := payout.MaskAddress(fields.Address)
	err = h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) error {
		if _, err := q.SetPayoutAddress(ctx, db.SetPayoutAddressParams{MerchantID: m.MerchantID, Sealed: sealed, Masked: &masked}); err != nil {
			return err
		}
		return h.redirected(ctx, q, held, notice.PayoutAddress, func() (bool, error) {
			return h.differs(held.PayoutAddressSealed, secret.PayoutPlace.Of(m.MerchantID), fields.Address)
		})
	})
	return httpapi.With(payoutAddressSet{true, masked}, err)
}

func (h *Settings) regenerateKey(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[keyChoice] }) (*httpapi.Out[newKey], error) {
	fields := in.Body.Value()
	mode, ok := map[string]config.Mode{"production": config.Live, "sandbox": config.Sandbox}[fields.Type]
	if !ok {
		return nil, httpapi.BadRequest("type must be one of: production, sandbox")
	}
	key := secret.NewAPIKey(mode == config.Live)
	err := h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) error {
		if err := access.PutKey(ctx, q, m.MerchantID, mode, key, h.Clock()); err != nil {
			return err
		}
		return h.Notices.Enqueue(ctx, q, held, notice.APIKey, nil)
	})
	return httpapi.With(newKey{fields.Type, key}, err)
}

// redirected notifies the merchant that the address of sweeps was set, and makes sweeps wait if
// it changed. The first payout address makes no sweep wait, because there was no address before.
// Setting the same address again makes none wait either. held is the row before the change.
func (h *Settings) redirected(ctx context.Context, q *db.Queries, held db.Merchant, kind notice.Kind, changed func() (bool, error)) error {
	var until *time.Time
	first := held.PayoutAddressSealed == nil && held.PayoutHoldUntil == nil // the removal of an address leaves a hold
	if !first && h.PayoutHold > 0 {
		differs, err := changed()
		if err != nil {
			return err
		}
		if differs {
			end := h.holdEnds()
			until = &end
			if err := q.HoldPayouts(ctx, db.HoldPayoutsParams{MerchantID: held.MerchantID, Until: end}); err != nil {
				return err
			}
		}
	}
	return h.Notices.Enqueue(ctx, q, held, kind, until)
}

// holdEnds returns the time until which a change made now is on hold.
func (h *Settings) holdEnds() time.Time {
	return h.Clock().Add(h.PayoutHold).UTC().Truncate(time.Millisecond)
}

// differs reports whether a sealed value differs from a text. A missing value differs from every
// text.
func (h *Settings) differs(sealed []byte, place secret.AD, text string) (bool, error) {
	if sealed == nil {
		return true, nil
	}
	plain, err := h.Box.Unseal(sealed, place)
	return string(plain) != text, err
}
