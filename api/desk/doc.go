// Package desk is the merchants' desk: pages without script, at the root of the
// service. A merchant signs up there, sees what was paid, asks for money, pays out and
// changes the account.
//
// The desk is a client of the API, in process. A page sends the request that the API
// takes and shows its answer; a form does the same and then leads to a page. So there
// is no rule, no limit and no text of an error here, and nothing that the API refuses
// is done. What the API gives to a key alone it gives to the desk's session, since the
// request says that it is the desk's (auth.FromDesk).
//
// A cookie is a session. In it is a token of the API, sealed with a key of the desk's,
// and the mode that is looked at. It opens no route of the API, and a token of the API
// opens no page.
package desk
