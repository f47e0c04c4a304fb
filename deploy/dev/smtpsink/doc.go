// Package smtpsink is the mail server of the development stack: it accepts every mail over
// SMTP, delivers none, and shows them over HTTP. GET /messages?to=ADDRESS returns the mails to
// an address, newest first, as [{to, subject, text, html, date}]; without an address it
// returns all mails. It keeps the newest thousand in memory.
package smtpsink
