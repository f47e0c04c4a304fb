package chain_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
)

// scenarioPrefer sends a deposit back from its own coins: no other coin is locked
// or spent. If they are gone, the wallet uses other coins.
func scenarioPrefer(t *testing.T, b *bench) {
	address := b.address(t)
	small := b.pay(t, address, b.unit()/4)
	b.mine(t, 1)
	other := b.pay(t, address, b.unit()/2) // on the same address, must stay unspent
	before := b.unlocked(t)
	pay := chain.Payment{To: b.customerAddress(t), Amount: b.unit() / 4, SubtractFee: true, Prefer: []string{small.hash}}
	built := b.build(t, pay)
	require.Len(t, built.Inputs, 1)
	require.Equal(t, pay.Amount, built.Amount+built.Fee)
	require.Equal(t, []uint64{built.Amount}, built.Paid)
	require.Equal(t, before.Unlocked-pay.Amount, b.balance(t, built.Inputs...).Unlocked, "no other coin is promised, or hidden")
	b.relay(t, built)
	b.confirm(t, built)
	after := b.balance(t)
	require.Equal(t, before.Total-pay.Amount, after.Total, "there was no change")
	require.Equal(t, after.Total, after.Unlocked)
	require.Equal(t, built.Amount, b.received(t, built.TxHash, pay.To))

	again := b.build(t, pay) // its own coins are spent
	require.NotEqual(t, built.Inputs, again.Inputs)
	require.NoError(t, b.release(t, again))
	both := pay
	both.Amount, both.Prefer = b.unit()/2, []string{small.hash, other.hash}
	built = b.build(t, both)
	require.Len(t, built.Inputs, 1)
	require.Equal(t, after.Unlocked-both.Amount, b.balance(t, built.Inputs...).Unlocked)
	require.NoError(t, b.release(t, built))
}

// scenarioMany pays several addresses at once, and subtracts the fee in equal
// parts.
func scenarioMany(t *testing.T, b *bench) {
	var pay chain.Payment
	for i := range 3 {
		d := chain.Destination{Address: b.customerAddress(t), Amount: b.unit() / uint64(10+i)}
		if i == 0 {
			pay.To, pay.Amount = d.Address, d.Amount
		} else {
			pay.More = append(pay.More, d)
		}
	}
	pay.SubtractFee = true
	total, _ := pay.Total()
	built := b.build(t, pay)
	require.Equal(t, total, built.Amount+built.Fee)
	want, ok := pay.Less(built.Fee)
	require.True(t, ok)
	require.Equal(t, want, built.Paid)
	b.relay(t, built)
	b.confirm(t, built)
	for i, d := range pay.Destinations() {
		require.Equal(t, built.Paid[i], b.received(t, built.TxHash, d.Address))
	}
	b.ripen(t)
	pay.SubtractFee = false
	exact := b.build(t, pay)
	require.Equal(t, total, exact.Amount)
	require.NoError(t, b.release(t, exact))
	eaten := pay
	eaten.More = append(slices.Clone(pay.More), chain.Destination{Address: b.customerAddress(t), Amount: 1})
	eaten.SubtractFee = true
	require.ErrorIs(t, b.try(t, eaten), chain.ErrTooSmall)
	crowd := chain.Payment{To: pay.To, Amount: b.unit()}
	for range b.wallet.MaxPayees() {
		crowd.More = append(crowd.More, pay.More[0])
	}
	require.Error(t, b.try(t, crowd))
}

// scenarioConsolidate turns hundreds of small coins into few. They block no payment
// before, no money is lost, and the consolidation is not reported as a deposit.
func scenarioConsolidate(t *testing.T, b *bench) {
	const coins = 300
	b.pay(t, b.address(t), 20*b.unit())
	b.ripen(t)
	large := chain.Payment{To: b.address(t), Amount: 2 * b.unit()} // allows many payments before one must wait for its change
	for range 8 {
		large.More = append(large.More, chain.Destination{Address: b.address(t), Amount: 2 * b.unit()})
	}
	b.relay(t, b.build(t, large))
	b.ripen(t)
	cursor := b.now(t)
	for made, waits := 0, 5; made < coins; {
		pay := chain.Payment{To: b.address(t), Amount: b.unit() / 20}
		for range min(b.wallet.MaxPayees(), coins-made) - 1 {
			pay.More = append(pay.More, chain.Destination{Address: b.address(t), Amount: b.unit() / 20})
		}
		built, err := answered(t, func(ctx context.Context) (chain.Built, error) { return b.wallet.Build(ctx, pay) })
		if (errors.Is(err, chain.ErrLocked) || errors.Is(err, chain.ErrNotEnough)) && waits > 0 { // all change is in the pool
			b.ripen(t)
			waits--
			continue
		}
		require.NoError(t, err)
		b.relay(t, built)
		made += 1 + len(pay.More)
	}
	b.ripen(t)
	payment := b.build(t, chain.Payment{To: b.customerAddress(t), Amount: b.unit() / 2})
	require.Less(t, len(payment.Inputs), 5, "small coins are not in the way")
	consolidate := func(keep int) (chain.Built, error) {
		return answered(t, func(ctx context.Context) (chain.Built, error) { return b.wallet.Consolidate(ctx, payment.Inputs, keep) })
	}
	_, err := consolidate(10_000)
	require.ErrorIs(t, err, chain.ErrNothing)
	var hashes []string
	before := b.balance(t)
	joined := 0
	for {
		built, err := consolidate(50)
		if errors.Is(err, chain.ErrNothing) {
			break
		}
		require.NoError(t, err)
		joined += len(built.Inputs)
		require.NotContains(t, built.Inputs, payment.Inputs[0], "what is promised stays")
		again, err := consolidate(50)
		require.NoError(t, err, "it died before it was stored: nothing is lost")
		require.ElementsMatch(t, built.Inputs, again.Inputs)
		b.relay(t, again)
		b.confirm(t, again)
		b.ripen(t)
		now := b.balance(t)
		require.Equal(t, before.Total-again.Fee, now.Total)
		before, hashes = now, append(hashes, again.TxHash)
	}
	require.Greater(t, joined, 150)
	require.LessOrEqual(t, len(hashes), 4)
	require.NoError(t, b.release(t, payment))
	b.now(t)
	for _, d := range b.changes(t, cursor) {
		require.NotContains(t, hashes, d.TxHash)
	}
	balance := b.balance(t)
	require.Equal(t, balance.Total, balance.Unlocked, "nothing stays hidden")
}

// unlocked mines until the wallet can spend its whole balance, and returns the
// balance. Mining rewards are locked for longer than a payment.
func (b *bench) unlocked(t *testing.T) chain.Balance {
	t.Helper()
	for begun := time.Now(); ; {
		b.ripen(t)
		if has := b.balance(t); has.Total == has.Unlocked {
			return has
		}
		require.Less(t, time.Since(begun), maxWait, "something stays locked")
	}
}

// ripen mines only as many blocks as received money needs until it can be spent,
// because litecoind's private chain is short.
func (b *bench) ripen(t *testing.T) {
	t.Helper()
	if b.showsOrigins() {
		b.mine(t, 3)
	} else {
		b.mine(t, 12)
	}
}
