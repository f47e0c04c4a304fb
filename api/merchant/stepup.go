package merchant

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres"
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

// stepUpChallenge is what the header WWW-Authenticate says to a session that
// must give the password again (RFC 9470, here with 403).
const stepUpChallenge = `Bearer error="insufficient_user_authentication", error_description="POST /api/auth/step-up", max_age="600"`

// stepUpResponse documents the 403 of what asks for the password again.
func stepUpResponse() *huma.Response {
	response := errorResponse(http.StatusForbidden)
	response.Description += "; or, with WWW-Authenticate, the password must be given again: `POST /api/auth/step-up`"
	response.Headers = map[string]*huma.Param{"WWW-Authenticate": {
		Description: "There when the password must be given again: " + stepUpChallenge, Schema: &huma.Schema{Type: huma.TypeString},
	}}
	return response
}

// registerStepUp adds the way to give the password again.
func registerStepUp(api huma.API, a *app) {
	password := "correct horse battery staple"
	withSession(api, a, route{
		id: "stepUp", method: http.MethodPost, path: "/api/auth/step-up", tag: tagAuth,
		summary: "Give the password again",
		text: "Where the service asks for it, changes of the payout address, automatic conversion, two-factor authentication " +
			"and keys answer 403 with `WWW-Authenticate: Bearer error=\"insufficient_user_authentication\"` to a session that gave " +
			"the password, at login, sign-up or here, more than 10 minutes ago. It counts for this session alone. Five wrong ones in " +
			"a row lock it for 15 minutes (423).",
		errors:   []int{http.StatusLocked},
		request:  proof{Password: &password},
		response: steppedUp{true, timestamp.Of(exampleTime())},
	}, a.stepUp)
}

func (a *app) stepUp(ctx context.Context, m db.Merchant, in *struct{ Body body[proof] }) (*out[steppedUp], error) {
	fields, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	session, until := sessionOf(ctx), a.Clock().Add(account.StepUpLife).UTC().Truncate(time.Millisecond)
	confirm := func(q *db.Queries) error {
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
		if err = a.confirmPassword(ctx, m, "password", *fields.Password); err == nil {
			err = a.Store.Tx(ctx, confirm)
		}
	case m.TotpEnabledAt == nil:
		return nil, badRequest("two-factor authentication is off: send the password")
	default:
		err = a.confirmCode(ctx, m, "totp_code", factor{totp: *fields.TOTPCode}, confirm)
	}
	return answer(steppedUp{true, timestamp.Of(until)}, err)
}

// needRecent lets sessions through that gave the password just now. With
// two-factor authentication on, what it guards asks for a code each time.
func (a *app) needRecent(ctx huma.Context, next func(huma.Context)) {
	if !a.StepUp || callerOf[db.Merchant](ctx.Context()).TotpEnabledAt != nil {
		next(ctx)
		return
	}
	recent, err := a.isRecent(ctx.Context())
	if err == nil && !recent {
		err = &problem{
			Text: "give the password again with POST /api/auth/step-up", status: http.StatusForbidden, challenge: stepUpChallenge,
		}
	}
	if err != nil {
		a.fail(ctx, err)
		return
	}
	next(ctx)
}

// isRecent says whether the password that the session gave still counts.
func (a *app) isRecent(ctx context.Context) (bool, error) {
	session, now := sessionOf(ctx), a.Clock()
	if now.Before(session.FreshUntil()) {
		return true, nil
	}
	row, err := a.Store.GetSession(ctx, db.GetSessionParams{ID: session.ID, MerchantID: session.MerchantID})
	if postgres.IsNotFound(err) {
		return false, nil
	}
	return err == nil && row.ConfirmedUntil != nil && now.Before(*row.ConfirmedUntil), err
}
