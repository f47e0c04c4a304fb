package refund

import "github.com/durapay/durapay/internal/money"

// Leave is the permission for a refund to skip approval. It depends on who creates the
// refund.
type Leave string

// The leaves.
const (
	// NoLeave is for a key that only proposes refunds: each claim waits for approval.
	NoLeave Leave = ""
	// WithinSettings lets a refund skip approval within the limits of the merchant's settings.
	WithinSettings Leave = "within_settings"
	// AfterStepUp is WithinSettings once the user has confirmed the password in this session.
	// Until then a refund that would skip approval is not created.
	AfterStepUp Leave = "after_step_up"
)

// aDay bounds refunds without approval: in a day (UTC), a merchant and the shop's keys
// together may refund this many times the largest one.
const aDay = 10

// WithinADay reports whether a refund of more needs no approval, when made is the sum of
// today's refunds without approval. upTo is the limit of a single one. Amounts are in
// piconero.
func WithinADay(more, made, upTo money.Piconero) bool {
	// The comparison divides made, so that no setting overflows.
	return more <= upTo && (made+more-1)/aDay < upTo
}
