package main

import (
	"context"
	"slices"
	"time"
)

// step is one measurement. Those of a name are chosen together.
type step struct {
	name string
	do   func(*bench, context.Context) error
	// takes is about how long it takes at full size on two quiet processors. What does
	// not fit into the run any more is left out.
	takes time.Duration
	// addresses is how many addresses of a stack it needs; nil for none.
	addresses func(*bench) int
	// wantedBy are the rows for which it is made when it is not chosen itself.
	wantedBy []string
}

// stage is a stack and what is measured on it, in this order.
type stage struct {
	name  string
	open  func(*bench, context.Context, string, int) (*fixture, error)
	steps []step
}

// bars are how many stages have the rows with the bars.
const bars = 4

// stages are in the order in which they are made: first those with the rows that must
// not be left out. Of one stack, first what wants few open charges.
func stages() []stage {
	return []stage{
		{"merchants", (*bench).openMerchants, []step{
			{"payments", (*bench).calmPayments, 2 * time.Minute, (*bench).paymentAddresses, nil},
			{"rest", (*bench).calmRest, 2 * time.Minute, nil, nil},
			{"transitions", (*bench).transitions, 20 * time.Second, nil, nil},
			{"public", (*bench).publicReads, 30 * time.Second, nil, nil},
			{"charges", (*bench).chargeRates, 5 * time.Minute, (*bench).rateAddresses, nil},
			{"burst", (*bench).burst, 3 * time.Minute, (*bench).burstAddresses, nil},
			{"outage", (*bench).outage, 3 * time.Minute, (*bench).outageAddresses, nil},
			{"sweep", (*bench).sweep, 3 * time.Minute, (*bench).sweepAddresses, nil},
		}},
		{"exchange", (*bench).openExchangeStack, []step{
			{"deposits", (*bench).calmDeposits, 4 * time.Minute, (*bench).depositAddresses, nil},
			{"trade-rest", (*bench).calmTradeRest, 2 * time.Minute, nil, nil},
			{"quotes", (*bench).calmQuotes, 30 * time.Second, nil, nil},
			{"trades", (*bench).tradeRates, 2 * time.Minute, (*bench).tradeAddresses, nil},
		}},
		{"books", (*bench).openMerchants, []step{
			{"lists", (*bench).lists, 8 * time.Minute, nil, []string{"desk"}},
			{"desk", (*bench).desk, time.Minute, nil, nil},
		}},
		{"crowd", (*bench).openCrowd, []step{
			{"payments", (*bench).crowdedPayments, 2 * time.Minute, (*bench).paymentAddresses, nil},
			{"rest", (*bench).crowdedRest, time.Minute, nil, nil},
			{"memory", (*bench).memory, time.Second, nil, nil},
		}},
		{"others", (*bench).openMerchants, []step{
			{"invoices", (*bench).invoices, time.Minute, (*bench).invoiceAddresses, nil},
			{"neighbour", (*bench).neighbour, 2 * time.Minute, (*bench).neighbourAddresses, nil},
			{"webhooks", (*bench).webhooks, 2 * time.Minute, (*bench).webhookAddresses, nil},
			{"dialects", (*bench).dialects, 2 * time.Minute, (*bench).dialectAddresses, nil},
			{"strangers", (*bench).strangers, 3 * time.Minute, (*bench).strangerAddresses, nil},
			{"limiter", (*bench).limiter, 40 * time.Second, (*bench).limiterAddresses, nil},
			{"fanout", (*bench).fanout, 30 * time.Second, nil, nil},
			{"login", (*bench).logins, 90 * time.Second, nil, nil},
			{"report", (*bench).reports, time.Minute, nil, nil},
			{"prune", (*bench).pruning, 8 * time.Minute, (*bench).pruneAddresses, nil},
			{"scan", (*bench).scan, 6 * time.Minute, (*bench).scanAddresses, nil},
		}},
		{"crowded-exchange", (*bench).openExchangeStack, []step{
			{"crowded-deposits", (*bench).crowdedDeposits, 5 * time.Minute, (*bench).crowdedDepositAddresses, nil},
			{"crowded-trade-rest", (*bench).crowdedTradeRest, 2 * time.Minute, (*bench).crowdedTradeAddresses, nil},
			{"crowded-quotes", (*bench).crowdedQuotes, 30 * time.Second, nil, nil},
			{"spam", (*bench).spam, 15 * time.Minute, (*bench).spamAddresses, nil},
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
