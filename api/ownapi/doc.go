// Package ownapi is a client of a service's own API, in the same process: what pages
// are made with that show what the API answers and send what it takes. A request
// goes to the API's handler as if it came from the visitor of the page, so that
// every limit, every check and every text of an error is the API's.
package ownapi
