// Package confirm asks a person who is logged in for the password or a second factor, and counts
// wrong guesses. A code is used up in the same transaction as the change that it allows.
package confirm
