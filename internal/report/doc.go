// Package report holds what merchants' reports are made of: the periods of a
// summary, the record of a confirmed charge with its fiat value, and its form
// as a line of a spreadsheet. It does no input or output.
package report
