// Package keys is the room of the keys that merchants give to applications. A merchant creates
// such a key by hand, or on the page where an application asks for one.
package keys
