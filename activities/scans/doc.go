// Package scans is ground: what the watchers of merchants' wallets and of the
// exchange's have in common. A scan is stored with the notifications that follow
// from it; here they become signals, here a confirmed transaction that was dropped
// is noticed, and here the checkpoints are kept.
package scans
