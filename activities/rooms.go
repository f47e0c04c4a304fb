package activities

import "go.temporal.io/sdk/worker"

// Rooms are the handlers of everything that merchants have.
type Rooms struct {
	Charges    *Charges
	Payouts    *Payouts
	Swaps      *Swaps
	Deliveries *Webhooks
	Mails      *Mails
	Watch      *Watcher
	Pool       *Pool
	Retention  *Retention
	Wakeup     *Overdue
	// Sanctions is nil when no source of the list is configured.
	Sanctions *Sanctions
}

// Exchange are the handlers of the swap exchange.
type Exchange struct {
	Trades   *Trades
	Payments *ExchangePayments
	Watch    *ExchangeWatcher
}

// RegisterMerchants adds the short activities of merchants.
func (r Rooms) RegisterMerchants(w worker.ActivityRegistry) {
	Register_charges(w, r.Charges)
	Register_payouts(w, r.Payouts)
	Register_swaps(w, r.Swaps)
	Register_deliveries(w, r.Deliveries)
	Register_mails(w, r.Mails)
	Register_retention(w, r.Retention)
	Register_wakeup(w, r.Wakeup)
	if r.Sanctions != nil {
		Register_sanctions(w, r.Sanctions)
	}
}

// RegisterAttempts adds the attempts to deliver, to merchants and to partners of the
// exchange.
func (r Rooms) RegisterAttempts(w worker.ActivityRegistry) {
	RegisterAttempts_deliveries(w, r.Deliveries)
}

// RegisterBuilding adds what one of the merchants' wallets builds, one at a time.
func (r Rooms) RegisterBuilding(w worker.ActivityRegistry) { RegisterBuilding_payouts(w, r.Payouts) }

// RegisterWatching adds the long activities of one of the merchants' wallets.
func (r Rooms) RegisterWatching(w worker.ActivityRegistry) {
	Register_merchantwatch(w, r.Watch)
	Register_addresspool(w, r.Pool)
}

// RegisterTrades adds the short activities of trades, and those of their events'
// deliveries.
func (e Exchange) RegisterTrades(w worker.ActivityRegistry, d *Webhooks) {
	Register_trades(w, e.Trades)
	Register_exchangepayments(w, e.Payments)
	RegisterReopening_deliveries(w, d)
}

// RegisterSending adds what one of the exchange's wallets pays, one at a time.
func (e Exchange) RegisterSending(w worker.ActivityRegistry) {
	RegisterSending_exchangepayments(w, e.Payments)
}

// RegisterWatching adds the long activity of one of the exchange's wallets.
func (e Exchange) RegisterWatching(w worker.ActivityRegistry) { Register_exchangewatch(w, e.Watch) }
