// Package account holds the rules of merchant accounts: valid emails, passwords and
// business names; hashing and checking of passwords; when repeated failures lock an
// account or block an address; the claims of a session token; and which codes are
// good as a second factor. It does no input or output.
package account
