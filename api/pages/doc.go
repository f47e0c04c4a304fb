// Package pages serves the pages that a customer sees: the hosted payment page of a charge,
// the page of a payment request, and their QR codes and stylesheet.
//
// Pages work without scripts. A page is rendered from a View at the moment of the request.
// While something can still change, the page reloads itself with the header Refresh, unless
// the visitor turns that off. The page's texts depend on its Stage, which stageOf derives only
// from the view:
//
//	                 ┌▶ partial ─┐
//	waiting ─────────┼───────────┴▶ seen ─▶ confirming ─▶ confirmed
//	   │             │
//	   └▶ expired ◀──┴▶ expired, partly paid
//	          └─▶ late, confirming ─▶ late, confirmed
//
// Every text is in a catalogue, one for each language (texts/en.json and similar files);
// templates contain none. The browser's Accept-Language header selects the catalogue, unless
// the visitor has chosen another one with ?lang= in the address.
//
// The package also serves documents, each of which is written once, in docs: for merchants they are
// pages for people, Markdown for programs, and a list of both, /llms.txt.
package pages
