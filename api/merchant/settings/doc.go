// Package settings is the room of a merchant's account: payout address, keys, profile, automatic
// conversion, and deletion. A change of the address to which money goes needs a proof of
// identity and makes sweeps wait. The same transaction enqueues a mail about it.
package settings
