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
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

type proof struct {
	Password *string `json:"password,omitempty" doc:"The password of the account; either this or totp_code" example:"correct horse battery staple"`
	TOTPCode *string `json:"totp_code,omitempty" doc:"Six digits, with two-factor authentication on; either this or password" example:"123456"`
}

type steppedUp struct {
	OK    bool      `json:"ok" doc:"Always true"`
	Until wire.Time `json:"until" doc:"Until when the session may make changes that ask for the password: 10 minutes from now"`
}

// registerStepUp registers the route with which a session gives the password again.
func (h *TwoFactor) registerStepUp(api operation.API) {
	password := "correct horse battery staple"
	operation.WithSession(api, operation.Route{
		ID: "stepUp", Method: http.MethodPost, Path: "/api/auth/step-up", Tag: operation.TagAuth,
		Summary: "Give the password again",
		Text: "Where the service asks for it, changes of the payout address, automatic conversion, two-factor authentication " +
			"and keys answer 403 with `WWW-Authenticate: Bearer error=\"insufficient_user_authentication\"` to a session that " +
			"gave the password, at login, sign-up or here, more than 10 minutes ago. It counts for this session alone. Five " +
			"wrong ones in a row lock it for 15 minutes (423). With two-factor authentication on only the approval of refunds " +
			"asks for it: each other change takes a code instead.",
		Errors:   []int{http.StatusLocked},
		Request:  proof{Password: &password},
		Response: steppedUp{true, wire.TimeOf(example.Time())},
	}, h.stepUp)
}

func (h *TwoFactor) stepUp(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[proof] }) (*httpapi.Out[steppedUp], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	session, until := access.SessionOf(ctx), h.Clock().Add(account.StepUpLife).UTC().Truncate(time.Millisecond)
	mark := func(q *db.Queries) error {
		if err := access.HoldFor(ctx, q, m); err != nil {
			return err
		}
		return q.ConfirmSession(ctx, db.ConfirmSessionParams{
			ID: session.ID, MerchantID: m.MerchantID, ConfirmedUntil: until, ExpiresAt: session.ExpiresAt(),
		})
	}
	switch {
	case (fields.Password != nil) == (fields.TOTPCode != nil):
		return nil, httpapi.BadRequest("either password or totp_code is required")
	case fields.Password != nil:
		if err = h.Confirm.Password(ctx, m, "password", *fields.Password); err == nil {
			err = h.Store.Tx(ctx, mark)
		}
	case m.TotpEnabledAt == nil:
		return nil, httpapi.BadRequest("two-factor authentication is off: send the password")
	default:
		err = h.Confirm.Code(ctx, m, "totp_code", access.Factor{TOTP: *fields.TOTPCode}, mark)
	}
	return httpapi.With(steppedUp{true, wire.TimeOf(until)}, err)
}
