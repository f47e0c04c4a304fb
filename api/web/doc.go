// Package web has the common parts of the services' HTTP interfaces: request identifiers, the
// log line of each request, headers of every answer, a client's address behind proxies, the
// methods of a path, typed amounts and codes, QR codes, calls of the API within the process, and
// the documents of an API. The content of answers is up to each service.
package web
