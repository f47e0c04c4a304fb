// Package utxo calls daemons of the same kind as Bitcoin's (litecoind 0.21,
// bitcoind). A Client calls one daemon and one wallet that the daemon has
// loaded.
//
// The daemon's answers are authoritative, and the package stays close to them.
// Calls are typed. Amounts are read from the digits of the answer into integers
// (Amount, in satoshi) and written the same way. Every failure becomes one of
// few sentinel errors. ErrUnavailable means that the call's effect is unknown
// and that the caller can try again later. The client itself repeats only calls
// that have the same effect when they are made twice.
//
// A wallet of such a daemon loses its coin locks at a restart and sends its own
// transactions again by itself, so this package does not rely on the wallet's
// memory.
package utxo
