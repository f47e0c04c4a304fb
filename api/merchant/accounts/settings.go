package accounts

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
	"github.com/durapay/durapay/internal/wire"
)

// Settings answers requests about settings.
type Settings struct {
	Store   *postgres.Store
	Box     *secret.Box
	Confirm access.Asker
	Notices notice.Notices
	// Quotes knows the addresses of the coins into which Monero can be swapped.
	Quotes *swapquote.Quotes
	Clock  func() time.Time
	// FeeRate is the operator's share if neither the merchant nor a volume tier has a rate: 0.005
	// is half a percent.
	FeeRate money.Decimal
	// PayoutHold is how long sweeps wait after a change of their address, and how long refunds
	// still need approval after the merchant allowed more without it. 0 means that nothing waits.
	PayoutHold time.Duration
	// Mails is set when a mail server is configured.
	Mails bool
	// Custody is which wallets shops may have.
	Custody config.Custody
}

// Register registers the account and its settings.
func (h *Settings) Register(api operation.API) {
	operation.WithSession(api, operation.Route{ID: "getMe", At: "GET /api/auth/me"}, h.me)
	operation.WithSession(api, operation.Route{ID: "getSetup", At: "GET /api/account/setup"}, h.setup)
	operation.WithSession(api, operation.Route{ID: "setPayoutAddress", At: "PUT /api/account/payout", Confirmed: true, Recent: true}, h.setPayoutAddress)
	operation.WithSession(api, operation.Route{ID: "regenerateKey", At: "POST /api/account/keys/regenerate", Recent: true}, h.regenerateKey)
	operation.WithSession(api, operation.Route{ID: "setAutoSwap", At: "PUT /api/merchants/auto-swap", Confirmed: true, Recent: true}, h.setAutoSwap)
	operation.WithSession(api, operation.Route{ID: "setRefundApproval", At: "PUT /api/account/refunds", Confirmed: true, Recent: true}, h.setRefundApproval)
	operation.WithSession(api, operation.Route{ID: "setProfile", At: "PUT /api/account/profile"}, h.setProfile)
	operation.WithSession(api, operation.Route{ID: "getNotices", At: "GET /api/account/notices"}, h.notices)
	operation.WithSession(api, operation.Route{ID: "setNotices", At: "POST /api/account/notices"}, h.setNotices)
	operation.WithSession(api, operation.Route{ID: "deleteAccount", At: "POST /api/account/delete"}, h.deleteAccount)
}

type newProfile struct {
	BusinessName *string `json:"businessName,omitempty" doc:"Shown to customers, 1 to 200 characters; unchanged when it is missing" example:"Example Shop"`
	Contact      *string `json:"contact,omitempty" doc:"How customers reach the business, shown where a page tells them to: at most 500 characters; unchanged when it is missing" example:"Example Street 1, +1 555 0100"`
	TimeZone     *string `json:"timeZone,omitempty" doc:"IANA name of the zone in which the desk shows times; unchanged when it is missing" example:"Europe/Berlin"`
	Currency     *string `json:"defaultCurrency,omitempty" enum:"USD,EUR,XMR" doc:"What the forms of the desk begin with; unchanged when it is missing" example:"EUR"`
	// NamesInLinks and MailsReceipts are unchanged when they are missing.
	NamesInLinks  *bool `json:"namesInLinks,omitempty" doc:"Whether monero: links of payment pages carry recipient_name and tx_description, which wallets show and keep; unchanged when it is missing"`
	MailsReceipts *bool `json:"mailsReceipts,omitempty" doc:"Whether customers who give an email address on a payment page get a receipt; unchanged when it is missing"`
}

type profileSet struct {
	OK           bool   `json:"ok" doc:"Always true"`
	BusinessName string `json:"businessName" example:"Example Shop"`
	Contact      string `json:"contact" example:"Example Street 1, +1 555 0100"`
	TimeZone     string `json:"timeZone" example:"Europe/Berlin"`
	Currency     string `json:"defaultCurrency" enum:"USD,EUR,XMR" example:"EUR"`
	// NamesInLinks and MailsReceipts are the settings in force.
	NamesInLinks  bool `json:"namesInLinks"`
	MailsReceipts bool `json:"mailsReceipts"`
}

func (h *Settings) setProfile(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[newProfile] }) (*httpapi.Out[profileSet], error) {
	fields := in.Body.Value()
	var err error
	if fields == (newProfile{}) {
		return nil, httpapi.BadRequest("name at least one setting to change")
	}
	to := db.SetProfileParams{MerchantID: m.MerchantID, DefaultCurrency: fields.Currency, NamesInLinks: fields.NamesInLinks, MailsReceipts: fields.MailsReceipts}
	if fields.Currency != nil {
		if _, err := money.ParseCurrency(*fields.Currency); err != nil {
			return nil, httpapi.BadRequest("defaultCurrency must be one of: USD, EUR, XMR")
		}
	}
	if to.TimeZone, err = parsed(fields.TimeZone, account.ParseTimeZone); err != nil {
		return nil, err
	}
	if to.BusinessName, err = parsed(fields.BusinessName, account.ParseBusinessName); err != nil {
		return nil, err
	}
	if to.Contact, err = parsed(fields.Contact, account.ParseContact); err != nil {
		return nil, err
	}
	var set db.SetProfileRow
	err = access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		set, err = q.SetProfile(ctx, to)
		return err
	})
	return httpapi.With(profileSet{true, set.BusinessName, set.Contact, set.TimeZone, set.DefaultCurrency, set.NamesInLinks, set.MailsReceipts}, err)
}

// parsed applies a rule to a text that may be missing.
func parsed(text *string, rule func(string) (string, error)) (*string, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // no text is a valid answer
	}
	clean, err := rule(*text)
	if err != nil {
		return nil, httpapi.BadRequest("%s", err)
	}
	return &clean, nil
}

type newRefundApproval struct {
	AutoUpTo *money.Piconero `json:"auto_up_to_xmr" required:"true" doc:"Refunds of at most so much need no approval, up to ten times as much on a day (UTC); 0: each claim needs one"`
	ByKey    *bool           `json:"approve_by_key,omitempty" doc:"Whether the account's own key may approve claims too; unchanged when it is missing. Off by default: who steals the key can then pay out to anybody"`
	TOTPCode *string         `json:"totp_code,omitempty" doc:"Six digits; required when two-factor authentication is on" example:"123456"`
}

type refundApprovalSet struct {
	OK        bool           `json:"ok" doc:"Always true"`
	AutoUpTo  money.Piconero `json:"auto_up_to_xmr"`
	ByKey     bool           `json:"approve_by_key"`
	HoldUntil *wire.Time     `json:"hold_until,omitempty" doc:"Until then every claim needs the approval of a session; only there while it does"`
}

func (h *Settings) setRefundApproval(ctx context.Context, m db.Merchant, in *struct {
	Body httpapi.Body[newRefundApproval]
},
) (*httpapi.Out[refundApprovalSet], error) {
	fields := in.Body.Value()
	if fields.AutoUpTo == nil {
		return nil, httpapi.BadRequest("auto_up_to_xmr is required")
	}
	set := refundApprovalSet{OK: true, AutoUpTo: *fields.AutoUpTo}
	err := h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) (err error) {
		set.ByKey = held.RefundKeyApproves
		if fields.ByKey != nil {
			set.ByKey = *fields.ByKey
		}
		if err := q.SetRefundApproval(ctx, db.SetRefundApprovalParams{MerchantID: m.MerchantID, UpTo: set.AutoUpTo, KeyApproves: set.ByKey}); err != nil {
			return err
		}
		until := payout.HeldUntil(held.RefundHoldUntil, h.Clock())
		if set.AutoUpTo > held.RefundAutoUpTo || set.ByKey && !held.RefundKeyApproves {
			if until, err = h.Notices.Loosened(ctx, q, held, h.PayoutHold); err != nil {
				return err
			}
		}
		set.HoldUntil = wire.TimeOrNil(until)
		return nil
	})
	return httpapi.With(set, err)
}
