// Package providerorder holds the rules of an order at another provider that
// are the same for whoever orders. A provider order is made for two reasons: to
// fill a trade of our exchange, and to swap for a merchant, who pays it or has a
// payout pay it. Both are placed once, polled and followed; the code
// that places and polls is one (activities/ordering).
//
//	noted ─▶ sent once ─▶ placed ─▶ polled, until nothing more will happen
//	  │          └─▶ outcome unknown: given up, never sent again
//	  └─▶ refused: no order exists, it may be noted and sent anew
//
// What stays apart, and why:
//
//   - The statuses. A trade has those of the exchange's contract, and a partner
//     hears of each: trade.Follow passes through every one on the way. A swap has
//     those of the merchants' contract, and shows an amount that differs:
//     swap.Advance. Neither has a word for all that the other one shows.
//   - The rows. A trade is tried at several providers, one after the other: its
//     notes are named after trade and provider. A swap has one provider, and its
//     note counts toward the cap of its merchant.
//   - The checks. A trade's addresses are checked before the note, since the next
//     route is another order. A swap's are checked under the note, which keeps its
//     place within the merchant's cap.
//   - The pauses. A provider that does not answer for a trade is an error, which
//     Temporal tries again with longer and longer pauses: nobody waits for it. For
//     a swap it is an answer: a merchant who asks for it at once is told what is
//     known.
//   - The quiet. A swap's patience begins anew after a silence of its provider; a
//     trade's counts from its own last change, which partners are shown.
package providerorder
