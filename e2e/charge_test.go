package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

func TestFromChargeToPayout(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	c := s.create(t, func() clients.NewCharge {
		return clients.NewCharge{
			Amount: money.MustDecimal("12.34"), Currency: "USD",
			Metadata: json.RawMessage(`{"order_id":"A-1","big":12345678901234567890.10}`),
		}
	})
	// 12.34 / 150, rounded up to a whole piconero.
	require.Equal(t, "0.082266666667", c.AmountXMR.String())
	require.JSONEq(t, `{"order_id":"A-1","big":12345678901234567890.10}`, string(c.Metadata))
	require.Contains(t, c.PaymentURI, c.Subaddress)
	s.await(t, "charge.created", c.ID)

	sent := s.pay(t, c)
	seen := s.await(t, "charge.pending", c.ID)
	require.Equal(t, "pending", seen.Status)
	require.Equal(t, "paid", seen.PaymentState)
	require.Equal(t, sent.Hash, seen.Payments[0].TxHash)

	done := s.mineUntil(t, "charge.confirmed", c.ID)
	require.Equal(t, "confirmed", done.Status)
	require.NotNil(t, done.ConfirmedAt)
	require.Zero(t, done.AmountDueXMR)

	s.unlock(t)
	balance, err := s.Balance(within(t))
	require.NoError(t, err)
	require.Equal(t, 1, balance.UnpaidCharges)
	require.Equal(t, c.AmountXMR, balance.TotalXMR)
	require.True(t, balance.HasPayoutAddress)

	p := s.payOut(t)
	require.Equal(t, 1, p.ChargesPaid)
	gross, err := money.Sum(p.AmountXMR, p.FeeXMR, p.NetworkFeeXMR)
	require.NoError(t, err)
	require.Equal(t, c.AmountXMR, gross)
	answered, err := json.Marshal(p)
	require.NoError(t, err)
	notified := s.awaitRequest(t, fixture.EventOf("payout.sent", p.PayoutID))
	for _, field := range []string{"payout_id", "amount_xmr", "fee_xmr", "network_fee_xmr", "tx_hash"} {
		require.Equal(t, fieldOf(t, answered, field), fieldOf(t, notified.Event.Data, field), field)
	}
	require.Equal(t, `"`+p.PayoutID+`"`, fieldOf(t, notified.Event.Data, "id"))
	require.Equal(t, "1", fieldOf(t, notified.Event.Data, "charge_count"))
	rings, err := s.testbed.Chain.RingSizes(within(t), *p.TxHash)
	require.NoError(t, err)
	require.NotEmpty(t, rings)
	for _, size := range rings {
		require.Equal(t, 16, size)
	}
	paid, err := s.Charge(within(t), c.ID)
	require.NoError(t, err)
	require.Equal(t, p.PayoutID, *paid.PayoutID)
	s.awaitConfirmedPayout(t, p.PayoutID)
}

func fieldOf(t *testing.T, object json.RawMessage, name string) string {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(object, &fields))
	require.Contains(t, fields, name)
	return string(fields[name])
}

// awaitConfirmedPayout mines until the payout is deep enough.
func (s *shop) awaitConfirmedPayout(t *testing.T, id string) {
	t.Helper()
	s.grow(t, 11, "the payout is confirmed", func(ctx context.Context) error {
		p, err := s.payout(ctx, id)
		if err == nil && p.Status != "confirmed" {
			err = fmt.Errorf("it is %s", p.Status)
		}
		return err
	})
}

func (s *shop) payout(ctx context.Context, id string) (clients.Payout, error) {
	list, err := s.Payouts(ctx)
	if err != nil {
		return clients.Payout{}, err
	}
	for _, p := range list {
		if p.PayoutID == id {
			return p, nil
		}
	}
	return clients.Payout{}, fmt.Errorf("%s is not listed", id)
}

func TestPaymentInTwoParts(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	c := s.charge(t, "0.3")
	s.payPart(t, c, "0.1", 1)
	seen := s.await(t, "charge.pending", c.ID)
	require.Equal(t, "partial", seen.PaymentState)
	require.Equal(t, xmr("0.2"), seen.AmountDueXMR)
	s.mine(t, 4)
	eventually(t, "the first part is deep and not enough", func(ctx context.Context) error {
		now, err := s.Charge(ctx, c.ID)
		if err != nil {
			return err
		}
		require.Equal(t, "pending", now.Status)
		if now.Confirmations < now.ConfirmationsRequired {
			err = fmt.Errorf("%d confirmations", now.Confirmations)
		}
		return err
	})
	s.payPart(t, c, "0.2", 2)
	done := s.mineUntil(t, "charge.confirmed", c.ID)
	require.Len(t, done.Payments, 2)
	require.Equal(t, "paid", done.PaymentState)
	s.unlock(t)
	require.Equal(t, 1, s.payOut(t).ChargesPaid)
}

func TestOverpaymentIsPaidOut(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	c := s.charge(t, "0.1")
	s.payPart(t, c, "0.25", 1)
	done := s.mineUntil(t, "charge.confirmed", c.ID)
	require.Equal(t, "overpaid", done.PaymentState)
	require.Zero(t, done.AmountDueXMR)
	s.unlock(t)
	require.Greater(t, s.payOut(t).AmountXMR, xmr("0.24"), "the merchant gets all of it")
}

// TestMoneyThatItsPayerLocked counts only once it can be spent, however deep
// it lies.
func TestMoneyThatItsPayerLocked(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	c := s.charge(t, "0.2")
	height, err := s.testbed.Chain.Height(within(t))
	require.NoError(t, err)
	sent, err := s.testbed.Customer.PayLocked(within(t), height+12, fixture.Output{Address: c.Subaddress, Amount: c.AmountXMR})
	require.NoError(t, err)
	s.testbed.awaitPassedOn(t, sent.Hash)
	s.sent[c.ID] += c.AmountXMR
	s.mine(t, 6)
	eventually(t, "the payment is deep", func(ctx context.Context) error {
		now, err := s.Charge(ctx, c.ID)
		if err != nil {
			return err
		}
		require.Equal(t, "pending", now.Status)
		if now.Confirmations < now.ConfirmationsRequired {
			err = fmt.Errorf("%d confirmations", now.Confirmations)
		}
		return err
	})
	s.mine(t, 8)
	s.await(t, "charge.confirmed", c.ID)
}

func TestSandboxIsApartFromLive(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	sandbox := s.ledger(s.Account.APIKeys.Sandbox)
	const path = "/sandbox"
	var err error
	s.sandboxHook, err = s.Subscribe(within(t), clients.NewWebhook{URL: s.Hooks.URL(path), Events: clients.AllEvents(), Mode: "sandbox"})
	require.NoError(t, err)
	live := s.charge(t, "0.1")
	inSandbox, account := *s, *s.Shop
	account.Merchant, inSandbox.Shop = sandbox.Merchant, &account
	test := inSandbox.charge(t, "0.1")
	require.True(t, test.Sandbox)
	require.False(t, live.Sandbox)

	_, err = s.Charge(within(t), test.ID)
	require.Equal(t, 404, clients.Status(err))
	_, err = sandbox.Charge(within(t), live.ID)
	require.Equal(t, 404, clients.Status(err))

	require.NoError(t, sandbox.PaySimulated(within(t), test.ID, test.ConfirmationsRequired))
	s.sent[test.ID] = test.AmountXMR
	notified := s.awaitRequest(t, fixture.AllOf(fixture.ArrivedAt(path), fixture.EventOf("charge.confirmed", test.ID)))
	require.True(t, notified.Signed(s.sandboxHook.Secret), "with a secret of its own")
	require.Empty(t, s.requestsAbout(eventsPath, test.ID), "live receivers hear nothing of it")
	balance, err := s.Balance(within(t))
	require.NoError(t, err)
	require.Zero(t, balance.UnpaidCharges)
	s.requireNoSweep(t, "sandbox money is not paid out")
}

func TestLinkOfACharge(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	c := s.charge(t, "0.1")
	off, err := s.ToggleLink(within(t), c.ID)
	require.NoError(t, err)
	require.False(t, off.Active)
	require.Equal(t, "inactive", off.LinkState)
	_, err = s.PublicCharge(within(t), c.ID)
	require.Equal(t, 410, clients.Status(err))
	on, err := s.ToggleLink(within(t), c.ID)
	require.NoError(t, err)
	require.Equal(t, "active", on.LinkState)
	_, err = s.PublicCharge(within(t), c.ID)
	require.NoError(t, err)

	// A moment that has passed when the charge is made is refused.
	eventually(t, "a charge whose link expires soon is made", func(ctx context.Context) (err error) {
		soon := time.Now().Add(20 * time.Second)
		c, err = s.CreateCharge(ctx, clients.NewCharge{Amount: money.MustDecimal("0.1"), Currency: "XMR", ExpiresAt: &soon})
		return err
	})
	eventually(t, "the link expires", func(ctx context.Context) error {
		if _, err := s.PublicCharge(ctx, c.ID); clients.Status(err) != 410 {
			return fmt.Errorf("the link answers status %d", clients.Status(err))
		}
		return nil
	})
	s.pay(t, c)
	s.await(t, "charge.pending", c.ID)
	seen, err := s.PublicCharge(within(t), c.ID)
	require.NoError(t, err, "the page goes on once a payment is seen")
	require.Equal(t, "paid", seen.PaymentState)
	s.mineUntil(t, "charge.confirmed", c.ID)
}
