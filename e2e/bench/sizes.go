package main

import "time"

// sizes are how much of everything is measured.
type sizes struct {
	// open is the number of other open charges in the crowded measurements.
	open int
	// trades is the number of open trades in the crowded measurements.
	trades int
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
	// burst is how many charges the delivery rate is taken from, rush how many are
	// made at once.
	burst, rush int
	// outage is how long Temporal is away.
	outage time.Duration
	// few and many are the numbers of charges of the merchants whose lists are
	// read; among is how many charges of all merchants there are then.
	few, many, among int
	// old is how many charges are reported and pruned.
	old int
	// refusals is how many refused logins of each kind are timed, signups how
	// many refused signups.
	refusals, signups int
	// creations is how many charges are timed before the pruning.
	creations int
	// reads is how many lists and lookups are timed, and pages of the desk pageReads
	// times each.
	reads, pageReads int
	// dust is how many outputs of dust the exchange's wallet gets, flood how
	// many deposits one trade; spamRounds is how many payouts are timed.
	dust, flood, spamRounds int
	// past is how many payments a wallet has behind it, pastReal how many of
	// them the wallet itself has; pastFew is what that is compared with.
	past, pastReal, pastFew int
}

func fullSizes() sizes {
	return sizes{
		open: 100_000, slice: 3 * time.Second, rounds: 3, payments: 36, perPayment: 5,
		rest: 40 * time.Second, sweep: 146, burst: 60, rush: 5_000, outage: 2 * time.Minute,
		few: 10_000, many: 1_000_000, among: 10_000_000, old: 1_000_000, reads: 300, pageReads: 150,
		refusals: 80, signups: 300, creations: 100, trades: 5_000, deposits: 30,
		dust: 6_000, flood: 300, spamRounds: 14,
		past: 1_000_000, pastReal: 20_000, pastFew: 1_000,
	}
}

func quickSizes() sizes {
	return sizes{
		open: 300, slice: time.Second, rounds: 3, payments: 6, perPayment: 2,
		rest: 15 * time.Second, sweep: 20, burst: 10, rush: 300, outage: 10 * time.Second,
		few: 1_000, many: 20_000, among: 60_000, old: 20_000, reads: 60, pageReads: 100,
		refusals: 12, signups: 20, creations: 20, trades: 200, deposits: 4,
		dust: 90, flood: 30, spamRounds: 4,
		past: 20_000, pastReal: 600, pastFew: 60,
	}
}
