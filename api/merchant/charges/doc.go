// Package charges is what merchants do with charges, and what customers see of
// one: its public view, its page, its QR code, and the details that they send. A
// charge is made by its workflow; what is read is a row.
package charges
