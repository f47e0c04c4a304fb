// Package pages serves what a paying customer sees: the hosted payment page of
// a charge, the page of a payment request, and their QR codes and stylesheet.
//
// Pages work without script. A page is rendered from a View at the moment of
// the request, and while something can still change it reloads itself, by the
// header Refresh, unless the visitor turns that off. What the page says follows from
// one Stage, which stageOf derives from the view and nothing else:
//
//	                 ┌▶ partial ─┐
//	waiting ─────────┼───────────┴▶ seen ─▶ confirming ─▶ confirmed
//	   │             │
//	   └▶ expired ◀──┴▶ expired, partly paid
//	          └─▶ late, confirming ─▶ late, confirmed
//
// Every text stands in a catalogue, one for each language (texts_en.go and its
// like); templates hold none. The browser's Accept-Language picks one, unless
// the visitor has chosen another with ?lang= in the address.
package pages
