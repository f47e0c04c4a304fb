// Package jsonrpc calls one process of a coin (a daemon or a wallet) over
// HTTP: with a deadline, at most one retry of a call that only reads, and a
// circuit breaker that fails calls at once while the process does not answer.
// What the calls are called and what their errors mean is up to its users,
// internal/monero and internal/utxo.
package jsonrpc
