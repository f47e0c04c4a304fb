package swap

import (
	"fmt"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/providerorder"
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

// Report is what a provider says of a swap.
type Report struct {
	provider.Swap

	// Funded says that the deposit was paid by this service, so that a swap
	// without one is a loss.
	Funded bool
	Now    time.Time
}

// Outcome is what follows from a report.
type Outcome struct {
	Swap

	// Alarm tells operators what a person must look at; empty when there is
	// nothing.
	Alarm string
}

// Advance says where a swap stands after a report. A closed swap stays what it
// is whatever is said of it. What is not understood changes nothing but tells
// operators. Run again with the same report it changes nothing.
func Advance(s Swap, r Report) Outcome {
	if s.Closed {
		return Outcome{Swap: s}
	}
	o := Outcome{Swap: s}
	if providerorder.Silent(s.HeardAt, r.Now) {
		o.QuietSince = r.Now
	}
	o.HeardAt, o.Word = r.Now, r.Word
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

// Silent says what operators are told while a provider does not answer; empty
// as long as that is nothing unusual.
func Silent(s Swap, now time.Time) string {
	if s.Closed || !providerorder.Silent(s.HeardAt, now) {
		return ""
	}
	return "the provider does not answer"
}

// follow takes the status on.
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
		o.goOn(r.State)
	}
}

// end shows an end; closed says that it is the provider's last word.
func (o *Outcome) end(s Status, detail string, closed bool) {
	o.Status, o.Detail, o.Closed = s, detail, closed
}

// expire ends a swap that has no deposit, as far as the provider knows.
func (o *Outcome) expire() {
	switch {
	case o.Status == Failed:
	case o.Status.step() > 0:
		o.end(Failed, detailLost, false)
	default:
		o.end(Failed, detailUnpaid, false)
	}
}

// goOn takes a status on within the way. Once a deposit is being swapped, what
// says that it is not yet there is an old answer. A swap that was shown as
// failed does not come back to life before it has another end.
func (o *Outcome) goOn(state provider.State) {
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

// takeFacts keeps what is known of the transactions and of what is paid. A
// fact is replaced by a later one, and never by none.
func (o *Outcome) takeFacts(r Report) {
	txs := providerorder.Transactions{Deposit: o.DepositTx, Payout: o.PayoutTx, Refund: o.RefundTx}.After(r.Swap)
	o.DepositTx, o.PayoutTx, o.RefundTx = txs.Deposit, txs.Payout, txs.Refund
	pays := r.State == provider.Sending || r.State == provider.Finished
	if pays && r.AmountTo.Sign() > 0 {
		o.AmountTo = r.AmountTo
	}
	if o.Detail == "" && (o.Status.step() > 0 || r.State == provider.Finished) {
		o.Detail = o.remark(r)
	}
}

// remark tells the merchant of amounts that are not those of the order.
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

// otherThan says whether an amount is told and differs.
func otherThan(told, agreed money.Decimal) bool { return told.Sign() > 0 && told.Cmp(agreed) != 0 }

// giveUp ends what the provider never ends.
func (o *Outcome) giveUp(r Report) {
	switch {
	case o.Closed:
	case o.unpaid(r.State):
		if providerorder.Overdue(o.ExpiresAt, r.Now) && providerorder.Steady(o.QuietSince, r.Now) {
			o.end(Failed, detailUnpaid, true)
		}
	case providerorder.Quiet(o.QuietSince, r.Now):
		o.end(Failed, detailGivenUp, true)
		o.Alarm = detailGivenUp
	}
}

// unpaid says whether there is no deposit, as far as anybody knows.
func (o *Outcome) unpaid(state provider.State) bool {
	none := state == provider.Waiting || state == provider.Expired
	return none && (o.Status.step() == 0 || o.Detail == detailUnpaid)
}

// objection is what about a report a person must look at.
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

// leastOfFunded is the share of what was promised that a deposit of ours must
// bring: it is within a percent of what was ordered for, and never exact, since
// the chain's fee is taken from it.
func leastOfFunded() money.Decimal { return money.MustDecimal("0.98") }

// short says whether less was paid than promised. What a deposit of somebody
// else was is as the provider says; one of ours is known.
func (o *Outcome) short(r Report) bool {
	if o.AmountTo.Sign() <= 0 {
		return false
	}
	if r.Funded && o.AmountTo.Cmp(o.Expected.Mul(leastOfFunded())) < 0 {
		return true
	}
	return o.AmountTo.Cmp(o.Expected) < 0 && !otherThan(r.AmountFrom, o.AmountFrom)
}
