package answer

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

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/refusals"
)

// Problem is an error that a client is told about. Its JSON form is the error
// body of the contract.
type Problem struct { //nolint:errname // an answer that is an error as well, called as RFC 9457 does
	Text string `json:"error" doc:"What went wrong, for humans; branch on the status" example:"amount is required"`
	// Status is the HTTP status.
	Status int `json:"-"`
	// Field is the field that is wrong, with dots between names; empty where it is
	// none. The surfaces of other dialects tell it.
	Field string `json:"-"`
	// RetryAfter is a pause after which the request may succeed; 0 for none.
	RetryAfter time.Duration `json:"-"`
	// Challenge is what WWW-Authenticate says; empty for nothing.
	Challenge string `json:"-"`
	// Permission is the one that the key lacks; empty where it is not that. The
	// surfaces of other dialects tell it.
	Permission string `json:"-"`
}

// Error is the text shown to the client.
func (p *Problem) Error() string { return p.Text }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders carries Retry-After where there is something to wait for, and
// WWW-Authenticate where the password is asked for.
func (p *Problem) GetHeaders() http.Header {
	headers := http.Header{}
	if p.Challenge != "" {
		headers.Set("WWW-Authenticate", p.Challenge)
	}
	if p.RetryAfter > 0 {
		seconds := int64((p.RetryAfter + time.Second - 1) / time.Second)
		headers.Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	return headers
}

// Pauses after which a failed request may succeed.
const (
	RetrySoon = 5 * time.Second
	// RetryPrice is about the time after which prices and addresses are renewed.
	RetryPrice = 30 * time.Second
	// RetryQuote is about the time for which the failure of a provider is kept.
	RetryQuote = 15 * time.Second
	// retrySafeMode is a pause after which an operator may have ended safe mode.
	retrySafeMode = time.Minute
	// retryPending is a pause in which a pending charge may well end.
	retryPending = time.Minute
)

// BadRequest refuses what a client sent (400).
func BadRequest(format string, args ...any) error {
	return &Problem{Text: fmt.Sprintf(format, args...), Status: http.StatusBadRequest}
}

// Unauthorized asks for a valid credential (401).
func Unauthorized(text string) error {
	return &Problem{Text: text, Status: http.StatusUnauthorized}
}

// Forbidden refuses what a credential does not allow (403).
func Forbidden(text string) error { return &Problem{Text: text, Status: http.StatusForbidden} }

// StepUpChallenge is what the header WWW-Authenticate says to a session that
// must give the password again (RFC 9470, here with 403).
const StepUpChallenge = `Bearer error="insufficient_user_authentication", error_description="POST /api/auth/step-up", max_age="600"`

// StepUp asks a session for the password again (403).
func StepUp() *Problem {
	return &Problem{
		Text: "give the password again with POST /api/auth/step-up", Status: http.StatusForbidden, Challenge: StepUpChallenge,
	}
}

// MissingPermission refuses a key that does not cover a permission, or not in the
// store that was named (403).
func MissingPermission(name string) error {
	return &Problem{Text: "the API key lacks the permission " + name, Status: http.StatusForbidden, Permission: name}
}

// NotFound says that there is no such thing, or none of the caller's (404).
func NotFound(what string) error {
	return &Problem{Text: what + " not found", Status: http.StatusNotFound}
}

// Gone says that a link is no longer good (410).
func Gone(text string) error { return &Problem{Text: text, Status: http.StatusGone} }

// Locked refuses guesses at what is locked for a while (423).
func Locked(wait time.Duration) error {
	return &Problem{Text: "too many failed attempts, try again later", Status: http.StatusLocked, RetryAfter: wait}
}

// TooMany refuses a client who asks too often (429).
func TooMany(wait time.Duration) error {
	return &Problem{Text: "too many requests, try again later", Status: http.StatusTooManyRequests, RetryAfter: wait}
}

// TooManyCredentials refuses a client that presents credentials that do not
// exist, again and again.
func TooManyCredentials() error {
	return &Problem{
		Text:   "too many credentials that are not valid, try again later",
		Status: http.StatusTooManyRequests, RetryAfter: ratelimit.MadeUpWindow,
	}
}

// Unavailable says that it may work after a pause (500).
func Unavailable(text string, wait time.Duration) *Problem {
	return &Problem{Text: text, Status: http.StatusInternalServerError, RetryAfter: wait}
}

// Errors is the only place where errors become answers.
type Errors struct {
	// Log is told of every error that clients are not.
	Log *slog.Logger
	// Body is the status and the body that a problem is written with, on a surface
	// of another dialect; nil for the contract's.
	Body func(p *Problem) (status int, body any)
}

// Of is what a client is told of an error. What it does not know is logged with
// the request's ID and hidden from the client.
func (e Errors) Of(ctx context.Context, err error) *Problem {
	if known, ok := errors.AsType[*Problem](err); ok {
		return known
	}
	if errors.Is(err, postgres.ErrNotFound) {
		return &Problem{Text: "not found", Status: http.StatusNotFound}
	}
	if refused := RefusalOf(err); refused != nil {
		return refused
	}
	if refused, ok := errors.AsType[*operator.RefusedError](err); ok {
		return &Problem{Text: refused.Text, Status: http.StatusBadRequest}
	}
	if errors.Is(err, account.ErrBusy) {
		return &Problem{Text: "too many passwords are being checked, try again later", Status: http.StatusTooManyRequests, RetryAfter: RetrySoon}
	}
	e.Log.ErrorContext(ctx, "request failed", "error", err)
	return Unavailable("internal error", RetrySoon)
}

// Told is what a client may be told of an error that is one of this package or the
// refusal of a workflow; nil for any other.
func Told(err error) *Problem {
	if known, ok := errors.AsType[*Problem](err); ok {
		return known
	}
	return RefusalOf(err)
}

// RefusalOf translates the refusal of a workflow; nil for any other error.
func RefusalOf(err error) *Problem {
	code, _ := refusals.Of(err)
	text := refusals.Text(err)
	switch code {
	case refusals.Held, refusals.Amount, refusals.NoPayout, refusals.NoUnpaid, refusals.Locked,
		refusals.InProgress, refusals.TooSmall, refusals.Delivery, refusals.Accept,
		refusals.Pair, refusals.Limits, refusals.Order, refusals.Rate, refusals.Used,
		refusals.Blocked, refusals.Swap, refusals.Refund:
		return &Problem{Text: text, Status: http.StatusBadRequest}
	case refusals.SafeMode:
		return &Problem{Text: text, Status: http.StatusServiceUnavailable, RetryAfter: retrySafeMode}
	case refusals.NoPrice, refusals.NoAddress:
		return Unavailable(text, RetryPrice)
	case refusals.Request:
		return &Problem{Text: text, Status: http.StatusGone}
	case refusals.Route, refusals.Uncertain:
		return Unavailable(text, RetryQuote)
	case refusals.TooMany, refusals.Waiting:
		return &Problem{Text: text, Status: http.StatusTooManyRequests, RetryAfter: retryPending}
	case refusals.Broadcast:
		return Unavailable(text, RetrySoon)
	case refusals.StepUp:
		return StepUp()
	case refusals.Suspended:
		return &Problem{Text: text, Status: http.StatusForbidden}
	case refusals.Merchant, refusals.Missing, refusals.Webhook:
		return &Problem{Text: text, Status: http.StatusNotFound}
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
	status, body := p.Status, any(p)
	if e.Body != nil {
		status, body = e.Body(p)
	}
	ctx.SetHeader("Content-Type", JSON)
	ctx.SetStatus(status)
	_ = Write(ctx.BodyWriter(), body) // the client is gone if this fails
}

// Write answers an error outside of Huma.
func (p *Problem) Write(w http.ResponseWriter) { p.WriteAs(w, p) }

// WriteAs is Write with a body of another dialect.
func (p *Problem) WriteAs(w http.ResponseWriter, body any) {
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", JSON)
	w.WriteHeader(p.Status)
	_ = Write(w, body) // the client is gone if this fails
}
