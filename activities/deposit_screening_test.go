package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/trade"
)

// TestDepositWhoseOriginsCannotBeRead lets the daemon fail to return the origins of one
// deposit, before and after another deposit. Only that one waits, however long it takes.
// Then it is swapped, or kept if its origin is listed.
func TestDepositWhoseOriginsCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, listed := range map[string]bool{"an ordinary origin": false, "a listed origin": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			held, further, other := b.create(t, b.request("1")), b.create(t, b.request("1")), b.create(t, b.request("1"))
			b.xmr.unreadable = map[string]error{"held": chain.ErrUnavailable, "late": chain.ErrNotFound}
			at := func(tx, address string) chain.Deposit {
				b.xmr.origins[tx] = []string{"origin of " + tx}
				return chain.Deposit{TxHash: tx, Address: address, Amount: 1_000_000_000_000, Confirmations: 2}
			}
			b.xmr.show(at("held", held.DepositAddress))
			b.xmr.show(at("good", other.DepositAddress))
			require.Equal(t, trade.Processing, b.advance(t, other.ID).Status, "the others go on")
			for range 3 {
				state := b.advance(t, held.ID)
				require.Equal(t, trade.Confirming, state.Status)
				require.Empty(t, state.Payments)
			}
			require.Equal(t, []string{alert.DepositUnscreened}, b.alerts(t))

			b.now = b.now.Add(2 * time.Hour)
			require.Equal(t, trade.Expired, b.advance(t, further.ID).Status)
			b.xmr.show(at("late", further.DepositAddress))
			require.Empty(t, b.advance(t, further.ID).Payments, "nor is it sent back")
			b.now = b.now.Add(24 * time.Hour)
			state := b.advance(t, held.ID)
			require.Equal(t, trade.Confirming, state.Status, "it loses no time by that")
			require.Equal(t, held.Reserved, b.row(t, held.ID).Reserved)

			b.xmr.unreadable, b.signals = nil, nil
			if listed {
				b.listed = []string{"origin of held"}
			}
			b.now = b.now.Add(time.Hour)
			for range 2 {
				b.look(t)
			}
			require.ElementsMatch(t, []string{held.ID, further.ID}, b.signals)
			require.Empty(t, b.alerts(t))
			if listed {
				require.Equal(t, trade.Failed, b.advance(t, held.ID).Status)
				require.Contains(t, b.alerts(t), alert.DepositBlocked)
				return
			}
			state = b.advance(t, held.ID)
			require.Equal(t, trade.Processing, state.Status)
			b.send(t, state)
			require.Len(t, b.ltc.relayed, 1)
			require.Len(t, b.advance(t, further.ID).Payments, 1)
		})
	}
}
