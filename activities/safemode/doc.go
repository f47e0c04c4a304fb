// Package safemode is ground: what a step does about a wallet in safe mode, and
// about one whose lease is not open. Whether a wallet is in safe mode is a row that
// internal/witness writes.
package safemode
