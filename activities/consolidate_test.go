package activities_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// crowd gives the wallet of Litecoin many small coins, and a few large ones.
func (b *bureau) crowd(coins int) {
	for i := range coins {
		b.ltc.coins["small "+string(rune('a'+i%26))+string(rune('a'+i/26))] = 1_000_000
	}
}

func (b *bureau) consolidate(t *testing.T) error {
	t.Helper()
	return b.payments.Consolidate(t.Context(), trades.WalletTask{WalletID: "ltc"})
}

func (b *bureau) transactions(t *testing.T, state string) int {
	t.Helper()
	return b.number(t, "SELECT count(*) FROM outgoing_transactions WHERE purpose = 'consolidation' AND state = $1", state)
}

// TestSmallCoinsAreJoinedWhenItIsQuiet joins small coins once, and a second time when the
// first transaction is mined. It joins none below the number, none while a payout waits,
// and none of the reserved inventory of trades.
func TestSmallCoinsAreJoinedWhenItIsQuiet(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	require.NoError(t, b.consolidate(t))
	require.Zero(t, b.ltc.builds, "few coins hinder nobody")
	require.Zero(t, b.number(t, "SELECT count(*) FROM outgoing_transactions"))
	b.crowd(120)
	b.look(t)
	row, task := b.ready(t)
	require.NoError(t, b.consolidate(t))
	require.Zero(t, b.ltc.builds, "payouts come first")
	b.sendNow(t, task)
	for range 2 {
		require.NoError(t, b.consolidate(t))
	}
	require.Equal(t, 1, b.transactions(t, "sent"), "one at a time")
	require.Len(t, b.ltc.relayed, 2)
	b.mine(t, row.ID)
	require.NoError(t, b.consolidate(t))
	require.Equal(t, 1, b.transactions(t, "confirmed"))
	require.Equal(t, 1, b.transactions(t, "sent"), "the next one")
	require.Empty(t, b.alerts(t))
	b.now = b.now.Add(2*time.Hour + time.Millisecond)
	require.NoError(t, b.consolidate(t))
	require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t))
	b.mine(t, row.ID)
	require.NoError(t, b.consolidate(t))
	require.Empty(t, b.alerts(t))
}

func TestReservedCoinsAreNotJoined(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.crowd(120)
	b.look(t)
	b.create(t, b.request("1"))
	exec := func(sql string) {
		t.Helper()
		_, err := b.store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	exec("UPDATE wallets SET unlocked = (SELECT reserved FROM trades) + 0.03 - 0.00000001 WHERE id = 'ltc'")
	require.NoError(t, b.consolidate(t))
	require.Empty(t, b.ltc.relayed)
	require.Zero(t, b.number(t, "SELECT count(*) FROM outgoing_transactions"), "the wallet is free for payments")
	exec("UPDATE wallets SET unlocked = unlocked + 0.00000001 WHERE id = 'ltc'")
	require.NoError(t, b.consolidate(t))
	require.Len(t, b.ltc.relayed, 1)
}

// TestConsolidationSurvivesADeathOnEveryLine lets the worker die at each place:
// at most one is under way, and payments are never kept from the wallet.
func TestConsolidationSurvivesADeathOnEveryLine(t *testing.T) {
	t.Parallel()
	died := errors.New("died")
	for name, dies := range map[string]func(*testing.T, *bureau){
		"nowhere": func(*testing.T, *bureau) {},
		"after the claim": func(t *testing.T, b *bureau) {
			t.Helper()
			_, err := b.store.Pool().Exec(t.Context(),
				"INSERT INTO outgoing_transactions (wallet_id, purpose, created_at) VALUES ('ltc', 'consolidation', $1)", b.now)
			require.NoError(t, err)
			b.now = b.now.Add(10*time.Minute + time.Millisecond)
			b.look(t)
		},
		"before the relay":              func(_ *testing.T, b *bureau) { b.ltc.relayErr = died },
		"after the relay, before heard": func(_ *testing.T, b *bureau) { b.ltc.relayErr, b.ltc.lost = died, true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			b.crowd(120)
			b.look(t)
			dies(t, b)
			for range 3 {
				_ = b.consolidate(t)
			}
			require.Equal(t, 1, b.transactions(t, "sent"))
			require.Len(t, b.ltc.relayed, 1)
			_, task := b.ready(t)
			b.sendNow(t, task)
			require.Len(t, b.ltc.relayed, 2)
		})
	}
}

// TestConsolidationThatIsDroppedIsAbandoned frees its coins without an operator: when the
// network refuses a transaction that it never had, or when another transaction spent its
// coins ten blocks ago.
func TestConsolidationThatIsDroppedIsAbandoned(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.crowd(120)
	b.look(t)
	b.ltc.relayErr = chain.ErrRefused
	require.NoError(t, b.consolidate(t))
	require.Equal(t, 1, b.transactions(t, "failed"))
	b.ltc.relayErr = chain.ErrRefused
	require.NoError(t, b.consolidate(t))
	require.Equal(t, 1, b.transactions(t, "abandoned"))
	require.Len(t, b.ltc.released, 1, "the wallet would relay it again by itself")
	require.Equal(t, 1, b.transactions(t, "sent"), "the next one")
	for hash := range b.ltc.relayed {
		delete(b.ltc.relayed, hash)
	}
	b.ltc.inputs, b.ltc.relayErr = chain.InputsSpent, chain.ErrRefused
	require.NoError(t, b.consolidate(t))
	require.Equal(t, 1, b.transactions(t, "sent"), "it may come back")
	require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t))
	b.ltc.tip += 10
	b.ltc.relayErr = chain.ErrRefused
	require.NoError(t, b.consolidate(t))
	require.Equal(t, 2, b.transactions(t, "abandoned"))
	require.Len(t, b.ltc.released, 2)
	require.Empty(t, b.alerts(t))
}

// TestRelayedConsolidationIsNeverAbandonedForARefusal: our daemon has lost it and refuses
// it, but other nodes keep it. It is relayed until a block has it.
func TestRelayedConsolidationIsNeverAbandonedForARefusal(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.crowd(120)
	b.look(t)
	require.NoError(t, b.consolidate(t))
	var hash string
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT tx_hash FROM outgoing_transactions").Scan(&hash))
	for range 3 {
		delete(b.ltc.relayed, hash)
		b.ltc.relayErr = chain.ErrRefused
		b.now, b.ltc.tip = b.now.Add(time.Hour), b.ltc.tip+20
		require.NoError(t, b.consolidate(t))
		require.Equal(t, 1, b.transactions(t, "sent"))
		require.Zero(t, b.transactions(t, "abandoned"))
		require.Empty(t, b.ltc.released)
		require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t))
	}
	b.ltc.mined[hash] = 100
	b.payments.Witness.Wallets["ltc"].Chain.(*witnesstest.Chain).Show(witness.Sent{TxHash: hash, Height: 500})
	require.NoError(t, b.payments.Witness.Compare(t.Context(), "ltc"), "no safe mode")
	require.NoError(t, b.consolidate(t))
	require.Equal(t, 1, b.transactions(t, "confirmed"))
	require.Empty(t, b.alerts(t))
}

// TestPayoutOfTooManySmallCoinsDoesNotWaitForEver joins coins for a payout that
// cannot be made of so many: it would wait for them, and they for it.
func TestPayoutOfTooManySmallCoinsDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.crowd(120)
	b.look(t)
	_, task := b.ready(t)
	b.ltc.buildErr = chain.ErrTooLarge
	require.ErrorIs(t, b.payments.SendTradePayment(t.Context(), task), chain.ErrTooLarge)
	b.now = b.now.Add(10*time.Minute - time.Millisecond)
	b.look(t)
	require.NoError(t, b.consolidate(t))
	require.Empty(t, b.ltc.relayed, "payouts come first")
	b.now = b.now.Add(time.Millisecond)
	b.look(t)
	for range 2 {
		require.NoError(t, b.consolidate(t))
	}
	require.Equal(t, 1, b.transactions(t, "sent"))
	b.sendNow(t, task)
	require.Len(t, b.ltc.relayed, 2)
}
