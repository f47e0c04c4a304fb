// Package auth finds out who sent a request: the owner of an API key, the owner of a session, or
// an operator. A change checks the key or the session again while it holds the account's row,
// because a client may send its body late.
package auth
