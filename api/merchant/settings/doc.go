// Package settings is what merchants see and set of their account, up to its
// end: payout address, keys, profile, automatic conversion. What leads money
// elsewhere asks for a proof of who asks, makes sweeps wait, and is told by mail
// in the same transaction.
package settings
