// Package sanctions knows which addresses are on the list of Specially
// Designated Nationals that OFAC publishes. It reads the list's two XML forms
// as streams, brings addresses into one spelling, keeps the list in force in
// Postgres and answers whether an address is on it. The last good list stays
// in force until a better one has been read; a list that lost more than half
// of its entries waits for an operator.
package sanctions
