package permission

import "slices"

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
func allowed() map[string][]Role {
	owner, readers := []Role{Owner}, []Role{Owner, Accountant}
	sellers := []Role{Owner, Cashier}
	return map[string][]Role{
		// Charges and payment requests.
		"createCharge":     sellers,
		"listCharges":      Roles(),
		"getCharge":        Roles(),
		"getChargeQR":      Roles(),
		"getOverview":      Roles(),
		"toggleChargeLink": owner,
		"acceptUnderpaid":  owner,
		"sandboxPay":       owner,
		"sandboxConfirm":   owner,
		"sandboxReorg":     owner,
		"sandboxExpire":    owner,

		"listPaymentRequests":  readers,
		"createPaymentRequest": owner,
		"togglePaymentRequest": owner,
		"deletePaymentRequest": owner,

		// Refunds. The link of a refund is as good as money: the person who creates the refund
		// gets it, and only owners see it again.
		"createRefund":      {Owner, Support},
		"listChargeRefunds": {Owner, Accountant, Support},
		"listRefunds":       {Owner, Accountant, Support},
		"getRefund":         owner,
		"approveRefund":     owner,
		"cancelRefund":      owner,

		// Payouts and swaps.
		"getBalance":  readers,
		"listPayouts": readers,
		"sweep":       owner,
		"listSwaps":   readers,
		"getSwap":     readers,
		"createSwap":  owner,

		"reportTransactions": readers,
		"reportSummary":      readers,
		"setReporting":       owner,

		// Webhooks and events.
		"listWebhooks":          owner,
		"createWebhook":         owner,
		"deleteWebhook":         owner,
		"testWebhook":           owner,
		"sandboxTrigger":        owner,
		"listDeliveries":        owner,
		"listWebhookDeliveries": owner,
		"redeliver":             owner,
		"sandboxRetry":          owner,
		"listEvents":            owner,

		// The shop.
		"getMe":       owner,
		"setProfile":  owner,
		"listActions": owner,
	}
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
