// Package reports is bookkeeping: confirmed charges of a period, their sums, and
// the switch that turns both on. Long reports are written while they are read; one
// that breaks off is never taken for the whole.
package reports
