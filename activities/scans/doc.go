// Package scans is ground: it has the common parts of the watchers of merchants' wallets
// and of the exchange's. A scan is stored with the resulting wakeups. This package finds
// confirmed transactions that were dropped, and stores the checkpoints.
package scans
