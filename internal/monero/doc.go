// Package monero calls the two Monero processes, monero-wallet-rpc (Wallet) and
// monerod (Daemon). It also computes by itself the facts for which no process
// may be trusted: it parses and checks addresses, derives subaddresses again
// from the view key (Deriver), and reads the key images that a transaction
// spends from the transaction's own bytes (KeyImages).
//
// A wallet process is serial, forgets changes that were not stored, and reports
// a daemon that is down in the same way as a refused transaction. So the client
// builds transactions without relaying them, and relays and follows them at the
// daemon. It turns every failure into one of few sentinel errors.
// ErrUnavailable means that the effect is unknown and the caller can repeat the
// call later.
//
// Only account 0 is used. Amounts are money.Piconero. Heights count as in the
// RPC: a block's height starts at 0, the chain's height is the number of its
// blocks, and height 0 on a transfer means "still in the pool".
package monero
