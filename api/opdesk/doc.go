// Package opdesk is the operators' desk: pages without script, under /operator on
// the internal listener. They show what Temporal's UI does not: merchants, fees,
// unmatched money, what has stopped, alerts, safe mode and the exchange's
// inventory.
//
// The desk is a client of the API, in process. A page sends the request that
// /api/admin takes and shows its answer; a form does the same and then leads to a
// page. So there is no rule, no limit and no text of an error here, and nothing
// that the API refuses is done.
//
// A cookie is a session. It names who logged in and when, signed with a key of its
// own. It opens no route of the API, and a token of the API opens no page. For each
// request the desk issues a token that does not leave the process.
package opdesk
