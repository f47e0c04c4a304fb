package permission

import (
	"slices"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// May reports whether a role may use an operation of the merchants' API, by its
// operationId, with real money or in the sandbox. The merchant may use all of them.
func May(r Role, sandbox bool, operation string) bool {
	if sandbox && !HasSandbox(r) {
		return false
	}
	return r == Merchant || slices.Contains(allowed()[operation], r)
}

// HasSandbox reports whether a role has a sandbox. A cashier takes money: at a till, a
// charge that was never paid must not look like a sale.
func HasSandbox(r Role) bool { return r != Cashier }

// allowed holds the staff roles of each operation. No role may use an operation that is
// not here: keys, the account, the destination of payouts, the staff.
//
// The link of a refund is as good as money: the person who creates the refund gets it,
// and only owners see it again.
func allowed() map[string][]Role {
	all := map[string][]Role{}
	for _, may := range []struct {
		roles      []Role
		operations []string
	}{
		{Roles(), []string{"listCharges", "getCharge", "getChargeQR", "getOverview"}},
		{[]Role{Owner, Cashier}, []string{"createCharge"}},
		{[]Role{Owner, Support}, []string{"createRefund"}},
		{[]Role{Owner, Accountant, Support}, []string{"listChargeRefunds", "listRefunds"}},
		{[]Role{Owner, Accountant}, []string{
			"listPaymentRequests", "getBalance", "listPayouts", "listSwaps", "getSwap", "reportTransactions", "reportSummary",
		}},
		{[]Role{Owner}, []string{
			"toggleChargeLink", "acceptUnderpaid", "sandboxPay", "sandboxConfirm", "sandboxReorg", "sandboxExpire",
			"createPaymentRequest", "togglePaymentRequest", "deletePaymentRequest", "getRefund", "approveRefund", "payClaim", "cancelRefund",
			"sweep", "createSwap", "setReporting", "listWebhooks", "createWebhook", "deleteWebhook", "testWebhook",
			"sandboxTrigger", "listDeliveries", "getDelivery", "listWebhookDeliveries", "redeliver", "sandboxRetry", "listEvents",
			"getMe", "getSetup", "setProfile", "listActions",
		}},
	} {
		for _, operation := range may.operations {
			all[operation] = may.roles
		}
	}
	return all
}

// Allowed returns the operations that any staff role may use, for tests that compare
// them with the API's.
func Allowed() []string {
	all := make([]string, 0, len(allowed()))
	for operation := range allowed() {
		all = append(all, operation)
	}
	return all
}

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

// IsRole reports whether a person can have this role.
func IsRole(r Role) bool { return slices.Contains(Roles(), r) }

// InviteLife is how long the link of an invite is good.
const InviteLife = 7 * 24 * time.Hour

// MostStaff is how many people and invites a shop has at most.
const MostStaff = 50

// ActionsKept is how long it is kept what people did.
const ActionsKept = 400 * 24 * time.Hour

// MayRefund reports whether a refund needs no approval: a refund by support, while
// support's refunds of the day stay within a sum. Amounts are in piconero. Owners
// approve theirs as the merchant does.
func MayRefund(r Role, more, made, aDay money.Piconero) bool {
	return r == Support && more <= aDay && made <= aDay-more
}

// DayOf returns the beginning of the day in UTC of a moment. The amounts that a cashier took
// and that support refunded are counted from it.
func DayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// shift is how long a cashier sees a sale at the least.
const shift = 12 * time.Hour

// SeenSince is from when on a cashier sees charges at a moment: those of the day in UTC, and
// those of the last twelve hours. Midnight in UTC is the middle of the day elsewhere, and a
// sale that is being paid then is seen to the end.
func SeenSince(now time.Time) time.Time {
	today, begun := DayOf(now), now.UTC().Add(-shift)
	if begun.Before(today) {
		return begun
	}
	return today
}
