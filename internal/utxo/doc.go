// Package utxo speaks to daemons of Bitcoin's kind (litecoind 0.21, bitcoind):
// Client calls one daemon and one wallet that it has loaded.
//
// The daemon decides what is true, and the package keeps close to what it
// says: calls are typed, amounts are read from the digits of the answer into
// integers (Amount, in satoshi) and written the same way, and every failure
// becomes one of few sentinel errors. ErrUnavailable means that nothing is
// known and that the call can be made again later; only calls that do the
// same when made twice are repeated by the client itself.
//
// A wallet of such a daemon forgets its coin locks at a restart and sends its
// own transactions again by itself, so nothing here builds on its memory.
package utxo
