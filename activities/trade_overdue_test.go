package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/trade"
)

// lost are the trades that are overdue a while from now.
func (b *bureau) lost(t *testing.T, after time.Duration) (ids []string) {
	t.Helper()
	items := allOverdue(t, b.store, outbox.OverdueSearch{Now: b.now.Add(after), Grace: 2 * time.Hour})
	for _, i := range items {
		require.Equal(t, outbox.Trades, i.Kind)
		ids = append(ids, i.ID)
	}
	return ids
}

func minutes(n int) time.Duration { return time.Duration(n)*time.Minute + time.Second }

// TestTradesAfterTheirDeadlinesAreOverdue runs no workflow for them.
func TestTradesAfterTheirDeadlinesAreOverdue(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	waiting, pool, block, deep := b.create(t, b.request("1")), b.create(t, b.request("1")), b.create(t, b.request("1")), b.create(t, b.request("1"))
	// Each deposit that is shown comes with a block, which makes the ones before it deeper.
	b.deposit(deep, "deep", "1", 1)
	b.advance(t, deep.ID)
	b.deposit(pool, "pool", "1", 0)
	b.advance(t, pool.ID)
	b.deposit(block, "block", "1", 1)
	b.advance(t, block.ID)
	require.Empty(t, b.lost(t, minutes(14)))
	require.ElementsMatch(t, []string{deep.ID}, b.lost(t, minutes(15)))
	require.ElementsMatch(t, []string{deep.ID, waiting.ID}, b.lost(t, minutes(75)))
	require.ElementsMatch(t, []string{deep.ID, waiting.ID, pool.ID}, b.lost(t, minutes(195)))
	require.ElementsMatch(t, []string{deep.ID, waiting.ID, pool.ID, block.ID}, b.lost(t, minutes(315)))
}

// TestEndedTradeThatOwesIsOverdue has a deposit come to a trade that has ended, and loses
// the run that would send it back: before the debt is recorded, before it is sent, and
// before it is deep.
func TestEndedTradeThatOwesIsOverdue(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.now = b.now.Add(2 * time.Hour)
	require.Equal(t, trade.Expired, b.advance(t, row.ID).Status)
	b.deposit(row, "late", "1", 1)
	b.look(t)
	require.Empty(t, b.lost(t, minutes(600)), "it is not deep yet: the next block is news")
	b.deposit(row, "late", "1", 2)
	b.look(t)
	require.Empty(t, b.lost(t, minutes(14)))
	require.Equal(t, []string{row.ID}, b.lost(t, minutes(15)), "nobody has answered the deposit")
	state := b.advance(t, row.ID)
	require.Empty(t, b.lost(t, minutes(59)))
	require.Equal(t, []string{row.ID}, b.lost(t, minutes(60)), "nobody has sent the refund")
	b.send(t, state)
	require.Empty(t, b.lost(t, minutes(59)))
	require.Equal(t, []string{row.ID}, b.lost(t, minutes(60)), "nobody has looked for it")
	b.mine(t, row.ID)
	require.Equal(t, trade.Refunded, b.advance(t, row.ID).Status)
	require.Empty(t, b.lost(t, minutes(600)))
}

// TestRefundThatWaitsForItsTurnIsNotOverdue: a trade has a bounded number of refunds in
// an hour, so that strangers' deposits wait for long. They are overdue when none of them
// moves any more.
func TestRefundThatWaitsForItsTurnIsNotOverdue(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.now = b.now.Add(2 * time.Hour)
	b.advance(t, row.ID)
	b.deposit(row, "late", "1", 2)
	b.look(t)
	b.send(t, b.advance(t, row.ID))
	b.mine(t, row.ID)
	b.deposit(row, "later", "1", 2)
	b.look(t)
	require.Len(t, b.advance(t, row.ID).Payments, 1)
	require.Empty(t, b.lost(t, minutes(74)))
	require.Equal(t, []string{row.ID}, b.lost(t, minutes(75)))
}

// TestTradeWhoseEventIsNotSentIsOverdue loses the run that would send a partner the
// event of a trade's end.
func TestTradeWhoseEventIsNotSentIsOverdue(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.partner(t)
	in := b.request("1")
	key, url := partnerKeyID, "https://partner.example/hook"
	in.KeyID, in.WebhookURL = &key, &url
	row := b.create(t, in)
	b.now = b.now.Add(2 * time.Hour)
	require.Equal(t, trade.Expired, b.advance(t, row.ID).Status)
	require.Empty(t, b.lost(t, minutes(14)))
	require.Equal(t, []string{row.ID}, b.lost(t, minutes(15)))
}

// TestOrderThatIsNotPolledIsOverdue loses the run of a trade that another
// provider fills.
func TestOrderThatIsNotPolledIsOverdue(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	_, err := b.place(t, in)
	require.NoError(t, err)
	require.Empty(t, b.lost(t, minutes(59)))
	require.Equal(t, []string{in.TradeID}, b.lost(t, minutes(60)))
	b.now = b.now.Add(2 * time.Hour)
	_, err = b.follow(t, in.TradeID)
	require.NoError(t, err)
	require.Empty(t, b.lost(t, minutes(59)), "its provider was asked")
	h.set(func() { h.word = "overdue" })
	_, err = b.follow(t, in.TradeID)
	require.NoError(t, err)
	require.Empty(t, b.lost(t, minutes(600)), "it is not asked any more")
}
