package secret

import "path/filepath"

// Kind is a kind of sealed data with key files of its own, in a folder that has
// its name. A process is given the folders that it needs and can open nothing
// else.
type Kind string

// The kinds, by who opens them. The worker has all but Sessions.
const (
	// Accounts are merchants' email addresses: the merchant API.
	Accounts Kind = "accounts"
	// Sessions are what the merchant API alone opens: second factors, quotes, links of
	// refunds, and beside them the key of session tokens.
	Sessions Kind = "sessions"
	// Addresses are those that merchants are paid to, and proofs of refunds: the merchant
	// API.
	Addresses Kind = "addresses"
	// Webhooks are the secrets of merchants' webhooks: the merchant API.
	Webhooks Kind = "webhooks"
	// Payouts are transactions, their keys, where they go and where deposits of
	// trades come from: the worker alone.
	Payouts Kind = "payouts"
	// Partners are the secrets of the swap exchange's partners: the worker alone.
	Partners Kind = "partners"
	// Trades are what the swap API opens.
	Trades Kind = "trades"
	// Payloads are what Temporal stores: every service that talks to it.
	Payloads Kind = "payloads"
)

// Names of the files in a kind's folder.
const (
	keysetName     = "keyset.json"
	blindIndexName = "blind-index"
	sessionKeyName = "jwt-secret"
)

// Kinds are all kinds of sealed columns; Payloads are none.
func Kinds() []Kind {
	return []Kind{Accounts, Sessions, Addresses, Webhooks, Payouts, Partners, Trades}
}

// The services, and the command line of operators.
const (
	Worker      = "worker"
	MerchantAPI = "merchant-api"
	SwapAPI     = "swap-api"
	Admin       = "admin"
)

// KindsOf are the kinds of columns that a service works with; none for one that
// is not known.
func KindsOf(service string) []Kind {
	switch service {
	case Worker:
		return []Kind{Accounts, Addresses, Webhooks, Payouts, Partners, Trades}
	case MerchantAPI:
		return []Kind{Accounts, Sessions, Addresses, Webhooks}
	case SwapAPI:
		return []Kind{Trades}
	case Admin:
		return Kinds()
	}
	return nil
}

// KeysetFile is where the kind's keyset lies below the folder of all keys.
func (k Kind) KeysetFile(dir string) string { return filepath.Join(dir, string(k), keysetName) }

// BlindIndexFile is where the kind's blind index lies, if it has one: Accounts
// looks email addresses up, Trades tells callers apart.
func (k Kind) BlindIndexFile(dir string) string { return filepath.Join(dir, string(k), blindIndexName) }

// SessionKeyFile is where the key of session tokens lies.
func SessionKeyFile(dir string) string { return filepath.Join(dir, string(Sessions), sessionKeyName) }

// KindOf is the kind of what is stored at a place; false for a place that is
// not in the list.
func KindOf(ad AD) (Kind, bool) {
	places := map[string]Kind{
		"merchants.email":             Accounts,
		"email_verifications.email":   Accounts,
		"email_verifications.token":   Accounts,
		"account_notices.email":       Accounts,
		"notice_links.off":            Accounts,
		"notice_links.end":            Accounts,
		"password_resets.token":       Accounts,
		"merchants.totp_secret":       Sessions,
		"swap_quotes.offer":           Sessions,
		"merchants.payout_address":    Addresses,
		"merchants.auto_swap_address": Addresses,
		"swaps.address":               Addresses,
		"swaps.refund":                Addresses,
		"webhooks.secret":             Webhooks,
		"payouts.address":             Payouts,
		"payouts.swap_address":        Payouts,
		"outgoing_transactions.proof": Payouts,
		"refunds.token":               Sessions,
		"refund_claims.address":       Payouts,
		"refund_claims.proof":         Addresses,
		"swap_keys.secret":            Partners,
		"trade_deposits.origins":      Payouts,
		"trades.details":              Trades,
		"idempotency_keys.response":   Trades,
	}
	kind, ok := places[ad.Table+"."+ad.Column]
	return kind, ok
}
