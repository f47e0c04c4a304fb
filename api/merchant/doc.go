// Package merchant is the HTTP API of merchants, as a folder of rooms with doors.
// Here is the door: the router, what the service is made of, and the documents.
// Each room below is a package for one resource: its handler holds what it needs,
// and Register adds its operations. A room parses and authorises a request, lets a
// workflow do what must not be forgotten or reads a row, and answers. Rows that no
// workflow depends on (accounts, keys, webhooks, the link switch) are written there
// directly.
//
// Rooms stand on common ground: answer, request, limits, auth, operation, start,
// confirm, checkout and example. The ground imports no room, and no room imports
// another; what two rooms need is ground, or belongs below the API.
//
// Huma describes the operations and calls the handlers. Bodies are decoded
// strictly and exactly (request), and every error passes through one place
// (answer).
package merchant
