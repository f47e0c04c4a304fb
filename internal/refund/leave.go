package refund

import "github.com/durapay/durapay/internal/money"

// Leave says whether a refund may need no approval, by who makes it.
type Leave string

// The leaves.
const (
	// NoLeave is that of a key that only proposes refunds: each claim waits for approval.
	NoLeave Leave = ""
	// WithinSettings lets a refund go by itself within what the merchant's settings allow.
	WithinSettings Leave = "within_settings"
	// AfterStepUp is WithinSettings once the session has given the password again. Until then
	// such a refund is not made.
	AfterStepUp Leave = "after_step_up"
)

// aDay is how many of the largest refunds that need no approval a merchant and the shop's
// keys make on a day (UTC) together.
const aDay = 10

// WithinADay reports whether a refund needs no approval that would come to what was refunded
// without one on this day. upTo is what a single one may be. Amounts are in piconero.
func WithinADay(more, made, upTo money.Piconero) bool {
	// made is compared by division, so that no setting overflows.
	return more <= upTo && (made+more-1)/aDay < upTo
}
