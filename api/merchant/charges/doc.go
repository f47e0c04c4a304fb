// Package charges is the room of charges: it has the routes of merchants, and those of the
// customers who pay one. Customers get a public view, a page and a QR code, and send their
// details. Creating a charge inserts its row, and reading a charge reads that row; its workflow
// starts from the row.
package charges
