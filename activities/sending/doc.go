// Package sending is ground: the life cycle of an outgoing transaction, for merchants'
// payouts and for the exchange. Bytes are stored before they are relayed, and the mark of
// the wallet is raised in between. Each of these is done in one place. It also
// decides to which Monero addresses merchants' money must not go.
package sending
