// Package monero speaks to the two Monero processes, monero-wallet-rpc
// (Wallet) and monerod (Daemon), and computes without them what must not be
// taken on trust: addresses are parsed and checked here, subaddresses are
// derived again from the view key (Deriver), and the key images that a
// transaction spends are read from its own bytes (KeyImages).
//
// A wallet process is serial, forgets what was not stored, and cannot tell a
// dead daemon from a refused transaction. So the client builds without
// relaying, relays and asks for the fate of a transaction at the daemon, and
// turns every failure into one of few sentinel errors: ErrUnavailable means
// that nothing is known and the call can be made again later.
//
// Only account 0 is used. Amounts are money.Piconero; heights count as the
// RPC counts them: a block's height starts at 0, the chain's height is the
// number of its blocks, and height 0 on a transfer means "still in the pool".
package monero
