package trade

import (
	"slices"
	"time"
)

// ConfirmBy returns the time before which a deposit that was seen in time must
// be in a block.
func (t *Trade) ConfirmBy() time.Time { return t.ExpiresAt.Add(t.Grace) }

// SpendableBy returns the time before which a deposit that was mined in time
// must be as deep as required, and spendable.
func (t *Trade) SpendableBy() time.Time { return t.ConfirmBy().Add(t.Grace) }

// RecheckAt returns when time alone changes the trade; zero when it never does.
func (t *Trade) RecheckAt() time.Time {
	switch t.Status {
	case AwaitingDeposit:
		return t.ExpiresAt
	case DepositDetected:
		return t.ConfirmBy()
	case Confirming:
		return t.SpendableBy()
	default:
		return time.Time{}
	}
}

// abandonOverdue abandons deposits that were seen in time but were not in a
// block, or not spendable, for longer than the rate is locked. Otherwise a
// payer could send money that can be replaced, or that is locked, and wait for
// a better price, while the trade holds inventory. It skips a deposit that
// already has a payment, because that payment settles it.
func (a *advance) abandonOverdue() {
	if a.Trade.Counted != 0 || a.Trade.Status.Ended() {
		return
	}
	deposits := slices.Clone(a.facts.Deposits)
	for i, d := range deposits {
		if _, answered := a.paymentOf(d.ID); answered {
			continue
		}
		if !d.Missing && !d.Abandoned && d.FirstSeenAt.Before(a.Trade.ExpiresAt) && a.overdue(d) {
			deposits[i].Abandoned = true
			a.Abandoned = append(a.Abandoned, d.ID)
		}
	}
	a.facts.Deposits = deposits
}

func (a *advance) overdue(d Deposit) bool {
	if !a.minedInTime(d) {
		return !a.facts.Now.Before(a.Trade.ConfirmBy())
	}
	return !a.deep(d) && !d.Unscreened && !a.facts.Now.Before(a.Trade.SpendableBy())
}

func (a *advance) minedInTime(d Deposit) bool {
	return !d.MinedAt.IsZero() && d.MinedAt.Before(a.Trade.ConfirmBy())
}
