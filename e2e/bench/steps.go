package main

import (
	"context"
	"slices"
	"time"
)

// step is one measurement. Those of a name are chosen together.
type step struct {
	name string
	do   func(*bench, context.Context)
	// takes is about how long it takes at full size on two quiet processors. A step
	// that does not fit into the run any more is left out.
	takes time.Duration
	// addresses is how many addresses of a stack it needs; nil for none.
	addresses func(sizes) int
	// wantedBy are the rows for which it is made when it is not chosen itself.
	wantedBy []string
}

// stage is a stack and its measurements, in this order.
type stage struct {
	name  string
	open  func(*bench, context.Context, string, int)
	steps []step
}

// stages are in the order in which they are made. On each stack the first steps are
// those that need few open charges.
func stages() []stage {
	return []stage{
		{"merchants", (*bench).openMerchants, []step{
			{"payments", (*bench).calmPayments, 2 * time.Minute, func(s sizes) int { return s.payments * s.perPayment }, nil},
			{"rest", (*bench).calmRest, 2 * time.Minute, nil, nil},
			{"transitions", (*bench).transitions, 20 * time.Second, nil, nil},
			{"public", (*bench).publicReads, 30 * time.Second, nil, nil},
			{"charges", (*bench).chargeRates, 5 * time.Minute, sizes.rateAddresses, nil},
			{"burst", (*bench).burst, 3 * time.Minute, func(s sizes) int { return s.rush }, nil},
			{"neighbour", (*bench).neighbour, 2 * time.Minute, func(s sizes) int { return s.pendingNews/neighbourHooks + s.news }, nil},
			{"outage", (*bench).outage, 3 * time.Minute, func(s sizes) int { return int(s.outage.Seconds()+30)*outagePerSecond + outagePaid }, nil},
			{"sweep", (*bench).sweep, 3 * time.Minute, func(s sizes) int { return sweepRounds * s.sweep }, nil},
		}},
		{"exchange", (*bench).openExchange, []step{
			{"deposits", (*bench).deposits, 4 * time.Minute, func(s sizes) int { return s.deposits * perDeposit }, nil},
			{"trade-rest", (*bench).tradeRest, 2 * time.Minute, nil, nil},
			{"quotes", (*bench).quotes, 30 * time.Second, nil, nil},
			{"trades", (*bench).tradeRates, 2 * time.Minute, sizes.tradeAddresses, nil},
		}},
		{"books", (*bench).openMerchants, []step{
			{"lists", (*bench).lists, 6 * time.Minute, nil, []string{"desk"}},
			{"desk", (*bench).desk, time.Minute, nil, nil},
		}},
		{"crowd", (*bench).openCrowd, []step{
			{"payments", (*bench).crowdedPayments, 2 * time.Minute, func(s sizes) int { return s.payments * s.perPayment }, nil},
			{"rest", (*bench).crowdedRest, time.Minute, nil, nil},
			{"memory", (*bench).memory, time.Second, nil, nil},
		}},
	}
}

// names are those that can be chosen.
func names() []string {
	var list []string
	for _, stage := range stages() {
		for _, s := range stage.steps {
			if !slices.Contains(list, s.name) {
				list = append(list, s.name)
			}
		}
	}
	return list
}

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
