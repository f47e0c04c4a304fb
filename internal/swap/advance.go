package swap

import (
	"fmt"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// Texts of Swap.Detail; merchants read them.
const (
	detailUnpaid    = "no deposit came in time"
	detailLate      = "no deposit came in time; one that came late is with the provider"
	detailVerifying = "the provider checks the deposit"
	detailHalted    = "the provider stopped the swap: ask its support"
	detailReturning = "the provider sends the deposit back"
	detailFailed    = "the swap failed at the provider"
	detailLost      = "the provider let the swap expire although it had the deposit"
	detailGivenUp   = "the provider did not bring the swap to an end"
)

// Report is a provider's answer about a swap.
type Report struct {
	provider.Swap

	// Funded reports whether this service paid the deposit. A funded swap that ends
	// without a payout is a loss.
	Funded bool
	Now    time.Time
}

// Outcome is the result of a report.
type Outcome struct {
	Swap

	// Alarm is a text for operators about a problem that needs a person; empty when
	// there is none.
	Alarm string
}

// Advance returns the state of a swap after a report. A closed swap never
// changes. A state that is not understood does not change the status but raises
// an alarm. Running it again with the same report changes nothing.
func Advance(s Swap, r Report) Outcome {
	if s.Closed {
		return Outcome{Swap: s}
	}
	o := Outcome{Swap: s}
	if provider.Silent(s.AnsweredAt, r.Now) {
		o.QuietSince = r.Now
	}
	o.AnsweredAt, o.Word = r.Now, r.Word
	o.follow(r)
	o.takeFacts(r)
	if o.Status != s.Status || o.Word != s.Word {
		o.QuietSince = r.Now
	}
	o.giveUp(r)
	if o.Alarm == "" {
		o.Alarm = o.objection(r)
	}
	return o
}

// Silent returns the alarm text while a provider does not answer; empty if it
// answered less than an hour ago.
func Silent(s Swap, now time.Time) string {
	if s.Closed || !provider.Silent(s.AnsweredAt, now) {
		return ""
	}
	return "the provider does not answer"
}

// follow applies the reported state to the status.
func (o *Outcome) follow(r Report) {
	switch r.State {
	case provider.Unknown:
	case provider.Expired:
		o.expire()
	case provider.Halted:
		o.end(Failed, detailHalted, false)
	case provider.Failed:
		o.end(Failed, detailFailed, true)
	case provider.Finished:
		o.end(Finished, "", true)
	case provider.Refunded:
		o.end(Refunded, "", true)
	default:
		o.applyOpen(r.State)
	}
}

// end sets an ended status. closed means that the provider will not change it
// any more.
func (o *Outcome) end(s Status, detail string, closed bool) {
	o.Status, o.Detail, o.Closed = s, detail, closed
}

// expire ends a swap for which the provider knows no deposit.
func (o *Outcome) expire() {
	switch {
	case o.Status == Failed:
	case o.Status.step() > 0:
		o.end(Failed, detailLost, false)
	default:
		o.end(Failed, detailUnpaid, false)
	}
}

// applyOpen applies a state of a swap that has not ended. Once a deposit is being
// swapped, a report of an earlier step is an old answer and is ignored. A swap
// that was shown as failed keeps that status until the provider reports another
// end.
func (o *Outcome) applyOpen(state provider.State) {
	next := Status(state.Merchant())
	switch {
	case o.Status.Ended():
		if o.Detail == detailUnpaid && state != provider.Waiting {
			o.Detail = detailLate
		}
		return
	case next.step() < o.Status.step():
		return
	}
	o.Status, o.Detail = next, map[provider.State]string{
		provider.Verifying: detailVerifying, provider.Refunding: detailReturning,
	}[state]
}

// takeFacts stores the reported transactions and the amount paid. A later fact
// replaces an earlier one; a missing fact never does.
func (o *Outcome) takeFacts(r Report) {
	txs := provider.Transactions{Deposit: o.DepositTx, Payout: o.PayoutTx, Refund: o.RefundTx}.After(r.Swap)
	o.DepositTx, o.PayoutTx, o.RefundTx = txs.Deposit, txs.Payout, txs.Refund
	pays := r.State == provider.Sending || r.State == provider.Finished
	if pays && r.AmountTo.Sign() > 0 {
		o.AmountTo = r.AmountTo
	}
	if o.Detail == "" && (o.Status.step() > 0 || r.State == provider.Finished) {
		o.Detail = o.remark(r)
	}
}

// remark describes to the merchant the amounts that differ from the order.
func (o *Outcome) remark(r Report) string {
	var remarks []string
	if otherThan(r.AmountFrom, o.AmountFrom) {
		remarks = append(remarks, fmt.Sprintf("the provider counts a deposit of %s instead of %s", r.AmountFrom, o.AmountFrom))
	}
	if otherThan(o.AmountTo, o.Expected) {
		remarks = append(remarks, fmt.Sprintf("the provider pays %s instead of %s", o.AmountTo, o.Expected))
	}
	return strings.Join(remarks, "; ")
}

// otherThan reports whether an amount was reported and differs from the agreed
// one.
func otherThan(reported, agreed money.Decimal) bool {
	return reported.Sign() > 0 && reported.Cmp(agreed) != 0
}

// giveUp ends a swap that the provider does not end.
func (o *Outcome) giveUp(r Report) {
	switch {
	case o.Closed:
	case o.unpaid(r.State):
		if provider.OrderOverdue(o.ExpiresAt, r.Now) && provider.Steady(o.QuietSince, r.Now) {
			o.end(Failed, detailUnpaid, true)
		}
	case provider.Quiet(o.QuietSince, r.Now):
		o.end(Failed, detailGivenUp, true)
		o.Alarm = detailGivenUp
	}
}

// unpaid reports whether no report has shown a deposit.
func (o *Outcome) unpaid(state provider.State) bool {
	none := state == provider.Waiting || state == provider.Expired
	return none && (o.Status.step() == 0 || o.Detail == detailUnpaid)
}

// objection returns the problem in a report that needs a person; empty for
// none.
func (o *Outcome) objection(r Report) string {
	switch {
	case r.State == provider.Unknown:
		return fmt.Sprintf("the provider says %q, which is not understood", r.Word)
	case r.State == provider.Halted:
		return "the provider holds the swap"
	case r.DepositAddress != "" && r.DepositAddress != o.DepositAddress:
		return "the provider names another deposit address than at creation"
	case o.Detail == detailLost:
		return detailLost
	case o.Status == Failed && r.Funded:
		return fmt.Sprintf("the deposit was paid, and the provider says %q", r.Word)
	case o.Status == Finished && o.short(r):
		return o.Detail
	}
	return ""
}

// leastOfFunded is the share of the promised amount that a deposit of ours must
// bring. Our deposit is within a percent of the ordered amount and never exact,
// because the chain's fee is taken from it.
func leastOfFunded() money.Decimal { return money.MustDecimal("0.98") }

// short reports whether the provider paid less than promised. If the provider
// reports another deposit than was ordered, it may pay another amount, except
// that a deposit of ours must bring leastOfFunded.
func (o *Outcome) short(r Report) bool {
	if o.AmountTo.Sign() <= 0 {
		return false
	}
	if r.Funded && o.AmountTo.Cmp(o.Expected.Mul(leastOfFunded())) < 0 {
		return true
	}
	return o.AmountTo.Cmp(o.Expected) < 0 && !otherThan(r.AmountFrom, o.AmountFrom)
}
