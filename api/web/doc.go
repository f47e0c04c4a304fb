// Package web is what the services' HTTP interfaces have in common: request
// identifiers and the log line of each request, the headers of every answer,
// the address of a client behind proxies, methods that a path has, and the
// documents of an API. What an answer says is each service's own.
package web
