package activities

import (
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/addresspool"
	"github.com/durapay/durapay/activities/charges"
	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/exchangewatch"
	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/activities/merchantwatch"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/swaps"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/activities/upkeep"
)

// Rooms holds the handlers of everything that merchants have.
type Rooms struct {
	Charges    *charges.Handler
	Payouts    *payouts.Handler
	Refunds    *payouts.Refunds
	Swaps      *swaps.Handler
	Deliveries *deliveries.Handler
	Mails      *mails.Handler
	Notices    *mails.BusinessMails
	Watch      *merchantwatch.Handler
	Pool       *addresspool.Handler
	Retention  *upkeep.Retention
	Overdue    *upkeep.Overdue
	// Sanctions is nil when no source of the list is configured.
	Sanctions *upkeep.SanctionsList
}

// Exchange holds the handlers of the swap exchange.
type Exchange struct {
	Trades   *trades.Handler
	Payments *trades.Payments
	Watch    *exchangewatch.Handler
}

// RegisterMerchants adds the short activities of merchants.
func (r Rooms) RegisterMerchants(w worker.ActivityRegistry) {
	charges.Register(w, r.Charges)
	payouts.Register(w, r.Payouts)
	payouts.RegisterRefunds(w, r.Refunds)
	swaps.Register(w, r.Swaps)
	deliveries.Register(w, r.Deliveries)
	mails.Register(w, r.Mails)
	mails.RegisterBusiness(w, r.Notices)
	upkeep.RegisterRetention(w, r.Retention)
	upkeep.RegisterOverdue(w, r.Overdue)
	if r.Sanctions != nil {
		upkeep.RegisterSanctionsList(w, r.Sanctions)
	}
}

// RegisterOutside adds the activities that call external servers for merchants.
func (r Rooms) RegisterOutside(w worker.ActivityRegistry) {
	mails.RegisterOutside(w, r.Mails)
	swaps.RegisterOutside(w, r.Swaps)
	payouts.RegisterOutside(w, r.Payouts)
	if r.Sanctions != nil {
		upkeep.RegisterOutside(w, r.Sanctions)
	}
}

// RegisterAttempts adds the delivery attempts, to merchants and to partners of the
// exchange.
func (r Rooms) RegisterAttempts(w worker.ActivityRegistry) {
	deliveries.RegisterAttempts(w, r.Deliveries)
}

// RegisterBuilding adds the building of transactions in one of the merchants' wallets,
// one at a time.
func (r Rooms) RegisterBuilding(w worker.ActivityRegistry) { payouts.RegisterBuilding(w, r.Payouts) }

// RegisterWatching adds the long activities of one of the merchants' wallets.
func (r Rooms) RegisterWatching(w worker.ActivityRegistry) {
	merchantwatch.Register(w, r.Watch)
	addresspool.Register(w, r.Pool)
}

// RegisterTrades adds the short activities of trades, and those of the deliveries of
// their events.
func (e Exchange) RegisterTrades(w worker.ActivityRegistry, d *deliveries.Handler) {
	trades.Register(w, e.Trades)
	trades.RegisterPayments(w, e.Payments)
	deliveries.Register(w, d)
}

// RegisterOutside adds the activities that call providers for trades.
func (e Exchange) RegisterOutside(w worker.ActivityRegistry) { trades.RegisterOutside(w, e.Trades) }

// RegisterSending adds the payments of one of the exchange's wallets, one at a time.
func (e Exchange) RegisterSending(w worker.ActivityRegistry) {
	trades.RegisterSending(w, e.Payments)
}

// RegisterWatching adds the long activity of one of the exchange's wallets.
func (e Exchange) RegisterWatching(w worker.ActivityRegistry) { exchangewatch.Register(w, e.Watch) }
