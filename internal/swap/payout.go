package swap

import "strings"

// NotSent is the detail of a swap that failed with its payout. Merchants read it.
const NotSent = "the payout that was to pay the swap was not sent"

// OfPayout returns the ID of the swap that a payout pays. A payout has at most one.
func OfPayout(payoutID string) string { return "swp_" + strings.TrimPrefix(payoutID, "po_") }
