package main

import (
	"context"
	"strings"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// givenBack is a refund that the service said it made.
type givenBack struct {
	id string
	// payee is the buyer's address for this refund alone.
	payee fixture.Payee
}

const (
	// leastRefund and mostRefund come between two refunds of a merchant: each is a payout,
	// and lists show a hundred.
	leastRefund = 25 * time.Second
	mostRefund  = 65 * time.Second
	// cancelledShare of the refunds are cancelled soon after the claim.
	cancelledShare = 0.4
	// mostBeforeCancel is the longest time from the claim to that.
	mostBeforeCancel = 6 * time.Second
	// approvedUpTo lets all refunds be paid without an approval.
	approvedUpTo = 100 * money.OneXMR
)

// refund gives half of one charge after the other back. The buyer claims it at once. A
// merchant who refunds does not sweep: refunds are paid out of the balance.
func (s *shop) refund(ctx context.Context, d dice, until time.Time) {
	for time.Now().Before(until) {
		cancelled, soon := d.Float64() < cancelledShare, d.between(0, mostBeforeCancel)
		fixture.Do(fixture.Pause(ctx, d.between(leastRefund, mostRefund)))
		made, err := s.refundOne(ctx)
		if err != nil || made == nil || !cancelled {
			continue // nothing was promised, or it is not cancelled
		}
		fixture.Do(fixture.Pause(ctx, soon))
		answer, cancel := context.WithTimeout(ctx, oneAnswer)
		_, _ = s.CancelRefund(answer, made.id) // cancelled or not: the books tell
		cancel()
	}
}

// refundOne refunds the oldest charge that was paid, or none while it is not confirmed.
func (s *shop) refundOne(ctx context.Context) (*givenBack, error) {
	ctx, cancel := context.WithTimeout(ctx, oneAnswer)
	defer cancel()
	s.mu.Lock()
	sold := s.sold
	s.mu.Unlock()
	if len(sold) <= s.refunded {
		return nil, nil //nolint:nilnil // nothing was sold
	}
	charge, err := s.Charge(ctx, sold[s.refunded].ID)
	if err != nil || charge.Status != "confirmed" {
		return nil, err
	}
	payee, err := s.testbed.NewPayee(ctx, fixture.Monero)
	if err != nil {
		return nil, err
	}
	made, err := s.CreateRefund(ctx, charge.ID, (charge.AmountXMR / 2).Decimal().String())
	if err != nil {
		return nil, err
	}
	s.refunded++
	back := &givenBack{made.ID, payee}
	s.mu.Lock()
	s.back = append(s.back, back)
	s.mu.Unlock()
	return back, s.claim(ctx, made, payee)
}

// claim claims all of a refund, again while there is no answer: the same claim is one.
func (s *shop) claim(ctx context.Context, r clients.Refund, to fixture.Payee) error {
	token := r.Link[strings.LastIndex(r.Link, "/")+1:]
	for {
		_, err := s.ClaimRefund(ctx, r.ID, token, to.Address, r.AmountXMR)
		if err == nil || clients.Status(err)/100 == 4 || ctx.Err() != nil {
			return err
		}
		if err := fixture.Pause(ctx, time.Second); err != nil {
			return err
		}
	}
}
