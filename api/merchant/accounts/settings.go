package accounts

import (
	"context"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
	"github.com/durapay/durapay/internal/wire"
)

func exampleProfile() profile {
	masked, at := payout.MaskAddress(example.Address), wire.TimeOf(example.Time())
	return profile{
		ID: 1, MerchantID: example.MerchantID, Email: "shop@example.com", BusinessName: "Example Shop", EmailVerified: true,
		HasPayoutAddress: true, PayoutAddress: &masked, ReportingCurrency: money.USD, FeeRate: money.MustDecimal("0.005"),
		APIKeys: keyInfos{&keyInfo{access.KeyPrefix(example.LiveKey), at}, &keyInfo{access.KeyPrefix(example.TestKey), at}}, CreatedAt: at,
	}
}

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
}

// Register registers the account and its settings.
func (h *Settings) Register(api operation.API) {
	h.registerAccount(api)
	h.registerAutoSwap(api)
	h.registerRefundApproval(api)
	h.registerProfile(api)
	h.registerNotices(api)
	h.registerDeletion(api)
}

type newProfile struct {
	BusinessName *string `json:"businessName,omitempty" doc:"Shown to customers, 1 to 200 characters; unchanged when it is missing" example:"Example Shop"`
	Contact      *string `json:"contact,omitempty" doc:"Contact information, at most 500 characters; unchanged when it is missing" example:"Example Street 1, +1 555 0100"`
}

type profileSet struct {
	OK           bool   `json:"ok" doc:"Always true"`
	BusinessName string `json:"businessName" example:"Example Shop"`
	Contact      string `json:"contact" example:"Example Street 1, +1 555 0100"`
}

// registerProfile registers the setting of the business name and the contact.
func (h *Settings) registerProfile(api operation.API) {
	name, contact := "Example Shop", "Example Street 1, +1 555 0100"
	operation.WithSession(api, operation.Route{
		ID: "setProfile", Method: http.MethodPut, Path: "/api/account/profile", Tag: operation.TagAccount,
		Summary: "Set business name and contact", Text: "At least one of the two.",
		Request:  newProfile{&name, &contact},
		Response: profileSet{true, name, contact},
	}, h.setProfile)
}

func (h *Settings) setProfile(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[newProfile] }) (*httpapi.Out[profileSet], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	if fields.BusinessName == nil && fields.Contact == nil {
		return nil, httpapi.BadRequest("businessName or contact is required")
	}
	to := db.SetProfileParams{MerchantID: m.MerchantID}
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
	return httpapi.With(profileSet{true, set.BusinessName, set.Contact}, err)
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

// registerRefundApproval registers the setting up to which amount refunds are paid without
// approval.
func (h *Settings) registerRefundApproval(api operation.API) {
	tenth := money.OneXMR / 10
	operation.WithSession(api, operation.Route{
		ID: "setRefundApproval", Method: http.MethodPut, Path: "/api/account/refunds", Tag: operation.TagAccount,
		Confirmed: true, Recent: true, Summary: "Set which refunds need no approval",
		Text: "Claims of a refund wait for approval, unless the refund is of at most `auto_up_to_xmr` and those of the day (UTC) are " +
			"worth at most ten times as much. The merchant makes such refunds at the desk, right after giving the password. The " +
			"account's own key makes them, and a key of an application only with the permission " +
			"`" + string(permission.CreatePullPayments) + "`: refunds of any other wait for approval. Staff have sums of their own. It is " +
			"decided when a refund is made, and once more when it is claimed: a lower amount counts at once. Where the service " +
			"holds changes, every claim needs the approval of a session for that time after more was let go, which the owner " +
			"is told by mail. With two-factor authentication on, 400 without a code and 403 with a wrong one.",
		Errors:  []int{http.StatusLocked},
		Request: newRefundApproval{AutoUpTo: &tenth}, Response: refundApprovalSet{OK: true, AutoUpTo: tenth},
	}, h.setRefundApproval)
}

func (h *Settings) setRefundApproval(ctx context.Context, m db.Merchant, in *struct {
	Body httpapi.Body[newRefundApproval]
},
) (*httpapi.Out[refundApprovalSet], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	if fields.AutoUpTo == nil {
		return nil, httpapi.BadRequest("auto_up_to_xmr is required")
	}
	set := refundApprovalSet{OK: true, AutoUpTo: *fields.AutoUpTo}
	err = h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) error {
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
