// Package login judges who logs in: by the API, or by a page that an application
// sent its merchant to. Both count failures together, so that neither gives more
// guesses than the other.
package login
