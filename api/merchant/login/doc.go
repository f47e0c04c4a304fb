// Package login checks logins, both by the API and by the page on which an application asks a
// merchant for access. Both share the counts of failures, so using both gives an attacker no
// additional guesses.
package login
