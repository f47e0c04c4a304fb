// Package account holds the rules of merchant accounts: what an email, a
// password and a business name may be, how passwords are hashed and checked,
// when repeated failures lock an account or block an address, what a session
// token says, and which codes are good as a second factor. It does no input or
// output.
package account
