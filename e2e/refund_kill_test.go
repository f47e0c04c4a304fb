package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// refundOf is a refund that is claimed in parts by one buyer.
type refundOf struct {
	*shop

	buyer  fixture.Account
	refund clients.Refund
	token  string
}

// refundBy makes a refund of a charge, and its buyer.
func (s *shop) refundBy(t *testing.T, c clients.Charge, amount string) *refundOf {
	t.Helper()
	buyer, err := s.testbed.Customer.NewAccount(within(t))
	require.NoError(t, err)
	made, err := s.CreateRefund(within(t), c.ID, amount)
	require.NoError(t, err)
	return &refundOf{s, buyer, made, made.Link[strings.LastIndex(made.Link, "/")+1:]}
}

func (r *refundOf) claim(ctx context.Context, amount string) (string, error) {
	return r.ClaimRefund(ctx, r.refund.ID, r.token, r.buyer.Address, xmr(amount))
}

// claimed is claim, repeated while the service answers that it may work later: claiming the same
// again is the same claim.
func (r *refundOf) claimed(t *testing.T, amount string) string {
	t.Helper()
	return asked(t, "the claim is taken", func(ctx context.Context) (string, error) { return r.claim(ctx, amount) })
}

// approve has the claims paid that wait for it.
func (r *refundOf) approve(t *testing.T) {
	t.Helper()
	eventually(t, "the claims are approved", func(ctx context.Context) error {
		_, err := r.ApproveRefund(ctx, r.refund.ID)
		return err
	})
}

// awaitClaims waits until so many claims are completed.
func (r *refundOf) awaitClaims(t *testing.T, completed int) {
	t.Helper()
	r.grow(t, 12, "the claim is paid", func(ctx context.Context) error {
		now, err := r.Refund(ctx, r.refund.ID)
		if err != nil {
			return err
		}
		r.refund = now
		done := 0
		for _, c := range now.Claims {
			if c.Status == "completed" {
				done++
			}
		}
		if done < completed {
			return fmt.Errorf("%d of %d: %+v", done, completed, now.Claims)
		}
		return nil
	})
}

// TestKillOfWorkerThatRefunds kills the worker before a claim is written, between its
// reservation and its build, between build and relay, and between relay and record: each
// claim is one, and is paid once.
func TestKillOfWorkerThatRefunds(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	charges := s.payable(t, "0.2", "0.2", "0.2")
	r := s.refundBy(t, charges[0], "0.15")

	require.NoError(t, w.Stack.Kill("worker"))
	_, err := r.claim(within(t), "0.05")
	require.Error(t, err, "nobody is there to take it")
	s.restart(t, "worker")
	first := r.claimed(t, "0.05")
	require.Equal(t, first, r.claimed(t, "0.05"))

	require.NoError(t, w.Stack.Pause("wallet-spend"))
	r.approve(t)
	eventually(t, "the claim is reserved", func(ctx context.Context) error {
		list, err := s.Payouts(ctx)
		if err == nil && (len(list) == 0 || list[0].Status != "building") {
			err = errors.New("not yet")
		}
		return err
	})
	require.NoError(t, w.Stack.Kill("worker"))
	require.NoError(t, w.Stack.Resume("wallet-spend"))
	s.restart(t, "worker")
	r.awaitClaims(t, 1)

	r.claimed(t, "0.04")
	before := w.daemon.holdBefore(relayPath)
	r.approve(t)
	wait(t, before.reached)
	require.NoError(t, w.Stack.Kill("worker"))
	before.releaseAfterCallers(t)
	built := s.newestPayout(t)
	require.Equal(t, "building", built.Status)
	s.requireState(t, built, monero.Missed)
	s.restart(t, "worker")
	r.awaitClaims(t, 2)

	r.claimed(t, "0.06")
	after := w.daemon.holdAfter(relayPath)
	r.approve(t)
	wait(t, after.reached)
	require.NoError(t, w.Stack.Kill("worker"))
	close(after.release)
	relayed := s.newestPayout(t)
	require.Equal(t, "building", relayed.Status)
	s.requireState(t, relayed, monero.InPool)
	s.restart(t, "worker")
	r.awaitClaims(t, 3)

	require.Equal(t, "completed", r.refund.Status)
	require.Equal(t, []string{*built.TxHash, *relayed.TxHash}, []string{*r.refund.Claims[1].TxHash, *r.refund.Claims[2].TxHash}, "what was built is what was sent")
	list, err := s.Payouts(within(t))
	require.NoError(t, err)
	require.Len(t, list, 3)
	fifth := money.OneXMR / 5
	s.checkRefund(t, r.refund, r.buyer, fifth, fifth, fifth)
	for _, c := range r.refund.Claims {
		for _, event := range []string{"refund.claimed", "refund.sent", "refund.confirmed"} {
			s.await(t, event, c.ID)
		}
	}
}

// TestReorgOfARefund takes the block of a refund's transaction back after it was confirmed: it
// is mined again, once, and the buyer has it once.
func TestReorgOfARefund(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	charges := s.payable(t, "0.2")
	r := s.refundBy(t, charges[0], "0.05")
	r.claimed(t, "0.05")
	r.approve(t)
	r.awaitClaims(t, 1)
	paid := r.refund
	hash := *paid.Claims[0].TxHash
	found, err := w.Chain.Where(within(t), hash)
	require.NoError(t, err)
	top, err := w.Chain.Height(within(t))
	require.NoError(t, err)
	require.NoError(t, w.Stack.Pause("worker")) // it must not send it again while the chain is being rewritten
	s.reorg(t, int(top-found.Height), hash)
	require.NoError(t, w.Stack.Resume("worker"))
	eventually(t, "the refund is sent again", func(ctx context.Context) error {
		again, err := w.Chain.Where(ctx, hash)
		if err == nil && again.State == monero.Missed {
			err = errors.New("the daemon does not know it")
		}
		return err
	})
	now, err := s.Refund(within(t), paid.ID)
	require.NoError(t, err)
	require.Equal(t, "in_progress", now.Status)
	r.awaitClaims(t, 1)
	require.Equal(t, hash, *r.refund.Claims[0].TxHash)
	s.checkRefund(t, r.refund, r.buyer, money.OneXMR/5)
}

// newestPayout is the payout that was reserved last.
func (s *shop) newestPayout(t *testing.T) clients.Payout {
	t.Helper()
	list, err := s.Payouts(within(t))
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list[0]
}
