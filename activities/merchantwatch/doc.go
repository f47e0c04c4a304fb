// Package merchantwatch scans the wallets of merchants, and notifies charges, payouts and
// refunds of changes.
package merchantwatch
