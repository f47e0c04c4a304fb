// Package testclocks is a room: test clocks of the sandbox, which merchants move, and
// what is bound to them.
package testclocks
