// Package incoming has what comes into wallets. It scans the wallets of merchants and of the
// exchange, and wakes the charges, payouts, refunds and trades that a scan concerns. It
// advances charges, keeps unused addresses ready, and records what the exchange's wallets
// hold. A scan is stored together with its wakeups.
package incoming
