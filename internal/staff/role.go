package staff

import (
	"slices"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Role is what a person is in a shop.
type Role string

// The roles. Merchant is who has the shop's own account: it is no role of the staff.
const (
	Merchant Role = ""
	// Owner does everything but what asks for the account's own password or code.
	Owner Role = "owner"
	// Accountant reads.
	Accountant Role = "accountant"
	// Cashier asks for money, and sees the charges of today, see SeenSince.
	Cashier Role = "cashier"
	// Support looks up charges, and makes refunds.
	Support Role = "support"
)

// Roles are those that a person can be given.
func Roles() []Role { return []Role{Owner, Accountant, Cashier, Support} }

// IsRole says whether a person can be given it.
func IsRole(r Role) bool { return slices.Contains(Roles(), r) }

// InviteLife is how long the link of an invite is good.
const InviteLife = 7 * 24 * time.Hour

// Most is how many people and invites a shop has at most.
const Most = 50

// ActionsKept is how long it is kept what people did.
const ActionsKept = 400 * 24 * time.Hour

// MayRefund says whether a refund needs no approval that a person makes: one of support
// while those of the day stay within a sum. Amounts are in piconero. Owners approve
// theirs as the merchant does.
func MayRefund(r Role, more, made, aDay money.Piconero) bool {
	return r == Support && more <= aDay && made <= aDay-more
}

// Today is the beginning of the day in UTC that a moment is on: what a cashier took and what
// support refunds is counted from it.
func Today(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// shift is how long a cashier sees a sale at the least.
const shift = 12 * time.Hour

// SeenSince is from when on a cashier sees charges at a moment: those of the day in UTC, and
// those of the last twelve hours. Midnight in UTC is the middle of the day elsewhere, and a
// sale that is being paid then is seen to the end.
func SeenSince(now time.Time) time.Time {
	today, begun := Today(now), now.UTC().Add(-shift)
	if begun.Before(today) {
		return begun
	}
	return today
}
