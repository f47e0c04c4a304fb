// Package listen brings the events of the sandbox to a developer's machine: it reads
// the feed of events and posts each one to an address there, signed as a webhook is.
// So nobody needs a tunnel. It is a client of the API and knows no database.
package listen
