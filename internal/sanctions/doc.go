// Package sanctions determines whether an address is on the list of Specially
// Designated Nationals that OFAC publishes. It reads the two XML forms of the
// list as streams, converts addresses to one spelling, and keeps the list in
// force in PostgreSQL. The last good list stays in force until a better one has
// been read. A list with less than half the entries waits for an operator.
package sanctions
