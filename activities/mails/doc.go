// Package mails sends the mails whose rows are written: verifications, resets and
// notices. A row that is not there yet is waited for by its workflow.
package mails
