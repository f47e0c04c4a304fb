package merchant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/workflows"
)

// problem is an error that a client is told about. Its JSON form is the error
// body of the contract.
type problem struct {
	Text       string `json:"error" doc:"What went wrong, for humans; branch on the status" example:"amount is required"`
	status     int
	retryAfter time.Duration
	// challenge is what WWW-Authenticate says; empty for nothing.
	challenge string
}

// Error is the text shown to the client.
func (p *problem) Error() string { return p.Text }

// GetStatus is the HTTP status.
func (p *problem) GetStatus() int { return p.status }

// GetHeaders carries Retry-After where there is something to wait for, and
// WWW-Authenticate where the password is asked for.
func (p *problem) GetHeaders() http.Header {
	headers := http.Header{}
	if p.challenge != "" {
		headers.Set("WWW-Authenticate", p.challenge)
	}
	if p.retryAfter > 0 {
		seconds := int64((p.retryAfter + time.Second - 1) / time.Second)
		headers.Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	return headers
}

// Pauses after which a failed request may succeed.
const (
	retrySoon = 5 * time.Second
	// retryPrice is about the time after which prices and addresses are renewed.
	retryPrice = 30 * time.Second
	// retryQuote is about the time for which the failure of a provider is kept.
	retryQuote = 15 * time.Second
	// retrySafeMode is a pause after which an operator may have ended safe mode.
	retrySafeMode = time.Minute
	// retryPending is a pause in which a pending charge may well end.
	retryPending = time.Minute
)

func badRequest(format string, args ...any) error {
	return &problem{Text: fmt.Sprintf(format, args...), status: http.StatusBadRequest}
}

func unauthorized(text string) error {
	return &problem{Text: text, status: http.StatusUnauthorized}
}

func forbidden(text string) error { return &problem{Text: text, status: http.StatusForbidden} }

func notFound(what string) error {
	return &problem{Text: what + " not found", status: http.StatusNotFound}
}

func gone(text string) error { return &problem{Text: text, status: http.StatusGone} }

func locked(wait time.Duration) error {
	return &problem{Text: "too many failed attempts, try again later", status: http.StatusLocked, retryAfter: wait}
}

func tooMany(wait time.Duration) error {
	return &problem{Text: "too many requests, try again later", status: http.StatusTooManyRequests, retryAfter: wait}
}

// tooManyCredentials refuses a client that presents credentials that do not
// exist, again and again.
func tooManyCredentials() error {
	return &problem{
		Text:   "too many credentials that are not valid, try again later",
		status: http.StatusTooManyRequests, retryAfter: ratelimit.MadeUpWindow,
	}
}

func unavailable(text string, wait time.Duration) *problem {
	return &problem{Text: text, status: http.StatusInternalServerError, retryAfter: wait}
}

// Errors is the only place where errors become answers.
type Errors struct {
	// Log is told of every error that clients are not.
	Log *slog.Logger
}

// Of is what a client is told of an error. What it does not know is logged with
// the request's ID and hidden from the client.
func (e Errors) Of(ctx context.Context, err error) *problem {
	if known, ok := errors.AsType[*problem](err); ok {
		return known
	}
	if errors.Is(err, postgres.ErrNotFound) {
		return &problem{Text: "not found", status: http.StatusNotFound}
	}
	if refused := refusalOf(err); refused != nil {
		return refused
	}
	if refused, ok := errors.AsType[*operator.RefusedError](err); ok {
		return &problem{Text: refused.Text, status: http.StatusBadRequest}
	}
	if errors.Is(err, account.ErrBusy) {
		return &problem{Text: "too many passwords are being checked, try again later", status: http.StatusTooManyRequests, retryAfter: retrySoon}
	}
	e.Log.ErrorContext(ctx, "request failed", "error", err)
	return unavailable("internal error", retrySoon)
}

// refusalOf translates the refusal of a workflow; nil for any other error.
func refusalOf(err error) *problem {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		return nil
	}
	switch app.Type() {
	case workflows.RefusedHeld, workflows.RefusedAmount, workflows.RefusedNoPayout, workflows.RefusedNoUnpaid, workflows.RefusedLocked,
		workflows.RefusedInProgress, workflows.RefusedTooSmall, workflows.RefusedDelivery, workflows.RefusedAccept,
		workflows.RefusedPair, workflows.RefusedLimits, workflows.RefusedOrder, workflows.RefusedRate, workflows.RefusedUsed,
		workflows.RefusedBlocked, workflows.RefusedSwap:
		return &problem{Text: app.Message(), status: http.StatusBadRequest}
	case workflows.RefusedSafeMode:
		return &problem{Text: app.Message(), status: http.StatusServiceUnavailable, retryAfter: retrySafeMode}
	case workflows.RefusedNoPrice, workflows.RefusedNoAddress:
		return unavailable(app.Message(), retryPrice)
	case workflows.RefusedRequest:
		return &problem{Text: app.Message(), status: http.StatusGone}
	case workflows.RefusedRoute, workflows.RefusedUncertain:
		return unavailable(app.Message(), retryQuote)
	case workflows.RefusedTooMany, workflows.RefusedWaiting:
		return &problem{Text: app.Message(), status: http.StatusTooManyRequests, retryAfter: retryPending}
	case workflows.RefusedBroadcast:
		return unavailable(app.Message(), retrySoon)
	case workflows.RefusedSuspended:
		return &problem{Text: app.Message(), status: http.StatusForbidden}
	case workflows.RefusedMerchant, workflows.RefusedMissing, workflows.RefusedWebhook:
		return &problem{Text: app.Message(), status: http.StatusNotFound}
	default:
		return nil
	}
}

// Fail writes an error outside of a handler.
func (e Errors) Fail(ctx huma.Context, err error) {
	p := e.Of(ctx.Context(), err)
	for name, values := range p.GetHeaders() {
		ctx.SetHeader(name, values[0])
	}
	ctx.SetHeader("Content-Type", jsonType)
	ctx.SetStatus(p.status)
	_ = writeJSON(ctx.BodyWriter(), p) // the client is gone if this fails
}

// write answers an error outside of Huma.
func (p *problem) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(p.status)
	_ = writeJSON(w, p) // the client is gone if this fails
}
