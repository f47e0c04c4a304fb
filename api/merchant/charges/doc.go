// Package charges is the room of charges, and of all that creates one: the merchant's request,
// buttons and payment requests. It has the routes of merchants, and those of the customers who
// pay. Customers get a public view, a page and a QR code, and send their details. Creating a
// charge inserts its row, and reading a charge reads that row; its workflow starts from the row.
// Sandbox simulates payments of charges of the sandbox, and Prices shows the rate.
package charges
