// Package xmrwallet implements chain.Wallet for Monero with a monerod, the wallet's view key
// and a wallet process that holds the spend key. Payments are found in the daemon's blocks
// and pool with the view key, see package scan, and addresses are derived from it. So neither
// waits for the process, which does one thing at a time and is needed to pay alone.
//
// The daemon shows where a transaction is. Change and rewards go to the primary address,
// which is not a deposit address and is left out.
package xmrwallet
