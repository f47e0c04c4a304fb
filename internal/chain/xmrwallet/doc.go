// Package xmrwallet is a chain.Wallet for Monero: a monerod, a view-only wallet
// process that watches and makes addresses, and a second one on the same keys
// that holds the spend key and only pays. They are two for two reasons. A
// process does one thing at a time, and while a payment is built, for seconds,
// addresses and deposits must not wait. And the key that spends is then not in
// the process that every trade asks.
//
// The watching wallet says what a transaction pays, and to which address. The
// daemon says where it is: a wallet shows old heights after a reorganization
// until the next block, and loses sight of what returns to the pool. Addresses
// are derived again from the view key and compared, so that neither process can
// slip in one of its own.
//
// A view-only wallet takes change for money that came in. Change and rewards
// go to the primary address, which is no deposit address and is left out.
package xmrwallet
