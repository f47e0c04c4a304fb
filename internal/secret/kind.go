package secret

import "path/filepath"

// Kind is a kind of sealed data with its own key files, in a folder with the name of
// the kind. A process is given only the folders that it needs and can open no other
// data.
type Kind string

// The kinds, with the services that open them. The worker opens all but Sessions.
const (
	// Accounts are merchants' email addresses and the tokens of links in mails: also the
	// merchant API.
	Accounts Kind = "accounts"
	// Sessions are opened only by the merchant API: second factors, quotes and refund
	// links. The folder also has the key of session tokens.
	Sessions Kind = "sessions"
	// Addresses are the addresses that merchants are paid to, those that they pay refunds to
	// from their own wallets, and the proofs of refunds: also the merchant API.
	Addresses Kind = "addresses"
	// Webhooks are the secrets of merchants' webhooks: also the merchant API.
	Webhooks Kind = "webhooks"
	// Payouts are the proofs and destinations of outgoing transactions, and the origins
	// of trades' deposits: only the worker.
	Payouts Kind = "payouts"
	// Partners are the secrets of the swap exchange's partners: only the worker.
	Partners Kind = "partners"
	// Trades are the data that the swap API also opens.
	Trades Kind = "trades"
	// ViewKeys are the private view keys of shops' own wallets: only the worker opens them.
	// The kind's keyset is a hybrid one.
	ViewKeys Kind = "viewkeys"
	// ViewKeysSeal is the public half of ViewKeys: the merchant API seals with it and opens
	// nothing.
	ViewKeysSeal Kind = "viewkeys-seal"
	// Payloads are the data in Temporal: every service that calls Temporal.
	Payloads Kind = "payloads"
)

// Names of the files in a kind's folder.
const (
	keysetName     = "keyset.json"
	blindIndexName = "blind-index"
	sessionKeyName = "jwt-secret"
)

// Kinds returns all kinds of sealed columns. Payloads are not among them.
func Kinds() []Kind {
	return []Kind{Accounts, Sessions, Addresses, Webhooks, Payouts, Partners, Trades, ViewKeys}
}

// The services, and the command line of operators.
const (
	Worker      = "worker"
	MerchantAPI = "merchant-api"
	SwapAPI     = "swap-api"
	Admin       = "admin"
)

// KindsOf returns the kinds of columns that a service works with; none for an unknown
// service.
func KindsOf(service string) []Kind {
	switch service {
	case Worker:
		return []Kind{Accounts, Addresses, Webhooks, Payouts, Partners, Trades, ViewKeys}
	case MerchantAPI:
		return []Kind{Accounts, Sessions, Addresses, Webhooks, ViewKeysSeal}
	case SwapAPI:
		return []Kind{Trades}
	case Admin:
		return Kinds()
	}
	return nil
}

// KeysetFile returns the path of the kind's keyset below the folder of all keys.
func (k Kind) KeysetFile(dir string) string { return filepath.Join(dir, string(k), keysetName) }

// BlindIndexFile returns the path of the kind's blind index, if it has one. Accounts
// uses it to look up email addresses and wallets, Trades to distinguish callers.
func (k Kind) BlindIndexFile(dir string) string { return filepath.Join(dir, string(k), blindIndexName) }

// SessionKeyFile returns the path of the key of session tokens.
func SessionKeyFile(dir string) string { return filepath.Join(dir, string(Sessions), sessionKeyName) }
