// Package ownapi is a client of a service's own API, within the same process. Pages that use it
// show the API's answers and send its requests. A request reaches the API's handler as if the
// page's visitor had sent it, so every limit, check and error text comes from the API.
package ownapi
