// Package merchantwatch scans the wallets of merchants, and notifies charges and
// payouts of what changed.
package merchantwatch
