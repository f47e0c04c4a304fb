package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/durapay/durapay/e2e/fixture"
)

// endedByItself is the kind of a part that ended without being killed.
const endedByItself = "ended by itself:"

// tally counts the actions and disturbances.
type tally struct {
	mu sync.Mutex
	// disturbances are counted by the text of each.
	disturbances map[string]int
	// done are the charges, payments and so on, by name.
	done map[string]int
}

func newTally() *tally { return &tally{disturbances: map[string]int{}, done: map[string]int{}} }

func (t *tally) disturbed(x disturbance) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.disturbances[x.String()]++
}

func (t *tally) did(what string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[what] = n
}

// table returns a table in Markdown: actions, disturbances, reached places and faults.
func (t *tally) table(reached map[string]int, faults []fixture.Fault) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out strings.Builder
	line := func(what string, n int) { fmt.Fprintf(&out, "| %-60s | %6d |\n", what, n) }
	head := func(what string) {
		fmt.Fprintf(&out, "\n| %-60s | %6s |\n|%s|%s:|\n", what, "number", strings.Repeat("-", 62), strings.Repeat("-", 7))
	}
	head("done")
	for _, what := range doings() {
		line(what, t.done[what])
	}
	head("disturbances")
	all := 0
	for _, name := range slices.Sorted(maps.Keys(t.disturbances)) {
		line(name, t.disturbances[name])
		all += t.disturbances[name]
	}
	line("all", all)
	head("sometimes")
	for _, at := range dangerous() {
		line(at.name, reached[at.name])
	}
	head("always none")
	for _, kind := range fixture.FaultKinds() {
		n := 0
		for _, f := range faults {
			if f.Kind == kind {
				n++
			}
		}
		line(string(kind), n)
	}
	return out.String()
}

const (
	chargesMade     = "charges promised"
	chargesPaid     = "charges paid"
	sweepsMade      = "payouts of merchants"
	tradesMade      = "trades promised"
	tradesPaid      = "trades with a deposit"
	eventsDelivered = "events of charges and payouts"
	invoicesTold    = "events in BTCPay's shape"
	tradesFilled    = "trades completed"
	claimsPaid      = "refunds paid to buyers"
)

func doings() []string {
	return []string{chargesMade, chargesPaid, sweepsMade, claimsPaid, tradesMade, tradesPaid, tradesFilled, eventsDelivered, invoicesTold}
}
