// Package paymentrequests is the room of payment requests: links to share, whose visit creates a
// charge. It has the routes of merchants and of visitors. Reading a payment request creates
// nothing.
package paymentrequests
