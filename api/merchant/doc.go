// Package merchant is the HTTP API of merchants, as a folder of rooms with doors. This package
// has the router, the list of the resources with their dependencies, and the documents. Each room
// below it is a package for one subject. Each resource in it is a type that holds its
// dependencies, and its Register adds its operations. A resource parses and authorises a request, then reads a row, or makes a change,
// and answers. A change that must not be lost goes through a workflow, or is written with a
// wakeup of its workflow. Rows that no workflow depends on (accounts, keys,
// webhooks, the link switch) are written directly.
//
// Rooms stand on common ground: api/operation, api/httpapi, api/access and api/service. The ground imports no
// room, and no room imports another. Code that two rooms need is ground, or belongs below the API.
//
// Huma documents the operations and calls the handlers. Package httpapi decodes bodies strictly
// and exactly, and turns every error into an answer.
package merchant
