package trade

import (
	"slices"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// Texts of Trade.Detail; clients read them.
const (
	detailBelowMin  = "the deposit is below the minimum and is sent back"
	detailAboveMax  = "the deposit is above the maximum and is sent back"
	detailInventory = "the deposit is larger than what could be paid out and is sent back"
	detailLate      = "the deposit came after the deposit window and is sent back"
	detailAbandoned = "the deposit was locked for too long and is sent back"
	detailUnmined   = "the deposit was not in a block in time and is sent back"
	detailNoPrice   = "the deposit is larger than announced while there is no current price, and is sent back"
	detailReturned  = "the deposit cannot be swapped and is sent back"
	detailBlocked   = "the deposit cannot be processed"
)

// Advance returns the trade's state after these facts, the transitions that led
// there and the transactions to build. It is a pure function. Running it again on
// its own result, with the transactions it planned among the facts, changes
// nothing.
func Advance(t Trade, f Facts) Outcome {
	a := advance{Outcome: Outcome{Trade: t}, facts: f}
	if !f.Unsure {
		a.abandonOverdue()
	}
	for a.step() {
	}
	if !f.Unsure {
		a.returnOtherDeposits()
	}
	a.checkBacking()
	a.Postponed = a.facts.Unsure && a.unanswered()
	return a.Outcome
}

type advance struct {
	Outcome

	facts Facts
}

// to changes the status. It returns true if the loop of Advance must continue.
func (a *advance) to(next Status) bool {
	if a.Trade.Status == next {
		return false
	}
	a.Transitions = append(a.Transitions, Transition{a.Trade.Status, next})
	a.Trade.Status = next
	return true
}

// fail ends the trade until an operator acts.
func (a *advance) fail(reason string) bool {
	a.Trade.Detail, a.Trade.Reserved = reason, money.Decimal{}
	return a.to(Failed)
}

// step makes at most one transition and reports whether it made one.
func (a *advance) step() bool {
	switch a.Trade.Status {
	case AwaitingDeposit:
		return a.await()
	case DepositDetected, Confirming:
		return a.confirm()
	case Processing, Sending:
		return a.settle()
	case Expired:
		return a.late()
	case Failed:
		return a.resume()
	default:
		return false
	}
}

func (a *advance) await() bool {
	if d, ok := a.inTime(); ok {
		a.receive(d)
		return a.to(DepositDetected)
	}
	a.Trade.Received = money.Decimal{}
	if a.facts.Now.Before(a.Trade.ExpiresAt) {
		a.keep(a.Trade.Quoted)
		return false
	}
	a.Trade.Reserved = money.Decimal{}
	return a.to(Expired)
}

// confirm follows the first deposit that came in time until it is deep enough. If a
// reorg drops that deposit before, the next deposit takes its place.
func (a *advance) confirm() bool {
	d, ok := a.inTime()
	if !ok {
		return a.to(AwaitingDeposit)
	}
	a.receive(d)
	switch {
	case d.Blocked && !a.facts.Unsure:
		return a.block(d)
	case d.Confirmations == 0:
		return a.to(DepositDetected)
	case a.Trade.Status == DepositDetected || !a.deep(d):
		return a.to(Confirming)
	case a.facts.Unsure:
		return false
	default:
		a.count(d)
		return a.to(Processing)
	}
}

// receive follows a deposit that is not settled yet. The trade reserves the amount
// that the deposit pays, at most the quoted one, and nothing for a deposit that
// will be sent back. Otherwise a little dust would hold the whole inventory of a
// large trade.
func (a *advance) receive(d Deposit) {
	t := &a.Trade
	t.Received = d.Amount
	pays := t.Pays(d.Amount)
	if !t.agreed(d.Amount, pays) {
		pays = money.Decimal{}
	}
	a.keep(smaller(pays, t.Quoted))
}

// keep changes the reserved amount. It can rise, for example when a reorg drops a
// small deposit, but only if the inventory has the difference.
func (a *advance) keep(amount money.Decimal) {
	more := amount.Sub(a.Trade.Reserved)
	if more.Cmp(a.facts.Free) > 0 {
		return
	}
	if more.Sign() > 0 {
		a.facts.Free = a.facts.Free.Sub(more)
	}
	a.Trade.Reserved = amount
}

// block keeps a deposit that comes from a sanctioned address: nothing is sent.
func (a *advance) block(d Deposit) bool {
	a.Trade.Counted, a.Trade.Received = d.ID, d.Amount
	if a.Trade.Risk != provider.RiskControlled {
		return a.fail(detailBlocked)
	}
	a.Trade.Detail, a.Trade.Reserved = detailBlocked, money.Decimal{}
	return a.to(Hold)
}

// count settles the deposit as the trade's: it is swapped, or sent back when it is
// outside the agreed limits.
func (a *advance) count(d Deposit) {
	t := &a.Trade
	t.Counted = d.ID
	if made, answered := a.paymentOf(d.ID); answered {
		a.believe(made)
		return
	}
	pays := t.settles(d.Amount, a.facts.CurrentRate)
	if t.Detail = t.refusal(d.Amount, pays, a.facts); t.Detail != "" {
		t.Reserved = money.Decimal{}
		a.order(Refund, d.ID, d.Amount)
		return
	}
	t.Payout, t.Reserved = pays, pays
	a.order(Payout, d.ID, pays)
}

// believe makes the trade agree with the payment that answers its deposit. Another
// copy of the database may have made that payment before this copy saw the deposit,
// or after this copy had decided otherwise.
func (a *advance) believe(made Payment) {
	t := &a.Trade
	t.Payout, t.Detail = made.Amount, ""
	if made.Kind == Refund {
		t.Payout, t.Detail = money.Decimal{}, detailReturned
	}
	t.Reserved = t.Payout
}

// believed reports whether the trade agrees with the payment that answers its
// deposit.
func (a *advance) believed(made Payment) bool {
	if made.Kind == Refund {
		return a.Trade.Payout.Sign() == 0
	}
	return a.Trade.Payout.Cmp(made.Amount) == 0
}

// Pays returns what a deposit of this amount pays at the locked rate, rounded down
// to the smallest unit of the coin.
func (t *Trade) Pays(amount money.Decimal) money.Decimal {
	return amount.Mul(t.Rate).Floor(t.DecimalsTo)
}

// settles returns what a deposit of this amount pays when it is settled. The part
// up to AtLockedRate is paid at the locked rate. The excess is paid at the lower of
// the current rate and the locked rate. So a customer cannot use a small trade as
// an option on a large one.
func (t *Trade) settles(amount, currentRate money.Decimal) money.Decimal {
	excess := amount.Sub(t.AtLockedRate)
	if excess.Sign() <= 0 {
		return t.Pays(amount)
	}
	return t.AtLockedRate.Mul(t.Rate).Add(excess.Mul(smaller(t.Rate, currentRate))).Floor(t.DecimalsTo)
}

// Commissionable returns the part of the deposit for which commission is credited.
// If the deposit was not paid at the locked rate as a whole, this is the part that
// would have paid the same at that rate, rounded down to 18 decimals.
func (t *Trade) Commissionable() money.Decimal {
	if t.Payout.Cmp(t.Pays(t.Received)) == 0 {
		return t.Received
	}
	part, err := t.Payout.DivFloor(t.Rate, rateDecimals)
	if err != nil { // a rate is positive
		return money.Decimal{}
	}
	return part
}

// agreed reports whether a deposit of this amount is within the limits and pays
// something.
func (t *Trade) agreed(amount, pays money.Decimal) bool {
	return amount.Cmp(t.Min) >= 0 && amount.Cmp(t.Max) <= 0 && pays.Sign() > 0
}

func (t *Trade) refusal(amount, pays money.Decimal, f Facts) string {
	switch {
	case amount.Cmp(t.Max) > 0:
		return detailAboveMax
	case !t.agreed(amount, pays):
		return detailBelowMin
	case amount.Cmp(t.AtLockedRate) > 0 && f.CurrentRate.Sign() <= 0:
		return detailNoPrice
	case pays.Cmp(t.Reserved) > 0 && pays.Sub(t.Reserved).Cmp(f.Free) > 0:
		return detailInventory
	default:
		return ""
	}
}

// settle follows the one payment of the deposit that counts.
func (a *advance) settle() bool {
	made, ok := a.paymentOf(a.Trade.Counted)
	if ok && !a.believed(made) {
		a.believe(made)
	}
	switch {
	case !ok:
		return false
	case made.State == PaymentFailed:
		return a.fail(made.Reason)
	case made.Kind == Payout && a.Trade.Status == Expired:
		return a.to(Processing)
	case made.Kind == Refund:
		return made.State == PaymentConfirmed && a.to(Refunded)
	case a.Trade.Status == Processing:
		return (made.State == Sent || made.State == PaymentConfirmed) && a.to(Sending)
	case made.State == PaymentConfirmed:
		a.Trade.Reserved = money.Decimal{}
		return a.to(Completed)
	default:
		return false
	}
}

// resume continues a trade whose failed transaction an operator has retried or
// turned into a refund.
func (a *advance) resume() bool {
	made, ok := a.paymentOf(a.Trade.Counted)
	if !ok || made.State == PaymentFailed {
		return false
	}
	a.believe(made)
	return a.to(Processing)
}

// late sends back the first deposit of an expired trade. If a deposit already has a
// payout, late settles that one as the trade's instead.
func (a *advance) late() bool {
	if a.Trade.Counted != 0 {
		return a.settle()
	}
	if a.facts.Unsure {
		return false
	}
	if d, ok := a.paidOut(); ok && !d.Blocked {
		if !a.deep(d) {
			return false
		}
		a.Trade.Received = d.Amount
		a.count(d)
		return a.settle()
	}
	for _, d := range a.facts.Deposits {
		switch {
		case d.Missing:
			continue
		case d.Blocked:
			return a.block(d)
		case a.deep(d):
			a.Trade.Counted, a.Trade.Received, a.Trade.Detail = d.ID, d.Amount, detailLate
			if d.Abandoned {
				a.Trade.Detail = detailAbandoned
				if !a.minedInTime(d) {
					a.Trade.Detail = detailUnmined
				}
			}
			a.order(Refund, d.ID, d.Amount)
			return true
		}
	}
	return false
}

// returnOtherDeposits sends back every deposit except the one that counts.
func (a *advance) returnOtherDeposits() {
	if a.Trade.Counted == 0 {
		return
	}
	for _, d := range a.facts.Deposits {
		if d.ID != a.Trade.Counted && a.deep(d) && !d.Blocked {
			a.order(Refund, d.ID, d.Amount)
		}
	}
}

// checkBacking detects that a settled deposit is no longer in the chain, or no
// longer deep enough.
func (a *advance) checkBacking() {
	for _, d := range a.facts.Deposits {
		if d.ID == a.Trade.Counted {
			a.Unbacked = !d.Blocked && !a.deep(d)
		}
	}
}

// unanswered reports whether a deposit on the chain is not the one that counts and
// has no payment.
func (a *advance) unanswered() bool {
	return slices.ContainsFunc(a.facts.Deposits, func(d Deposit) bool {
		_, answered := a.paymentOf(d.ID)
		return !answered && !d.Missing && d.ID != a.Trade.Counted
	})
}

// order plans a transaction, unless the deposit already has one.
func (a *advance) order(kind Kind, depositID int64, amount money.Decimal) {
	if _, made := a.paymentOf(depositID); made {
		return
	}
	if _, planned := first(a.Planned, func(o PlannedTransaction) bool { return o.DepositID == depositID }); !planned {
		a.Planned = append(a.Planned, PlannedTransaction{Kind: kind, DepositID: depositID, Amount: amount})
	}
}

func (a *advance) paidOut() (Deposit, bool) {
	return first(a.facts.Deposits, func(d Deposit) bool {
		made, ok := a.paymentOf(d.ID)
		return ok && made.Kind == Payout && !d.Missing
	})
}

// inTime returns the deposit that has a payout, or else the first deposit that was
// seen before the window ended and is not abandoned.
func (a *advance) inTime() (Deposit, bool) {
	if d, ok := a.paidOut(); ok {
		return d, true
	}
	return first(a.facts.Deposits, func(d Deposit) bool {
		return !d.Missing && !d.Abandoned && d.FirstSeenAt.Before(a.Trade.ExpiresAt)
	})
}

// deep reports whether a deposit is final enough to rely on and can be spent.
func (a *advance) deep(d Deposit) bool {
	return !d.Missing && !d.Locked && !d.Unscreened && d.Confirmations >= a.Trade.Confirmations
}

func (a *advance) paymentOf(depositID int64) (Payment, bool) {
	return first(a.facts.Payments, func(p Payment) bool { return p.DepositID == depositID })
}

// first returns the first element that fits.
func first[T any](list []T, fits func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, fits); i >= 0 {
		return list[i], true
	}
	return found, false
}
