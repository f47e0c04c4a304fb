// Package outbox wakes the workflows of changed rows. The transaction of a change also
// writes a wakeup, which names the row. Afterwards the wakeup is sent to Temporal, and
// then deleted. So no change stays without its workflow, even if a process dies at any
// point or Temporal is down: a wakeup that was sent twice is one more look of its
// workflow at the row.
//
// A Queue sends the wakeups of charges or trades that its process has just made. A Loop
// sends all others: every worker runs one.
package outbox

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
)

// Kind is the table of a row that has a workflow.
type Kind string

// The kinds. The outbox has wakeups of all but swaps.
const (
	Charges     Kind = "charges"
	Payouts     Kind = "payouts"
	Refunds     Kind = "refunds"
	Trades      Kind = "trades"
	Mails       Kind = "mails"
	Swaps       Kind = "swaps"
	Deliveries  Kind = "deliveries"
	TradeEvents Kind = "trade_events"
)

// Kinds are the kinds of which the outbox has wakeups.
func Kinds() []Kind { return []Kind{Charges, Payouts, Refunds, Trades, Mails, Deliveries, TradeEvents} }

// Wakeup names a row whose workflow must look at it.
type Wakeup = db.Wakeup

// Grace is how long the loops leave a new row to the process that made it.
const Grace = 2 * time.Second

// NewCharge is the wakeup of a charge that was just made.
func NewCharge(chargeID, merchantID string) Wakeup {
	return Wakeup{Kind: string(Charges), ID: chargeID, Owner: merchantID, Urgency: 3}
}

// NewTrade is the wakeup of a trade that was just made, with the key that made it.
func NewTrade(tradeID string, keyID *string) Wakeup {
	w := Wakeup{Kind: string(Trades), ID: tradeID, Urgency: 3}
	if keyID != nil {
		w.Owner = *keyID
	}
	return w
}

// IsNew reports whether a wakeup is for a row that was just made: it has no workflow yet.
func IsNew(w Wakeup) bool { return w.Version == 0 }

// Send sends a wakeup to Temporal. It may send it twice.
type Send func(ctx context.Context, w Wakeup) error

const (
	// sendTimeout bounds the sending of one wakeup.
	sendTimeout = 10 * time.Second
	// queryTimeout bounds a statement. After it, a connection whose other end has vanished is
	// given up.
	queryTimeout = 10 * time.Second
	// drainTimeout is how long an ending process continues with its current sends. The loops
	// of other processes send the rest.
	drainTimeout = 5 * time.Second
)

// lingering returns a context that ends drainTimeout after ctx.
func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(drainTimeout, cancel) })
	return last, func() { stop(); cancel() }
}
