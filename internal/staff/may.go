package staff

import "slices"

// May says whether a role may use an operation of the merchants' API, by its
// operationId, about real money or in the sandbox. The merchant may use all of them.
func May(r Role, sandbox bool, operation string) bool {
	if sandbox && !HasSandbox(r) {
		return false
	}
	return r == Merchant || slices.Contains(allowed()[operation], r)
}

// HasSandbox says whether a role has a sandbox. A cashier takes money: what was never paid
// must not look like a sale at a till.
func HasSandbox(r Role) bool { return r != Cashier }

// allowed is who of the staff may use what. An operation that is not here is refused to
// all of them: keys, the account, where the money goes, who else is staff.
func allowed() map[string][]Role {
	owner, readers := []Role{Owner}, []Role{Owner, Accountant}
	sellers := []Role{Owner, Cashier}
	return map[string][]Role{
		// What is asked for.
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

		// What is given back. The link of a refund is as good as money: who makes one gets it,
		// and only owners see it again.
		"createRefund":      {Owner, Support},
		"listChargeRefunds": {Owner, Accountant, Support},
		"listRefunds":       {Owner, Accountant, Support},
		"getRefund":         owner,
		"approveRefund":     owner,
		"cancelRefund":      owner,

		// What goes to the payout address, and what is converted.
		"getBalance":  readers,
		"listPayouts": readers,
		"sweep":       owner,
		"listSwaps":   readers,
		"getSwap":     readers,
		"createSwap":  owner,

		"reportTransactions": readers,
		"reportSummary":      readers,
		"setReporting":       owner,

		// What machines are told.
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

// Allowed are the operations that somebody of the staff may use, for tests that compare
// them with the API's.
func Allowed() []string {
	all := make([]string, 0, len(allowed()))
	for operation := range allowed() {
		all = append(all, operation)
	}
	return all
}
