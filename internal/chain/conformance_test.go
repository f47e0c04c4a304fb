package chain_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/watch"
)

// TestConformance runs the same scenarios on each chain, one after the other, because it
// takes long to make a chain. No scenario depends on another, and the one after a
// failure gets a new chain. Among the scenarios that pay, many small coins come last,
// because they do not fit into the one transaction that makes large change.
func TestConformance(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) *bench{"Monero": startMonero, "Litecoin": startLitecoin} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bench
			for _, scenario := range []struct {
				name string
				run  func(*testing.T, *bench)
			}{
				{"a deposit from the pool to the chain", scenarioDeposit},
				{"a block between any two questions", scenarioBetween},
				{"addresses outlive a crash", scenarioAddresses},
				{"a reorganization", scenarioReorganization},
				{"a double spend", scenarioDoubleSpend},
				{"back in the pool, which was not emptied", scenarioBackInPool},
				{"sent again with the same bytes", scenarioSentAgain},
				{"a payment whose deposit is taken back", scenarioLostSource},
				{"a chain that is read in pages", scenarioPages},
				{"the fee was raised", scenarioRaisedFee},
				{"locked for long", scenarioLocked},
				{"a payment outlives a crash at every step", scenarioPayment},
				{"the fee is taken off", scenarioSubtractFee},
				{"a second payment avoids the first one's coins", scenarioTwoBuilds},
				{"giving a payment up", scenarioRelease},
				{"what cannot be built", scenarioImpossible},
				{"a payment against the coins of another", scenarioRivals},
				{"large change comes back in parts", scenarioChange},
				{"a payment that prefers its own coins", scenarioPrefer},
				{"a payment to many", scenarioMany},
				{"many small coins become one", scenarioConsolidate},
				{"many that wait for a block", scenarioWaiting},
				{"a chain that got shorter", scenarioShorter},
				{"nothing stale while the daemon is down", scenarioDown},
			} {
				if b == nil {
					b = start(t)
				}
				if !t.Run(scenario.name, func(t *testing.T) { scenario.run(t, b) }) {
					b = nil
				}
			}
		})
	}
}

// scenarioBetween lets a block take deposit and payment from the pool during a scan. The
// scan must report neither as missing or unknown.
func scenarioBetween(t *testing.T, b *bench) {
	ctx := t.Context()
	address := b.address(t)
	var cursor int
	b.between(t, func() {
		before := b.now(t)
		tx := b.pay(t, address, b.unit())
		_, cursor = b.await(t, before, "in the pool", inPool(tx.hash))
	}, func(w chain.Wallet) error {
		b.follower.Wallet = w
		defer func() { b.follower.Wallet = b.wallet }()
		err := b.follower.scan(ctx)
		for _, d := range b.follower.states[cursor:] {
			if d.Missing {
				err = fmt.Errorf("%s is told gone", d.TxHash)
			}
		}
		if errors.Is(err, chain.ErrLagging) || errors.Is(err, chain.ErrUnavailable) || errors.Is(err, watch.ErrSuperseded) {
			return nil // the follower scans again
		}
		return err
	})
	var built chain.Built
	b.between(t, func() {
		built = b.build(t, chain.Payment{To: b.customerAddress(t), Amount: b.unit()})
		b.relay(t, built)
	}, func(w chain.Wallet) error {
		found, err := w.Find(ctx, built)
		if err == nil && found.State == chain.Unknown {
			err = fmt.Errorf("%s is unknown", built.TxHash)
		}
		return err
	})
	b.mine(t, 12)
}

func scenarioDeposit(t *testing.T, b *bench) {
	before := b.now(t)
	address := b.address(t)
	tx := b.pay(t, address, 3*b.unit())
	d, next := b.await(t, before, "in the pool", inPool(tx.hash))
	require.Equal(t, address, d.Address)
	require.Equal(t, 3*b.unit(), d.Amount)
	require.Zero(t, d.Confirmations)
	require.WithinDuration(t, time.Now(), d.Seen, time.Hour)
	origins, err := b.wallet.Origins(t.Context(), chain.Received{TxHash: tx.hash})
	require.NoError(t, err)
	require.Equal(t, b.showsOrigins(), len(origins) > 0)
	require.NotContains(t, origins, address)
	require.Empty(t, b.changes(t, next), "nothing is told twice")

	b.mine(t, 1)
	d, next = b.await(t, next, "in a block", mined(tx.hash))
	first := d.Height
	b.mine(t, 2)
	d, next = b.await(t, next, "deeper", func(d chain.Deposit) bool { return d.TxHash == tx.hash && d.Confirmations >= 3 })
	require.Equal(t, first, d.Height)
	require.Equal(t, b.tip(t).Height-first+1, d.Confirmations)
	scanned, err := b.deposit(t, tx.hash, address)
	require.NoError(t, err)
	require.WithinDuration(t, d.Seen, scanned.Seen, time.Hour)
	scanned.Seen = d.Seen // seen in the pool, and now in a block with a time of its own
	require.Equal(t, d, scanned)
	_, err = b.deposit(t, tx.hash, b.customerAddress(t))
	require.ErrorIs(t, err, chain.ErrNotFound)

	second := b.pay(t, address, b.unit())
	d, next = b.await(t, next, "a second one to the same address", inPool(second.hash))
	require.Equal(t, address, d.Address)
	b.mine(t, 1) // until it is in a block
	b.mine(t, chain.Depth+2)
	_, next = b.await(t, next, "its last news", func(d chain.Deposit) bool {
		return d.TxHash == second.hash && d.Confirmations > chain.Depth
	})
	b.mine(t, 1)
	require.Empty(t, b.changes(t, next), "so deep nothing is told any more")
	deep, err := b.deposit(t, tx.hash, address)
	require.NoError(t, err)
	require.Equal(t, first, deep.Height)
	require.False(t, deep.Locked)
}

func scenarioAddresses(t *testing.T, b *bench) {
	seen := map[string]bool{}
	for i := range 4 {
		a := b.newAddress(t)
		require.NotEmpty(t, a.Ref)
		require.False(t, seen[a.Text])
		seen[a.Text] = true
		if i == 1 {
			b.crash(t)
		}
	}
	cursor := b.now(t)
	for address := range seen {
		tx := b.pay(t, address, b.unit())
		d, _ := b.await(t, cursor, "to an address from before the crash", inPool(tx.hash))
		require.Equal(t, address, d.Address)
		b.mine(t, 2)
	}
}

func scenarioReorganization(t *testing.T, b *bench) {
	address := b.address(t)
	cursor := b.now(t)
	tx, rival := b.rivals(t, address, b.customerAddress(t), 2*b.unit())
	b.send(t, tx)
	b.mine(t, 1)
	d, cursor := b.await(t, cursor, "in a block", mined(tx.hash))
	depth := int(b.tip(t).Height-d.Height) + 1

	b.pop(t, depth)
	b.replace(t, tx, &rival)
	b.mine(t, depth+1)
	lost, cursor := b.await(t, cursor, "gone", gone(tx.hash))
	require.Equal(t, 2*b.unit(), lost.Amount)
	require.Equal(t, address, lost.Address)
	_, err := b.deposit(t, tx.hash, address)
	require.ErrorIs(t, err, chain.ErrNotFound)
	require.Empty(t, b.changes(t, cursor), "it is gone once")

	length := b.tip(t).Height
	b.pop(t, int(length-d.Height)+1)
	b.replace(t, rival, &tx)
	b.mine(t, int(length-d.Height)+2)
	back, cursor := b.await(t, cursor, "back in a block", mined(tx.hash))
	require.Equal(t, 2*b.unit(), back.Amount)
	require.GreaterOrEqual(t, back.Height, d.Height)

	// Another block that also contains it replaces its block.
	depth = int(b.tip(t).Height-back.Height) + 1
	b.pop(t, depth)
	b.mine(t, depth+2)
	moved, _ := b.await(t, cursor, "moved", mined(tx.hash))
	require.Equal(t, b.tip(t).Height-moved.Height+1, moved.Confirmations)
}

func scenarioDoubleSpend(t *testing.T, b *bench) {
	first, second := b.address(t), b.address(t)
	cursor := b.now(t)
	tx, rival := b.rivals(t, first, second, b.unit())
	b.send(t, tx)
	_, cursor = b.await(t, cursor, "in the pool", inPool(tx.hash))
	b.replace(t, tx, &rival)
	b.mine(t, 1)
	_, afterwards := b.await(t, cursor, "gone", gone(tx.hash))
	if d, err := b.deposit(t, rival.hash, second); err == nil {
		require.Equal(t, second, d.Address)
		return
	}
	d, _ := b.await(t, afterwards, "the other one", mined(rival.hash))
	require.Equal(t, second, d.Address)
}

// scenarioRaisedFee replaces a payment by itself with a higher fee. The first disappears
// and the second counts, whatever the wallet remembers of the first.
func scenarioRaisedFee(t *testing.T, b *bench) {
	address := b.address(t)
	cursor := b.now(t)
	first, second := b.raised(t, address, b.unit())
	known := map[string]chain.Deposit{}
	for begun := time.Now(); known[second.hash].Confirmations < 3; {
		for _, d := range b.changes(t, cursor) {
			known[d.TxHash] = d
		}
		if known[second.hash].TxHash != "" {
			b.mine(t, 1)
		}
		require.Less(t, time.Since(begun), maxWait, "the second is not seen")
	}
	require.False(t, known[second.hash].Contested, "a block has decided")
	require.False(t, known[second.hash].Locked)
	scanned, err := b.deposit(t, second.hash, address)
	require.NoError(t, err)
	require.False(t, scanned.Contested)
	require.Equal(t, b.unit(), scanned.Amount)
	if d, seen := known[first.hash]; seen {
		require.True(t, d.Missing)
	}
	_, err = b.deposit(t, first.hash, address)
	require.ErrorIs(t, err, chain.ErrNotFound)
	for _, d := range b.afresh(t, watch.PageBlocks) {
		require.NotEqual(t, first.hash, d.TxHash, "whoever begins anew sees one payment")
	}
}

// scenarioLocked follows a payment until it can be spent, which takes more blocks than
// usual.
func scenarioLocked(t *testing.T, b *bench) {
	address := b.address(t)
	cursor := b.now(t)
	tx := b.lock(t, address, b.unit())
	d, cursor := b.await(t, cursor, "in a block", mined(tx.hash))
	require.True(t, d.Locked)
	b.mine(t, chain.Depth+5)
	d, cursor = b.await(t, cursor, "deep and locked", func(d chain.Deposit) bool {
		return d.TxHash == tx.hash && d.Confirmations > chain.Depth
	})
	require.True(t, d.Locked)
	require.Contains(t, b.afresh(t, watch.PageBlocks), d, "whoever begins anew sees the same")
	for scans := 0; d.Locked; scans++ {
		require.Less(t, scans, 100)
		b.mine(t, 1)
		d, cursor = b.await(t, cursor, "deeper", func(n chain.Deposit) bool {
			return n.TxHash == tx.hash && (n.Confirmations > d.Confirmations || !n.Locked)
		})
	}
	require.Equal(t, address, d.Address)
	b.mine(t, 1)
	require.Empty(t, b.changes(t, cursor), "nothing is told any more")
}

func scenarioPayment(t *testing.T, b *bench) {
	to := b.customerAddress(t)
	had, cursor := b.balance(t), b.now(t)
	built := b.build(t, chain.Payment{To: to, Amount: 7 * b.unit()})
	require.Equal(t, 7*b.unit(), built.Amount)
	require.Equal(t, chain.Found{}, b.find(t, built), "not relayed, and nobody spends its coins")
	promised := b.balance(t, built.Inputs...)
	require.Less(t, promised.Unlocked, had.Unlocked, "its coins are promised")

	b.crash(t)
	require.Equal(t, promised, b.balance(t, built.Inputs...), "however little the wallet remembers")
	require.Equal(t, chain.Found{}, b.find(t, built))
	b.relay(t, built)
	b.relay(t, built)
	require.Equal(t, chain.InPool, b.find(t, built).State)
	b.crash(t)
	b.relay(t, built)
	found := b.confirm(t, built)
	require.Equal(t, b.tip(t).Height-found.Height+1, found.Confirmations)
	b.relay(t, built)
	require.Equal(t, chain.Mined, b.find(t, built).State)
	for _, d := range b.changes(t, cursor) {
		require.NotEqual(t, built.TxHash, d.TxHash, "change is no deposit")
	}
	require.Equal(t, built.Amount, b.received(t, built.TxHash, to))
	require.ErrorIs(t, b.release(t, built), chain.ErrInUse)
	b.mine(t, 12)
	require.Equal(t, had.Total-built.Amount-built.Fee, b.balance(t).Total)
}

func scenarioSubtractFee(t *testing.T, b *bench) {
	to := b.customerAddress(t)
	built := b.build(t, chain.Payment{To: to, Amount: 5 * b.unit(), SubtractFee: true})
	require.Equal(t, 5*b.unit(), built.Amount+built.Fee)
	fee := eventually(t, b.wallet.Fee)
	require.GreaterOrEqual(t, fee, built.Fee, "the estimate is on the high side")
	b.relay(t, built)
	b.confirm(t, built)
	require.Equal(t, built.Amount, b.received(t, built.TxHash, to))
}

func scenarioTwoBuilds(t *testing.T, b *bench) {
	to := b.customerAddress(t)
	first := b.build(t, chain.Payment{To: to, Amount: b.unit()})
	b.crash(t)
	second := b.build(t, chain.Payment{To: to, Amount: b.unit(), Avoid: first.Inputs})
	for _, input := range second.Inputs {
		require.NotContains(t, first.Inputs, input)
	}
	b.relay(t, second)
	b.relay(t, first)
	third := b.build(t, chain.Payment{To: to, Amount: b.unit(), Avoid: append(first.Inputs, second.Inputs...)})
	b.relay(t, third)
	for _, built := range []chain.Built{first, second, third} {
		if b.find(t, built).State != chain.Mined {
			b.confirm(t, built)
		}
	}
	b.mine(t, 12)
}

func scenarioRelease(t *testing.T, b *bench) {
	had := b.balance(t)
	pay := chain.Payment{To: b.customerAddress(t), Amount: b.unit()}
	built := b.build(t, pay)
	for range 2 {
		require.NoError(t, b.release(t, built))
	}
	require.Equal(t, had, b.balance(t))
	another := b.build(t, pay)
	b.relay(t, another)
	require.ErrorIs(t, b.release(t, another), chain.ErrInUse)
	b.confirm(t, another)
	b.mine(t, 12)
}

func scenarioImpossible(t *testing.T, b *bench) {
	has := b.unlocked(t)
	to := b.customerAddress(t)
	for name, c := range map[string]struct {
		pay  chain.Payment
		want error
	}{
		"not an address":     {chain.Payment{To: "donate.example.org", Amount: b.unit()}, chain.ErrAddress},
		"nothing":            {chain.Payment{To: to}, chain.ErrTooSmall},
		"less than the fee":  {chain.Payment{To: to, Amount: 10, SubtractFee: true}, chain.ErrTooSmall},
		"more than there is": {chain.Payment{To: to, Amount: has.Total + b.unit()}, chain.ErrNotEnough},
		"all, and the fee":   {chain.Payment{To: to, Amount: has.Total}, chain.ErrNotEnough},
	} {
		require.ErrorIs(t, b.try(t, c.pay), c.want, name)
	}
	built := b.build(t, chain.Payment{To: to, Amount: has.Total / 2})
	err := b.try(t, chain.Payment{To: to, Amount: has.Total / 4 * 3, Avoid: built.Inputs})
	require.ErrorIs(t, err, chain.ErrLocked, "half of it is promised")
	b.relay(t, built)
	err = b.try(t, chain.Payment{To: to, Amount: has.Total - has.Total/2 + b.unit(), Avoid: built.Inputs})
	require.ErrorIs(t, err, chain.ErrNotEnough, "it is spent")
	b.confirm(t, built)
	b.mine(t, 12)
}

// scenarioRivals builds two payments that exclude each other, and relays both.
func scenarioRivals(t *testing.T, b *bench) {
	to := b.customerAddress(t)
	amount := b.balance(t).Unlocked / 10 * 7
	loser := b.build(t, chain.Payment{To: to, Amount: amount})
	winner := b.build(t, chain.Payment{To: to, Amount: amount})
	require.NotEqual(t, loser.TxHash, winner.TxHash)
	b.relay(t, winner)
	require.ErrorIs(t, b.tryRelay(t, loser), chain.ErrRefused)
	require.Equal(t, chain.Found{Inputs: chain.InputsContested}, b.find(t, loser))
	require.ErrorIs(t, b.release(t, loser), chain.ErrInUse)
	b.confirm(t, winner)
	require.ErrorIs(t, b.tryRelay(t, loser), chain.ErrRefused)
	require.Equal(t, chain.Found{Inputs: chain.InputsSpent}, b.find(t, loser))
	require.NoError(t, b.release(t, loser))
	require.Equal(t, chain.Mined, b.find(t, winner).State)
	b.mine(t, 12)
}

// scenarioChange gathers the wallet's money in one output, so that one payment reserves
// all of it. After the change of one payment is split, the next payment does not.
func scenarioChange(t *testing.T, b *bench) {
	if b.ticker != "xmr" {
		t.Skip("what a payment leaves can be spent in the next block")
	}
	all := b.unlocked(t)
	gathered := b.build(t, chain.Payment{To: b.address(t), Amount: all.Total, SubtractFee: true})
	require.Equal(t, all.Total, gathered.Amount+gathered.Fee, "the fee of so many outputs is taken off, too")
	require.Greater(t, gathered.Fee, eventually(t, b.wallet.Fee), "it is not an ordinary one")
	b.relay(t, gathered)
	b.confirm(t, gathered)
	b.mine(t, 12)
	to := b.customerAddress(t)
	had, cursor := b.balance(t), b.now(t)
	built := b.build(t, chain.Payment{To: to, Amount: b.unit()})
	require.Less(t, b.balance(t, built.Inputs...).Unlocked, had.Total/10)
	b.relay(t, built)
	b.confirm(t, built)
	b.mine(t, 12)
	require.Equal(t, b.unit(), built.Amount)
	require.Equal(t, built.Amount, b.received(t, built.TxHash, to))
	require.Equal(t, had.Total-built.Amount-built.Fee, b.balance(t).Total)
	for _, d := range b.changes(t, cursor) {
		require.NotEqual(t, built.TxHash, d.TxHash, "change is no deposit")
	}
	next := b.build(t, chain.Payment{To: to, Amount: 200 * b.unit(), Avoid: built.Inputs})
	require.Greater(t, b.balance(t, next.Inputs...).Unlocked, had.Total/4)
	require.NoError(t, b.release(t, next))
}

func scenarioShorter(t *testing.T, b *bench) {
	before := b.now(t)
	tx := b.pay(t, b.address(t), b.unit())
	b.mine(t, 3)
	_, cursor := b.await(t, before, "in a block", mined(tx.hash))
	b.pop(t, 2)
	require.ErrorIs(t, b.follower.scan(t.Context()), chain.ErrLagging, "blocks are missing, so nothing is known to be gone")
	b.mine(t, 3)
	for _, d := range b.changes(t, cursor) {
		require.False(t, d.Missing)
	}
}

func scenarioDown(t *testing.T, b *bench) {
	address := b.address(t)
	cursor := b.now(t)
	built := b.build(t, chain.Payment{To: b.customerAddress(t), Amount: b.unit()})
	tx := b.pay(t, address, b.unit())
	b.mine(t, 1)
	require.NoError(t, b.stack.Kill(b.processes()[0]))
	ctx := t.Context()
	for name, ask := range map[string]func() error{
		"tip":     func() error { _, err := b.wallet.Tip(ctx); return err },
		"balance": func() error { _, err := b.wallet.Balance(ctx, nil); return err },
		"fee":     func() error { _, err := b.wallet.Fee(ctx); return err },
		"scan":    func() error { _, _, err := b.wallet.Scan(ctx, 0, 0); return err },
		"locate":  func() error { _, err := b.wallet.Locate(ctx, []string{tx.hash}); return err },
		"block":   func() error { _, err := b.wallet.BlockHash(ctx, 0); return err },
		"watch":   func() error { return b.follower.scan(ctx) },
		"deposit": func() error { _, err := b.wallet.Deposit(ctx, tx.hash, address); return err },
		"build":   func() error { _, err := b.wallet.Build(ctx, chain.Payment{To: address, Amount: 1}); return err },
		"relay":   func() error { return b.wallet.Relay(ctx, built) },
		"find":    func() error { _, err := b.wallet.Find(ctx, built); return err },
		"release": func() error { return b.wallet.Release(ctx, built) },
	} {
		require.ErrorIs(t, ask(), chain.ErrUnavailable, name)
	}
	require.NoError(t, b.stack.Up(ctx))
	_, _ = b.await(t, cursor, "what was paid meanwhile", func(d chain.Deposit) bool {
		return d.TxHash == tx.hash && d.Amount == b.unit()
	})
	require.NoError(t, b.release(t, built))
}
