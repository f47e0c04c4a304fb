package main

import (
	"fmt"
	"strings"
	"sync"

	"github.com/durapay/durapay/e2e/books"
)

// tally counts what was done.
type tally struct {
	mu    sync.Mutex
	kills map[string]int
	// done are the charges, payments and so on, by name.
	done map[string]int
}

func newTally() *tally { return &tally{kills: map[string]int{}, done: map[string]int{}} }

func (t *tally) killed(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kills[name]++
}

func (t *tally) did(what string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[what] = n
}

// table is in Markdown: what was done, the kills by process, the faults.
func (t *tally) table(faults []books.Fault) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out strings.Builder
	line := func(what string, n int) { fmt.Fprintf(&out, "| %-34s | %6d |\n", what, n) }
	head := func(what string) {
		fmt.Fprintf(&out, "\n| %-34s | %6s |\n|%s|%s:|\n", what, "number", strings.Repeat("-", 36), strings.Repeat("-", 7))
	}
	head("done")
	for _, what := range doings() {
		line(what, t.done[what])
	}
	head("kills")
	all := 0
	for _, name := range victims() {
		line(name, t.kills[name])
		all += t.kills[name]
	}
	line("all", all)
	head("faults")
	for _, kind := range books.Kinds() {
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
)

func doings() []string {
	return []string{chargesMade, chargesPaid, sweepsMade, tradesMade, tradesPaid, tradesFilled, eventsDelivered, invoicesTold}
}
