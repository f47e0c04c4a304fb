// Package twofactor is the room of the second factor of logins, and of the step-up: a session
// gives the password or a code again before it changes payout settings. A code is used up in the
// same transaction as the change that it allows.
package twofactor
