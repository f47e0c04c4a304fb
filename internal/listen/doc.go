// Package listen brings the events of the sandbox to a developer's machine: it reads
// the feed of events and posts each one to an address there, signed as a webhook is. So
// developers need no tunnel. The package is a client of the API and uses no database.
package listen
