// Package mails sends the mails whose rows are written: verifications, resets,
// notices of changes and notices about business. A row that is not there yet is waited for by its workflow.
package mails
