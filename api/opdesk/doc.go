// Package opdesk is the operators' desk: pages without scripts, under /operator on the
// internal listener. They show things that Temporal's UI does not: merchants, fees, unmatched
// money, stuck rows, alerts, safe mode and the exchange's inventory.
//
// The desk is a client of the API, in the same process. A page sends a request to /api/admin
// and shows its answer. A form does the same and then leads to a page. So the rules and limits
// are those of the API, and the desk cannot do anything that the API refuses.
//
// A cookie holds the session: who logged in and when, signed with a key of its own. The cookie
// opens no route of the API, and a token of the API opens no page. For each request the desk
// issues a token that does not leave the process.
//
// ServeTemporal serves operators what Temporal's UI does show, on the worker's internal listener.
package opdesk
