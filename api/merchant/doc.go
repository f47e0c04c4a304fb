// Package merchant is the HTTP API of merchants, as a folder of rooms with doors. This package
// has the router, the list of the rooms with their dependencies, and the documents. Each room
// below it is a package for one resource: its handler holds its dependencies, and Register adds
// its operations. A room parses and authorises a request, then reads a row, or makes a change,
// and answers. A change that must not be lost goes through a workflow, or is written with a
// wakeup of its workflow. Rows that no workflow depends on (accounts, keys,
// webhooks, the link switch) are written directly.
//
// Rooms stand on common ground: answer, request, limits, auth, operation, start, confirm, login,
// checkout, subscribe, refundlinks and example. The ground imports no room, and no room imports
// another. Code that two rooms need is ground, or belongs below the API.
//
// Huma documents the operations and calls the handlers. Package request decodes bodies strictly
// and exactly, and package answer turns every error into an answer.
package merchant
