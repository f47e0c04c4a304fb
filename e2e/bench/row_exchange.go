package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// tradeBar is the rate of trades, which wait for no workflow, as a multiple of Temporal's own.
const tradeBar = 1.5

// tradeRates compares trades per second with Temporal's own rate.
func (b *bench) tradeRates(ctx context.Context) {
	b.exchange.withEngine(ctx, func(e *engine) {
		settle := func(ctx context.Context) { b.exchange.started(ctx); e.idle(ctx) }
		for _, clients := range rateClients() {
			c := b.sizes.inTurns(ctx, clients, settle, e.begin, b.exchange.order)
			b.table.add(c.row(fmt.Sprintf("GET /api/v1/new_trade, %d clients", clients), "Temporal alone", 0, tradeBar))
		}
	})
}

func (s sizes) tradeAddresses() int { return int(s.turns().Seconds()*mostTrades) * len(rateClients()) }

// mostTrades is more trades a second than one machine of today makes.
const mostTrades = 250

const (
	// quoteBar is the share of the rate of a handler that only answers.
	quoteBar     = 0.75
	quoteClients = 8
)

// serveAnswer is the reference of a quote: a handler on the same server that
// answers a fixed body, which it reads first.
func serveAnswer(ctx context.Context, body string) error {
	return serveReference(ctx, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body) //nolint:gosec // the bench's own text, which no browser shows
	}))
}

// quotes compares quotes per second with a handler that answers the same.
func (b *bench) quotes(ctx context.Context) {
	query := clients.Pair{From: fixture.Litecoin, To: fixture.Monero}.Query(money.MustDecimal(tradeLTC)).Encode()
	body, _ := fixture.Must2(clients.Fetch(ctx, b.exchange.http, b.exchange.URLs["SWAP_URL"]+"/api/v1/new_rate?"+query, nil))
	ours := func(ctx context.Context, _ int64) error {
		return b.exchange.get(ctx, b.exchange.URLs["SWAP_URL"]+"/api/v1/new_rate?"+query, "")
	}
	var c comparison
	withChild(ctx, []string{"answer", body}, func(answer string) {
		bare := func(ctx context.Context, _ int64) error { return b.exchange.get(ctx, answer+"/?"+query, "") }
		c = b.sizes.inTurns(ctx, quoteClients, nil, bare, ours)
	})
	b.table.add(c.row(fmt.Sprintf("GET /api/v1/new_rate, %d clients", quoteClients), "a fixed answer", 0, quoteBar))
}

const restTrades = 10

// tradeRest counts the calls with few open trades, and those of the same worker
// without the daemons' publishers.
func (b *bench) tradeRest(ctx context.Context) {
	fixture.Do(repeat(ctx, 1, restTrades, b.exchange.order))
	// The worker does not rely on a publisher before it has announced a deposit.
	b.exchange.watchDeposits(ctx, 1, fixture.Monero, b.exchange.signMonero)
	calls := b.exchange.restingCalls(ctx, b.sizes.rest)
	b.exchange.listen(ctx, false)
	before := b.exchange.restingCalls(ctx, b.sizes.rest)
	ratio := calls.perMinute / before.perMinute
	b.table.add(row{
		measure: fmt.Sprintf("exchange: wallet and daemon RPC calls a minute at rest, %d trades open", restTrades),
		value:   calls.String(), reference: "looking once a second: " + before.String(),
		ratio: ratioText(ratio), bar: "≤ a third", met: ratio <= restBar,
	})
	b.exchange.listen(ctx, true)
}

func (m *exchange) restingCalls(ctx context.Context, during time.Duration) resting {
	m.settled(ctx)
	return m.callsPerMinute(ctx, during)
}

// settled lets both chains grow until no trade is on its way and the exchange
// can spend all it has.
func (m *exchange) settled(ctx context.Context) {
	for {
		busy := value[int](ctx, m.testbed, `SELECT count(*) FROM trades
			WHERE status NOT IN ('awaiting_deposit', 'expired', 'completed', 'refunded', 'failed')`)
		if busy == 0 {
			fixture.Do(errors.Join(m.Chain.Mine(ctx, sweepableBlocks), fixture.Pause(ctx, 3*time.Second))) // until that is seen
			return
		}
		m.mineBoth(ctx)
		if err := fixture.Pause(ctx, time.Second); err != nil {
			fixture.Failf("%d trades are on their way: %w", busy, err)
		}
	}
}

const (
	depositBar   = 500 * time.Millisecond
	depositPath  = "/deposits"
	depositEvent = "deposit_detected"
	// perDeposit is how many trades one transaction pays for.
	perDeposit = 2
	// moneroBlocks are mined for each Litecoin block: the outputs that the exchange
	// pays out of are locked for ten of them, and must not run out.
	moneroBlocks = 5
)

// deposits measures the time from a deposit in the pool until the partner is
// notified, on both chains.
func (b *bench) deposits(ctx context.Context) {
	for _, side := range []struct {
		coin string
		pay  payment
	}{{fixture.Monero, b.exchange.signMonero}, {fixture.Litecoin, b.exchange.payLitecoin}} {
		samples := b.exchange.watchDeposits(ctx, b.sizes.deposits, side.coin, side.pay)
		b.table.add(p99Row(fmt.Sprintf("%s deposit in the pool → %s", strings.ToUpper(side.coin), depositEvent), samples, depositBar))
	}
	b.exchange.settled(ctx)
}

// payment pays for trades, once the function that it returns is called.
type payment func(context.Context, []clients.Trade) func() error

// watchDeposits makes rounds of a deposit each. The block of a round confirms the
// deposits of earlier rounds, so that trades progress meanwhile.
func (m *exchange) watchDeposits(ctx context.Context, rounds int, coin string, build payment) []time.Duration {
	var all []time.Duration
	for round := range rounds {
		trades := make([]clients.Trade, perDeposit)
		for i := range trades {
			trades[i] = fixture.Must(m.trade(ctx, coin, depositPath))
		}
		begun := evenly(ctx, round, build(ctx, trades))
		for _, t := range trades {
			all = append(all, arrived(ctx, m.SafeHooks, fixture.SwapIs(t.ID, depositEvent)).Sub(begun))
		}
		m.mineBoth(ctx)
	}
	return all
}

func (m *exchange) mineBoth(ctx context.Context) {
	fixture.Do(errors.Join(m.Chain.Mine(ctx, moneroBlocks), m.Coins.Mine(ctx, 1)))
}

// signMonero makes one transaction that pays for all trades; it is sent later.
func (m *exchange) signMonero(ctx context.Context, trades []clients.Trade) func() error {
	amount := fixture.Must(money.ParseXMR(tradeXMR))
	to := make([]fixture.Output, 0, len(trades))
	for _, t := range trades {
		to = append(to, fixture.Output{Address: t.Deposit, Amount: amount})
	}
	tx := fixture.Must(m.Customer.Sign(ctx, to...))
	return func() error { return m.broadcast(ctx, tx) }
}

// payLitecoin pays for one trade after the other: the daemon's wallet makes and
// sends a transaction in one call.
func (m *exchange) payLitecoin(ctx context.Context, trades []clients.Trade) func() error {
	return func() error {
		for _, t := range trades {
			if _, err := m.Pay(ctx, fixture.Litecoin, t.Deposit, money.MustDecimal(tradeLTC)); err != nil {
				return err
			}
		}
		return nil
	}
}
