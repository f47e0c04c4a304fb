// Package access decides who may send a request, and how often. It finds the owner of an API key,
// the owner of a session, or an operator (auth.go, keys.go, person.go, conditions.go), records
// what people do (person.go), checks logins (login.go), asks a person who
// is logged in for the password or a second factor (confirm.go), and counts requests
// (limits.go).
//
// A change checks the key or the session again while it holds the account's row, because a
// client may send its body late. The API and the page on which an application asks for access
// share the counts of failed logins, so using both gives an attacker no additional guesses. A
// code is used up in the same transaction as the change that it allows. For the limits a client
// is an address, a circuit or a session of the onion mirror, a key or a merchant.
package access
