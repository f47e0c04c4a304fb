package main

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/e2e/fixture"
)

// place is a dangerous moment that a long run must have come through: something was
// away, or was done, while the database had a row of this kind.
type place struct {
	name string
	// during is what the disturbance is on; it is empty for a moment that needs none.
	during string
	// rows are the rows, as the FROM of a query.
	rows string
}

func dangerous() []*place {
	const (
		building  = "payouts WHERE status = 'building'"
		stored    = "outgoing_transactions WHERE state = 'built' AND purpose = 'payout'"
		unmined   = "outgoing_transactions WHERE state = 'sent'"
		due       = "deliveries WHERE status = 'pending' AND next_attempt_at <= now()"
		beingPaid = "trades WHERE status IN ('processing', 'sending')"
	)
	return []*place{
		{"a worker was away between store and relay", "worker", stored},
		{"a worker was away while a transaction was being built", "worker", "outgoing_transactions WHERE state = 'building'"},
		{"a worker was away while an event was due", "worker", due},
		{"a worker's clock was wrong while a payout was being built", clockOf("worker"), building},
		{"PostgreSQL was away while a payout was being built", "postgres", building},
		{"Temporal was away while a charge had no run yet", "temporal", "wakeups WHERE version = 0"},
		{"a wallet was away while it built a payout", "wallet-spend", building},
		{"a wallet was away while its exchange owed a payment", "wallet-exchange-spend", beingPaid},
		{"monerod was away while a payout was stored and not relayed", "monerod", stored},
		{"litecoind was away while a trade was to be paid", "litecoind", beingPaid},
		{"the API was away while a refund was being paid", "merchant-api", "refund_claims WHERE status = 'in_progress'"},
		{"a receiver refused an event", receivers, "deliveries WHERE status = 'pending' AND attempts > 0"},
		{"a charge's run was ended while it was pending", "Charge", "charges WHERE status = 'pending'"},
		{"a payout's run was ended while it was being built", "Payout", building},
		{"a refund's run was ended while a claim was being paid", "Refund", "refund_claims WHERE status = 'in_progress'"},
		{"a trade's run was ended while its payment was under way", "Trade", beingPaid},
		{"a backup ran while a payout was being built", backup, building},
		{"a migration ran while a payout was being built", migration, building},
		{"another build took over while a transaction was not mined", build, unmined},
		{"a refund was cancelled with the bytes of its claim out", "", `refunds r JOIN refund_claims k ON k.refund_id = r.id JOIN payouts p ON p.claim_id = k.id
			JOIN outgoing_transactions x ON x.payout_id = p.id WHERE r.cancelled_at IS NOT NULL AND k.status = 'in_progress' AND x.state IN ('built', 'sent')`},
	}
}

// aimed are the places that a round can begin at.
func aimed() (list []*place) {
	for _, p := range dangerous() {
		if p.during != "" {
			list = append(list, p)
		}
	}
	return list
}

// places counts how often each place was reached. It asks the database each second. While
// the database is away its last answer still holds, because nothing changes it then.
type places struct {
	connect func(context.Context) (*pgx.Conn, error)

	mu     sync.Mutex
	conn   *pgx.Conn
	all    []*place
	there  map[string]bool // by name: there was such a row at the last look
	active map[string]bool // parts that are away, and actions that run, by disturbance.on
	// counted are the places that were counted since they became possible.
	counted map[string]bool
	reached map[string]int
}

func newPlaces(connect func(context.Context) (*pgx.Conn, error)) *places {
	return &places{
		connect: connect, all: dangerous(),
		there: map[string]bool{}, active: map[string]bool{}, counted: map[string]bool{}, reached: map[string]int{},
	}
}

const (
	// lookEvery is the time between two looks, and lookTimeout how long one takes at most.
	lookEvery   = time.Second
	lookTimeout = 2 * time.Second
	// aimEvery is the time between two looks for one place: a transaction is stored and not
	// relayed for less than a second.
	aimEvery = 10 * time.Millisecond
	// aimFor is how long a round waits for its place.
	aimFor = 30 * time.Second
)

// watch looks until ctx is done.
func (p *places) watch(ctx context.Context) {
	for {
		p.look(ctx, p.all)
		if fixture.Pause(ctx, lookEvery) != nil {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		_ = p.conn.Close(context.WithoutCancel(ctx))
	}
}

// await returns when a place can be reached, or after a while without.
func (p *places) await(ctx context.Context, at *place) {
	for deadline := time.Now().Add(aimFor); time.Now().Before(deadline); {
		p.look(ctx, []*place{at})
		p.mu.Lock()
		exists := p.there[at.name]
		p.mu.Unlock()
		if exists {
			return
		}
		fixture.Do(fixture.Pause(ctx, aimEvery))
	}
}

// enter records that a part is away, or that an action runs, and looks at once.
func (p *places) enter(ctx context.Context, on string) {
	p.mu.Lock()
	p.active[on] = true
	p.mu.Unlock()
	p.look(ctx, p.all)
}

func (p *places) leave(on string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.active, on)
	for _, at := range p.all {
		if at.during == on {
			delete(p.counted, at.name)
		}
	}
}

// look asks for the rows of some places. Where the database does not answer the last
// answers stay.
func (p *places) look(ctx context.Context, some []*place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if found, err := p.ask(ctx, some); err == nil {
		for i, at := range some {
			p.there[at.name] = found[i]
		}
	}
	p.count()
}

func (p *places) ask(ctx context.Context, some []*place) ([]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	if p.conn == nil || p.conn.IsClosed() {
		conn, err := p.connect(ctx)
		if err != nil {
			return nil, err
		}
		p.conn = conn
	}
	asked := make([]string, len(some))
	for i, at := range some {
		asked[i] = fmt.Sprintf("EXISTS (SELECT 1 FROM %s)", at.rows)
	}
	var found []bool
	err := p.conn.QueryRow(ctx, "SELECT ARRAY["+strings.Join(asked, ", ")+"]").Scan(&found)
	if err != nil {
		_ = p.conn.Close(ctx)
		p.conn = nil
	}
	return found, err
}

func (p *places) count() {
	for _, at := range p.all {
		reached := p.there[at.name] && (at.during == "" || p.active[at.during])
		if reached && !p.counted[at.name] {
			p.reached[at.name]++
		}
		if reached || at.during == "" {
			p.counted[at.name] = reached
		}
	}
}

func (p *places) never() (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range p.all {
		if p.reached[at.name] == 0 {
			names = append(names, at.name)
		}
	}
	return names
}

func (p *places) counts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.reached)
}
