// Package xmrwallet implements chain.Wallet for Monero with a monerod and two
// wallet processes on the same keys. A view-only process watches and makes
// addresses; a second one holds the spend key and only pays. There are two
// processes for two reasons. A process does one thing at a time, so while it
// builds a payment, for seconds, addresses and deposits would have to wait. And
// the key that spends is kept out of the process that every trade calls.
//
// The watching wallet shows what a transaction pays, and to which address. The
// daemon shows where the transaction is, because a wallet shows old heights
// after a reorganization until the next block, and loses track of transactions
// that return to the pool. This package derives every address again from the
// view key and compares it, so that neither process can insert an address of
// its own.
//
// A view-only wallet shows change as received money. Change and rewards go to
// the primary address, which is not a deposit address and is left out.
package xmrwallet
