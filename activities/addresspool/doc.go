// Package addresspool keeps unused addresses of merchants' wallets ready. An address
// is published once both wallet processes and our own derivation agree on it.
package addresspool
