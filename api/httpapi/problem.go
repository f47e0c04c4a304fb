package httpapi

import (
	"context"
	"encoding/json"
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

// Problem is an error that the client sees. Its JSON form is the error body of the contract.
type Problem struct { //nolint:errname // an answer that is an error as well, called as RFC 9457 does
	Text string `json:"error" doc:"What went wrong, for humans; branch on the status" example:"amount is required"`
	// Status is the HTTP status.
	Status int `json:"-"`
	// Field is the name of the wrong field, with dots between nested names; empty if the problem is
	// not about a field. Only the surfaces of other dialects show it.
	Field string `json:"-"`
	// RetryAfter is how long to wait before a retry that may succeed; 0 if there is no such time.
	RetryAfter time.Duration `json:"-"`
	// Challenge is the value of the header WWW-Authenticate; empty to leave the header out.
	Challenge string `json:"-"`
	// Permission is the permission that the key lacks; empty for other problems. Only the surfaces
	// of other dialects show it.
	Permission string `json:"-"`
	// Code names the problem for programs, with Details about it, on the surfaces of other dialects
	// that have codes. If Code is empty, the status determines it.
	Code    string            `json:"-"`
	Details map[string]string `json:"-"`
}

// Error returns the text that the client sees.
func (p *Problem) Error() string { return p.Text }

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns Retry-After if a retry may succeed, and WWW-Authenticate if the password is
// asked for.
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

// These are waits after which a failed request may succeed.
const (
	RetrySoon = 5 * time.Second
	// RetryPrice is about the interval at which prices and addresses are renewed.
	RetryPrice = 30 * time.Second
	// RetryQuote is about the time for which a provider's failure is cached.
	RetryQuote = 15 * time.Second
	// retrySafeMode is a time in which an operator may have ended safe mode.
	retrySafeMode = time.Minute
	// retryPending is a time in which a pending charge is likely to end.
	retryPending = time.Minute
)

// BadRequest refuses invalid input (400).
func BadRequest(format string, args ...any) error {
	return &Problem{Text: fmt.Sprintf(format, args...), Status: http.StatusBadRequest}
}

// Unauthorized refuses a request that has no valid credential (401).
func Unauthorized(text string) error {
	return &Problem{Text: text, Status: http.StatusUnauthorized}
}

// Forbidden refuses a request that its credential does not allow (403).
func Forbidden(text string) error { return &Problem{Text: text, Status: http.StatusForbidden} }

// StepUpChallenge is the value of WWW-Authenticate for a session that must give the password
// again (RFC 9470, here with 403).
const StepUpChallenge = `Bearer error="insufficient_user_authentication", error_description="POST /api/auth/step-up", max_age="600"`

// StepUp asks a session for the password again (403).
func StepUp() *Problem {
	return &Problem{
		Text: "give the password again with POST /api/auth/step-up", Status: http.StatusForbidden, Challenge: StepUpChallenge,
	}
}

// MissingPermission refuses a key that lacks a permission, or lacks it in the store that the
// request names (403).
func MissingPermission(name string) error {
	return &Problem{Text: "the API key lacks the permission " + name, Status: http.StatusForbidden, Permission: name}
}

// NotFound refuses a request for something that does not exist or does not belong to the caller
// (404).
func NotFound(what string) error {
	return &Problem{Text: what + " not found", Status: http.StatusNotFound}
}

// InOtherMode refuses a request for something that the same merchant has in the other mode (404).
// sandbox is set if it is in the sandbox. Only callers that have checked the owner use it.
func InOtherMode(what string, sandbox bool) error {
	text := " not found with this key: it exists in live mode, which needs a live key"
	if sandbox {
		text = " not found with this key: it exists in the sandbox, which needs a sandbox key"
	}
	return &Problem{Text: what + text, Status: http.StatusNotFound}
}

// Missing returns instead for the error that a row does not exist, and any other error unchanged.
func Missing(err, instead error) error {
	if postgres.IsNotFound(err) {
		return instead
	}
	return err
}

// Gone refuses a link that is no longer valid (410).
func Gone(text string) error { return &Problem{Text: text, Status: http.StatusGone} }

// Locked refuses another guess while guesses are locked (423).
func Locked(wait time.Duration) error {
	return &Problem{Text: "too many failed attempts, try again later", Status: http.StatusLocked, RetryAfter: wait}
}

// TooMany refuses a client that sends too many requests (429).
func TooMany(wait time.Duration) error {
	return &Problem{Text: "too many requests, try again later", Status: http.StatusTooManyRequests, RetryAfter: wait}
}

// TooManyCredentials refuses a client that keeps sending credentials that do not exist (429).
func TooManyCredentials() error {
	return &Problem{
		Text:   "too many credentials that are not valid, try again later",
		Status: http.StatusTooManyRequests, RetryAfter: ratelimit.MadeUpWindow,
	}
}

// Unavailable returns a problem that a retry after wait may solve (500).
func Unavailable(text string, wait time.Duration) *Problem {
	return &Problem{Text: text, Status: http.StatusInternalServerError, RetryAfter: wait}
}

// Errors turns errors into answers. No other code does.
type Errors struct {
	// Log receives the errors whose text the client does not see.
	Log *slog.Logger
	// Body returns the status and the body of a problem, on a surface of another dialect; nil for
	// the contract's own form.
	Body func(p *Problem) (status int, body any)
	// Strict is set on a surface that itself translates every error that its clients may see.
	Strict bool
}

// Of returns the problem that the client sees for an error. An error that it does not know is
// logged with the request's ID, and the client does not see its text.
func (e Errors) Of(ctx context.Context, err error) *Problem {
	if known, ok := errors.AsType[*Problem](err); ok {
		return known
	}
	if known := translated(err); known != nil && !e.Strict {
		return known
	}
	e.Log.ErrorContext(ctx, "request failed", "error", err)
	return Unavailable("internal error", RetrySoon)
}

// translated returns the problem for an error of another package; nil for an unknown error.
func translated(err error) *Problem {
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
	return nil
}

// ProblemOf returns the problem for an error of this package or for the refusal of a workflow; nil
// for any other error.
func ProblemOf(err error) *Problem {
	if known, ok := errors.AsType[*Problem](err); ok {
		return known
	}
	return RefusalOf(err)
}

// RefusalOf returns the problem for the refusal of a workflow; nil for any other error.
func RefusalOf(err error) *Problem {
	code, _ := refusals.Of(err)
	text := refusals.Text(err)
	switch code {
	case refusals.Held, refusals.Amount, refusals.NoPayout, refusals.NoUnpaid, refusals.Locked,
		refusals.InProgress, refusals.TooSmall, refusals.Delivery, refusals.Accept,
		refusals.Pair, refusals.Limits, refusals.Order, refusals.Rate, refusals.Used,
		refusals.Blocked, refusals.Swap, refusals.Refund, refusals.NoWallet:
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

// answer is a problem in the form of a surface's dialect.
type answer struct {
	*Problem

	status int
	body   any
}

// GetStatus returns the dialect's status.
func (a *answer) GetStatus() int { return a.status }

// MarshalJSON writes the dialect's body.
func (a *answer) MarshalJSON() ([]byte, error) { return json.Marshal(a.body) }

// humaError is an error that Huma writes as an answer.
type humaError interface {
	huma.StatusError
	huma.HeadersError
}

func (e Errors) form(p *Problem) humaError {
	if e.Body == nil {
		return p
	}
	status, body := e.Body(p)
	return &answer{p, status, body}
}

// Answer returns the answer to an error, for Huma to write.
func (e Errors) Answer(ctx context.Context, err error) error { return e.form(e.Of(ctx, err)) }

// Fail writes an error outside a handler, for example in a middleware.
func (e Errors) Fail(ctx huma.Context, err error) {
	a := e.form(e.Of(ctx.Context(), err))
	for name, values := range a.GetHeaders() {
		ctx.SetHeader(name, values[0])
	}
	ctx.SetHeader("Content-Type", JSON)
	ctx.SetStatus(a.GetStatus())
	_ = Write(ctx.BodyWriter(), a) // this fails only if the client is gone
}

// Write writes a problem as an answer outside Huma.
func (e Errors) Write(w http.ResponseWriter, p *Problem) {
	a := e.form(p)
	maps.Copy(w.Header(), a.GetHeaders())
	w.Header().Set("Content-Type", JSON)
	w.WriteHeader(a.GetStatus())
	_ = Write(w, a) // this fails only if the client is gone
}

// Write writes the problem as an answer outside Huma, in the contract's own form.
func (p *Problem) Write(w http.ResponseWriter) { Errors{}.Write(w, p) }
