// Package confirm asks who is logged in for the password or a second factor, and
// counts wrong guesses. A code is used up in the transaction of what it lets
// happen.
package confirm
