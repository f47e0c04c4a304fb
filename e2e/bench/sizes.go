package main

import "time"

// sizes are how much of everything is measured.
type sizes struct {
	// open is the number of other open charges in the crowded measurements.
	open int
	// deposits is how many transactions pay for trades, on each chain.
	deposits int
	// slice is how long one turn of a rate lasts; rounds how many turns each
	// side gets.
	slice  time.Duration
	rounds int
	// payments is how many transactions are watched, perPayment how many
	// charges each of them pays.
	payments, perPayment int
	// rest is how long the wallets are listened to.
	rest time.Duration
	// sweep is the number of outputs in the sweep.
	sweep int
	// rush is how many charges are made at once.
	rush int
	// pendingNews is how many events another merchant has pending, news how many are timed beside them.
	pendingNews, news int
	// outage is how long Temporal is away.
	outage time.Duration
	// few is how many charges the shop has whose lists are read first; among is how
	// many all shops have afterwards.
	few, among int
	// reads is how many lists and lookups are timed, and pages of the desk pageReads
	// times each.
	reads, pageReads int
}

func fullSizes() sizes {
	return sizes{
		open: 100_000, slice: 3 * time.Second, rounds: 3, payments: 36, perPayment: 5,
		rest: 40 * time.Second, sweep: 146, rush: 5_000, pendingNews: 6_000, news: 50, outage: 2 * time.Minute,
		few: 10_000, among: 10_000_000, reads: 300, pageReads: 150, deposits: 30,
	}
}

func quickSizes() sizes {
	return sizes{
		open: 300, slice: time.Second, rounds: 3, payments: 6, perPayment: 2,
		rest: 15 * time.Second, sweep: 20, rush: 300, pendingNews: 600, news: 20, outage: 10 * time.Second,
		few: 1_000, among: 60_000, reads: 60, pageReads: 100, deposits: 4,
	}
}
