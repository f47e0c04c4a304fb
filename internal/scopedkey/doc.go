// Package scopedkey is what a key may do that a merchant gave to one application:
// permissions, which of them contain which, and how an application asks for them.
package scopedkey
