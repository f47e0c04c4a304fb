// Package scans is ground: it has the common parts of the watchers of merchants' wallets
// and of the exchange's. A scan is stored with the resulting notifications. This package
// turns notifications into signals, finds confirmed transactions that were dropped, and
// stores the checkpoints.
package scans
