package swap

import "strings"

// OfPayout is the ID of the swap that a payout pays. A payout has at most one.
func OfPayout(payoutID string) string { return "swp_" + strings.TrimPrefix(payoutID, "po_") }
