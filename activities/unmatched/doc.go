// Package unmatched is ground: the alerts about money at an address of ours that belongs
// to no charge.
package unmatched
