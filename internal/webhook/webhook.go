// Package webhook holds the rules of event delivery: which events exist, what
// bytes a delivery sends, how they are signed, and when a failed attempt is
// tried again. It does no input or output.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/timestamp"
)

// Names of events beside those of a charge.
const (
	EventPayoutSent = "payout.sent"
	EventPing       = "ping"
)

// SignatureHeader carries the signature of a delivery's body.
const SignatureHeader = "X-MERCHANT-SIGNATURE"

// Events returns the names that a webhook can subscribe to.
func Events() []string {
	return []string{
		charge.EventCreated, charge.EventPending, charge.EventConfirmed,
		charge.EventLateConfirmed, charge.EventExpired, EventPayoutSent,
	}
}

// DefaultEvents is the subscription of a webhook that names none.
func DefaultEvents() []string { return []string{charge.EventConfirmed, charge.EventExpired} }

// IsEvent says whether a webhook can subscribe to this name.
func IsEvent(name string) bool { return slices.Contains(Events(), name) }

// Body is the exact body of every delivery of an event.
func Body(event string, data any, at time.Time) ([]byte, error) {
	body, err := json.Marshal(struct {
		Event     string         `json:"event"`
		Data      any            `json:"data"`
		Timestamp timestamp.Time `json:"timestamp"`
	}{event, data, timestamp.Of(at)})
	if err != nil {
		return nil, fmt.Errorf("event body: %w", err)
	}
	return body, nil
}

// Sign is the lowercase hex HMAC-SHA256 of the body, keyed by the text of the
// webhook's secret.
func Sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Status is where a delivery stands.
type Status string

// The states of a delivery.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Failed    Status = "failed"
	Dropped   Status = "dropped"
)

// retryAfter are the pauses from the end of a failed attempt to the next.
var retryAfter = [...]time.Duration{5 * time.Second, 10 * time.Second} //nolint:gochecknoglobals // a constant table

// MaxAttempts is the number of attempts of one delivery.
const MaxAttempts = 1 + len(retryAfter)

// RetryAfter is the pause after the failed attempt number n (from 1); false
// when it was the last.
func RetryAfter(n int) (time.Duration, bool) {
	if n < 1 || n > len(retryAfter) {
		return 0, false
	}
	return retryAfter[n-1], true
}
