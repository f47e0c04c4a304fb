package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/e2e/fixture"
)

// disturbance is one thing that happens to the stack.
type disturbance struct {
	kind string
	// on names the part that is away, or the action.
	on string
	// lasts is how long the part is away.
	lasts time.Duration
	// pick chooses among what exists at that moment: a connection, a run, a webhook.
	pick uint64
}

// String names it as the table does.
func (x disturbance) String() string { return x.kind + " " + x.on }

func (x disturbance) index(n int) int { return int(x.pick % uint64(n)) }

type kind struct {
	name string
	// weight is how often it is drawn, relative to the other kinds.
	weight int
	// on are what it happens to.
	on []string
	// longest bounds how long it lasts; it is zero for what takes its own time.
	longest time.Duration
	// alone disturbances have a round of their own.
	alone bool
	// begin makes it happen, and end ends it after its time. The stack works as before
	// when end returns.
	begin, end func(*testbed, context.Context, disturbance)
}

// killed is the kind of a part whose processes end at once and start again later.
const killed = "killed"

// Targets of disturbances that are not parts of the stack.
const (
	// backend stands for one of the processes that PostgreSQL has per connection.
	// When one is killed the server ends all of them and recovers.
	backend   = "postgres backend"
	receivers = "a merchant's receiver"
	backup    = "backup"
	migration = "migration"
	build     = "another build"
)

func parts() []string {
	return []string{
		"postgres", "temporal", "monerod", "litecoind",
		"wallet-spend", "wallet-sandbox-spend", "wallet-exchange-spend",
		"worker", "merchant-api", "swap-api",
	}
}

func kinds() []kind {
	return []kind{
		{name: killed, weight: 8, on: append(parts(), backend), longest: longestAway, begin: (*testbed).kill, end: (*testbed).start},
		{name: "hung", weight: 5, on: parts(), longest: longestAway, begin: (*testbed).hang, end: (*testbed).resume},
		{name: "moved", weight: 2, on: []string{clockOf("worker"), clockOf("merchant-api"), clockOf("swap-api")}, longest: longestAway, begin: (*testbed).moveClock, end: (*testbed).rightClock},
		{name: "refusing", weight: 2, on: []string{receivers}, longest: longestAway, begin: (*testbed).refuse, end: (*testbed).accept},
		{name: "ended a run of", weight: 4, on: []string{"Charge", "Payout", "Refund", "Trade", "Delivery", "Watch", "Pool", "Witness"}, begin: (*testbed).endRun},
		{name: "ran", weight: 2, on: []string{backup, migration}, begin: (*testbed).operate},
		{name: "took over:", weight: 1, on: []string{build}, alone: true, begin: (*testbed).takeOver},
	}
}

func kindOf(x disturbance) kind {
	all := kinds()
	return all[slices.IndexFunc(all, func(k kind) bool { return k.name == x.kind })]
}

const (
	// mostAtOnce is how many disturbances a round has.
	mostAtOnce = 3
	// leastCalm and mostCalm come between two rounds.
	leastCalm = 2 * time.Second
	mostCalm  = 12 * time.Second
	// leastAway and longestAway bound how long a part is away.
	leastAway   = time.Second
	longestAway = 90 * time.Second
	// anywhere is the share of rounds that begin at no place in particular: one of so many.
	anywhere = 4
)

type round struct {
	calm time.Duration
	// at is the place at which the round begins, nil for none.
	at   *place
	list []disturbance
}

// rounds draws one round after the other. They follow from the dice alone.
type rounds struct {
	dice dice
	// places are reached for in turn.
	places []*place
	drawn  int
	aimed  int
}

func newRounds(seed uint64) *rounds {
	d := newDice(seed, "rounds")
	return &rounds{dice: d, places: some(d, len(aimed()), aimed())}
}

func (r *rounds) next() round {
	made := round{calm: r.dice.between(leastCalm, mostCalm)}
	most := 1 + r.dice.IntN(mostAtOnce)
	r.drawn++
	if r.drawn%anywhere != 0 && len(r.places) > 0 {
		made.at = r.places[r.aimed%len(r.places)]
		r.aimed++
		made.list = append(made.list, r.draw(func(_ kind, on string) bool { return on == made.at.during }))
	}
	for len(made.list) < most && (len(made.list) == 0 || !kindOf(made.list[0]).alone) {
		made.list = append(made.list, r.draw(made.takes))
	}
	return made
}

// takes reports whether a disturbance can be added to the round.
func (r round) takes(k kind, on string) bool {
	return (!k.alone || len(r.list) == 0) && !slices.ContainsFunc(r.list, func(x disturbance) bool { return x.on == on })
}

func (r *rounds) draw(allowed func(k kind, on string) bool) disturbance {
	var bag []disturbance
	for _, k := range kinds() {
		var on []string
		for _, name := range k.on {
			if allowed(k, name) {
				on = append(on, name)
			}
		}
		if len(on) == 0 {
			continue
		}
		chosen := disturbance{kind: k.name, on: on[r.dice.IntN(len(on))]}
		for range k.weight {
			bag = append(bag, chosen)
		}
	}
	x := bag[r.dice.IntN(len(bag))]
	x.pick = r.dice.Uint64()
	if longest := kindOf(x).longest; longest > 0 {
		x.lasts = r.dice.mostlyShort(leastAway, longest)
	}
	return x
}

// String describes a round.
func (r round) String() string {
	texts := make([]string, len(r.list))
	for i, x := range r.list {
		texts[i] = x.String()
		if x.lasts > 0 {
			texts[i] += fmt.Sprintf(" for %s", x.lasts.Round(time.Second/10))
		}
	}
	text := strings.Join(texts, ", ")
	if r.at != nil {
		text += "; at: " + r.at.name
	}
	return text
}

// trouble has one round after the other until the time is over; then everything runs.
func (w *testbed) trouble(ctx context.Context, r *rounds, t *tally) {
	for {
		next := r.next()
		fixture.Do(fixture.Pause(ctx, next.calm))
		if next.at != nil {
			w.places.await(ctx, next.at)
		}
		if time.Now().After(w.until) {
			return
		}
		w.have(ctx, next, t)
	}
}

// have has one round.
func (w *testbed) have(ctx context.Context, r round, t *tally) {
	fixture.Reportf("%s", r)
	group, within := errgroup.WithContext(ctx)
	for _, x := range r.list {
		group.Go(func() error { return fixture.Try(func() { w.happen(within, x, t) }) })
	}
	fixture.Do(group.Wait())
	w.supervise(ctx, t)
}

func (w *testbed) happen(ctx context.Context, x disturbance, t *tally) {
	k := kindOf(x)
	if k.longest == 0 {
		defer w.places.leave(x.on)
		w.places.enter(ctx, x.on)
	}
	fixture.Named(x.String(), func() { k.begin(w, ctx, x) })
	t.disturbed(x)
	if k.longest == 0 {
		return
	}
	w.places.enter(ctx, x.on)
	defer w.places.leave(x.on)
	fixture.Do(fixture.Pause(ctx, x.lasts))
	ctx, cancel := context.WithTimeout(ctx, fixture.Startup)
	defer cancel()
	fixture.Named(x.String()+", and its end", func() { k.end(w, ctx, x) })
}

// supervise starts parts that ended by themselves, as a supervisor does.
func (w *testbed) supervise(ctx context.Context, t *tally) {
	ctx, cancel := context.WithTimeout(ctx, fixture.Startup)
	defer cancel()
	for _, name := range parts() {
		if w.runs(name) {
			continue
		}
		fixture.Reportf("%s ended by itself, and is started again", name)
		t.disturbed(disturbance{kind: endedByItself, on: name})
		w.startPart(ctx, name)
	}
}
