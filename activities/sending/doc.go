// Package sending is ground: payments and orders that leave this service once. Outgoing has the life cycle of a
// transaction, for merchants' payouts and for the exchange: bytes are stored before they are
// relayed, and the mark of the wallet is raised in between. The package also decides to which
// Monero addresses merchants' money must not go.
//
// An order at a provider is recorded, sent once and polled. Trades that an upstream fills
// bring their own rows (activities/trades). SwapOrders has those of merchants' swaps,
// requested by the merchant, or by a payout that is swapped.
//
//	noted ─▶ sent once ─▶ placed ─▶ polled, until its state is final
//	  │          └─▶ outcome unknown: given up, never sent again
//	  └─▶ refused: no order exists, a new note and order are allowed
//
// The differences between the two kinds, and their reasons:
//
//   - The statuses. A trade has those of the exchange's contract, and a partner is
//     notified of each, so trade.Follow passes through every one on the way. A
//     swap has those of the merchants' contract, and shows an amount that differs:
//     see swap.Advance. Each contract lacks some of the other's statuses.
//   - The rows. A trade is tried at several providers, one after another, so its
//     notes are named after trade and provider. A swap has one provider, and its
//     note counts toward the cap of its merchant.
//   - The checks. A trade's addresses are checked before the note, because the
//     next route is another order. A swap's addresses are checked after the note,
//     because the note keeps the swap's place within the merchant's cap.
//   - The pauses. If a provider does not answer for a trade, the activity fails
//     and Temporal retries it with longer and longer pauses, because no client
//     waits for it. For a swap the activity succeeds: a merchant who asks for the
//     swap at once gets the known state.
//   - The quiet. For a swap, the patience starts again after a silence of its
//     provider. For a trade it counts from the trade's last change, which partners
//     see.
package sending
