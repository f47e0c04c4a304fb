// Package accounts is the room of a merchant's account: Access, Settings, TwoFactor, Keys and
// Staff each serve one part of it.
//
// A client without an account cannot find out which accounts exist, because answers and their
// times are the same either way. A new password voids every session and every pending link. A
// change of the address to which money goes needs a proof of identity and makes sweeps wait. The
// transaction of such a change enqueues a mail about it, and uses up the code that allows it.
package accounts
