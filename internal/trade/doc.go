// Package trade holds the rules of a swap between two coins: its price, how much
// of it the inventory allows, its state, and the answer to each deposit. It does
// no input or output. Amounts are exact decimals in the natural unit of their
// coin.
//
// The status follows one deposit: the first that came in time or, if none did,
// the first that came late. Once that deposit is deep enough, the trade decides
// whether it is swapped or sent back, and the decision is final. Every other
// deposit is sent back separately.
//
//	awaiting_deposit ⇄ deposit_detected ⇄ confirming ──▶ processing ──▶ sending ──▶ completed
//	       │                                                 └──▶ refunded
//	       └──▶ expired ──late deposit──▶ refunded
//
// Another copy of the database may have answered a deposit before this copy sees
// it. The trade then follows that answer, even after it expired.
package trade
