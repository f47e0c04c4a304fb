// Package keys is the room of the keys that a merchant gives to applications, by
// hand or on the pages where an application asks for one.
package keys
