// Package smtpsink is the mail server of the development stack: it takes every
// mail over SMTP, delivers none, and shows them over HTTP. GET
// /messages?to=ADDRESS answers the mails to an address, newest first, as
// [{to, subject, text, html, date}]; without an address all of them. They are
// kept in memory, the newest thousand.
package smtpsink
