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
	// takes is about how long it takes at full size on two quiet processors. A step
	// that does not fit into the run any more is left out.
	takes time.Duration
	// addresses is how many addresses of a stack it needs; nil for none.
	addresses func(*bench) int
	// wantedBy are the rows for which it is made when it is not chosen itself.
	wantedBy []string
}

// stage is a stack and its measurements, in this order.
type stage struct {
	name  string
	open  func(*bench, context.Context, string, int) (*testbed, error)
	steps []step
}

// stages are in the order in which they are made. On each stack the first steps are
// those that need few open charges.
func stages() []stage {
	return []stage{
		{"merchants", (*bench).openMerchants, []step{
			{"payments", (*bench).calmPayments, 2 * time.Minute, (*bench).paymentAddresses, nil},
			{"rest", (*bench).calmRest, 2 * time.Minute, nil, nil},
			{"transitions", (*bench).transitions, 20 * time.Second, nil, nil},
			{"public", (*bench).publicReads, 30 * time.Second, nil, nil},
			{"charges", (*bench).chargeRates, 5 * time.Minute, (*bench).rateAddresses, nil},
			{"burst", (*bench).burst, 3 * time.Minute, (*bench).burstAddresses, nil},
			{"neighbour", (*bench).neighbour, 2 * time.Minute, (*bench).neighbourAddresses, nil},
			{"outage", (*bench).outage, 3 * time.Minute, (*bench).outageAddresses, nil},
			{"sweep", (*bench).sweep, 3 * time.Minute, (*bench).sweepAddresses, nil},
		}},
		{"exchange", (*bench).openExchange, []step{
			{"deposits", (*bench).deposits, 4 * time.Minute, (*bench).depositAddresses, nil},
			{"trade-rest", (*bench).tradeRest, 2 * time.Minute, nil, nil},
			{"quotes", (*bench).quotes, 30 * time.Second, nil, nil},
			{"trades", (*bench).tradeRates, 2 * time.Minute, (*bench).tradeAddresses, nil},
		}},
		{"books", (*bench).openMerchants, []step{
			{"lists", (*bench).lists, 6 * time.Minute, nil, []string{"desk"}},
			{"desk", (*bench).desk, time.Minute, nil, nil},
		}},
		{"crowd", (*bench).openCrowd, []step{
			{"payments", (*bench).crowdedPayments, 2 * time.Minute, (*bench).paymentAddresses, nil},
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
