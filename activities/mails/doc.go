// Package mails sends the mails whose rows are written: verifications, resets, notices of changes, notices
// about business and receipts of buyers. If a row is not written yet, the mail's workflow waits for it.
// The package gathers the notices that merchants chose: one mail for each immediate notice, up to a
// limit, and one digest a day.
package mails
