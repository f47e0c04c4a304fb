// Package sending is ground: the life of an outgoing transaction, for merchants'
// payouts and for the exchange. Bytes are stored before they are relayed, the mark
// of the wallet is raised in between, and each of these is done in one place.
package sending
