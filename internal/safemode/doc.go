// Package safemode tells how a step treats a wallet in safe mode, and one whose
// lease is not open. internal/witness writes the row that puts a wallet into safe mode.
package safemode
