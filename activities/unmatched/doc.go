// Package unmatched is ground: money at an address of ours that belongs to no
// charge, as operators are told of it.
package unmatched
