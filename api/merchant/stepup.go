package merchant

import (
	"context"
	"net/http"
	"time"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/timestamp"
)

type proof struct {
	Password *string `json:"password,omitempty" doc:"The password of the account; either this or totp_code" example:"correct horse battery staple"`
	TOTPCode *string `json:"totp_code,omitempty" doc:"Six digits, with two-factor authentication on; either this or password" example:"123456"`
}

type steppedUp struct {
	OK    bool           `json:"ok" doc:"Always true"`
	Until timestamp.Time `json:"until" doc:"Until when the session may make changes that ask for the password: 10 minutes from now"`
}

// registerStepUp adds the way to give the password again.
func (h *twoFactorRoom) registerStepUp(api operations) {
	password := "correct horse battery staple"
	withSession(api, route{
		id: "stepUp", method: http.MethodPost, path: "/api/auth/step-up", tag: tagAuth,
		summary: "Give the password again",
		text: "Where the service asks for it, changes of the payout address, automatic conversion, two-factor authentication " +
			"and keys answer 403 with `WWW-Authenticate: Bearer error=\"insufficient_user_authentication\"` to a session that gave " +
			"the password, at login, sign-up or here, more than 10 minutes ago. It counts for this session alone. Five wrong ones in " +
			"a row lock it for 15 minutes (423).",
		errors:   []int{http.StatusLocked},
		request:  proof{Password: &password},
		response: steppedUp{true, timestamp.Of(exampleTime())},
	}, h.stepUp)
}

func (h *twoFactorRoom) stepUp(ctx context.Context, m db.Merchant, in *struct{ Body body[proof] }) (*out[steppedUp], error) {
	fields, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	session, until := sessionOf(ctx), h.Clock().Add(account.StepUpLife).UTC().Truncate(time.Millisecond)
	mark := func(q *db.Queries) error {
		if err := holdFor(ctx, q, m); err != nil {
			return err
		}
		return q.ConfirmSession(ctx, db.ConfirmSessionParams{
			ID: session.ID, MerchantID: m.MerchantID, ConfirmedUntil: until, ExpiresAt: session.ExpiresAt(),
		})
	}
	switch {
	case (fields.Password != nil) == (fields.TOTPCode != nil):
		return nil, badRequest("either password or totp_code is required")
	case fields.Password != nil:
		if err = h.Confirm.Password(ctx, m, "password", *fields.Password); err == nil {
			err = h.Store.Tx(ctx, mark)
		}
	case m.TotpEnabledAt == nil:
		return nil, badRequest("two-factor authentication is off: send the password")
	default:
		err = h.Confirm.Code(ctx, m, "totp_code", factor{totp: *fields.TOTPCode}, mark)
	}
	return answer(steppedUp{true, timestamp.Of(until)}, err)
}
