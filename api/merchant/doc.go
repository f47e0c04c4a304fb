// Package merchant is the HTTP API of merchants. Each file is one resource: it
// parses and authorises a request, lets a workflow do what must not be
// forgotten or reads a row, and answers. Rows that no workflow depends on
// (accounts, keys, webhooks, the link switch) are written here directly; a
// charge, a payout and a redelivery are each one update-with-start, so that
// there is never a second write that could be missing.
//
// Huma describes the operations and calls the handlers. Bodies are decoded
// here, strictly and exactly (body.go), and every error passes through one
// place (errors.go).
package merchant
