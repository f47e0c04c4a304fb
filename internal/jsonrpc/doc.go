// Package jsonrpc calls one process of a coin (a daemon or a wallet) over HTTP:
// with a deadline, at most one retry of a call that only reads, and a circuit
// breaker that fails calls at once while the process does not answer. The
// packages that use it, internal/monero and internal/utxo, define the methods
// and the meaning of errors.
package jsonrpc
