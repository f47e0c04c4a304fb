// Package twofactor is the second factor of logins, and the step-up: a session
// gives the password or a code again before it changes where money goes. A code is
// used up in the transaction of what it lets happen.
package twofactor
