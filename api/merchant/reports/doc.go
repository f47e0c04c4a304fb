// Package reports is the room of bookkeeping: the confirmed charges of a period, their sums, and
// the setting that turns reports on. A long report is sent while it is read from the database.
// If reading fails midway, the connection breaks, so that a client never mistakes a part for the
// whole.
package reports
