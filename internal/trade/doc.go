// Package trade holds the rules of a swap between two coins: what it costs,
// how much of it the inventory allows, where it stands, and what is done about
// each deposit. It does no input or output; amounts are exact decimals in the
// natural unit of their coin.
//
// The status follows one deposit: the first that came in time or, when none did,
// the first that came late. Once it is deep enough it is settled whether it is
// swapped or sent back, and that does not change any more. Every other deposit
// is sent back by itself.
//
//	awaiting_deposit ⇄ deposit_detected ⇄ confirming ──▶ processing ──▶ sending ──▶ completed
//	       │                                                 └──▶ refunded
//	       └──▶ expired ──late deposit──▶ refunded
//
// A deposit can be answered already when it is seen: by another copy of the
// database. Then that answer is what the trade did, also after it expired.
package trade
