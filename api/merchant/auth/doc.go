// Package auth is who a request comes from: the owner of an API key, of a session,
// or an operator. What is changed asks once more, with the account's row held,
// whether the key or the session goes on: a body may come as late as its client
// likes.
package auth
