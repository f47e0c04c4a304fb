// Package desk is the merchants' desk: pages without scripts, at the root of the service. A
// merchant signs up there, sees payments, creates charges, pays out and changes the account.
//
// The desk is a client of the API, in the same process. A page sends a request to the API and
// shows its answer. A form does the same and then leads to a page. So the rules and limits are
// those of the API, and the desk cannot do anything that the API refuses. It replaces the
// API's error texts with translations (refusals.json). The mark access.FromDesk in
// a request lets the desk's session do what otherwise needs a key.
//
// A cookie holds the session: a token of the API, sealed with the desk's key, and the mode
// that the person is viewing. The cookie opens no route of the API, and a token of the API
// opens no page.
package desk
