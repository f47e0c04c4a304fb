// Package mails sends the mails whose rows are written: verifications, resets, notices of changes and notices
// about business. If a row is not written yet, the mail's workflow waits for it.
package mails
