package trade_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/trade"
	_ "github.com/durapay/durapay/tools/testseed"
)

var start = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

func dec(text string) money.Decimal { return money.MustDecimal(text) }

// fresh returns a trade of 1 for 2 that allows 0.05 to 20, reserves 2 and needs 2
// confirmations. Its window is one hour, the grace after it two hours.
func fresh() trade.Trade {
	return trade.Trade{
		Status: trade.AwaitingDeposit, Risk: provider.RiskPrecheck, Rate: dec("2"), Min: dec("0.05"), Max: dec("20"),
		DecimalsTo: 8, Confirmations: 2, ExpiresAt: start.Add(time.Hour), Grace: 2 * time.Hour,
		AtLockedRate: dec("1.01"), Quoted: dec("2"), Reserved: dec("2"),
	}
}

// came returns a deposit that was seen a number of minutes after the start. With a
// confirmation it was in a block at once.
func came(id int64, amount string, minute int, confirmations int64) trade.Deposit {
	d := trade.Deposit{
		ID: id, Amount: dec(amount), Confirmations: confirmations, FirstSeenAt: start.Add(time.Duration(minute) * time.Minute),
	}
	if confirmations > 0 {
		d.MinedAt = d.FirstSeenAt
	}
	return d
}

// seen returns facts with a current price that is a little worse than the locked one.
func seen(minute int, deposits ...trade.Deposit) trade.Facts {
	return trade.Facts{Deposits: deposits, Free: dec("10"), CurrentRate: dec("1.9"), Now: start.Add(time.Duration(minute) * time.Minute)}
}

func with(f trade.Facts, payments ...trade.Payment) trade.Facts {
	f.Payments = payments
	return f
}

func path(o trade.Outcome) []trade.Status {
	var all []trade.Status
	for _, c := range o.Transitions {
		all = append(all, c.To)
	}
	return all
}

func TestAdvanceOfAFreshTrade(t *testing.T) {
	t.Parallel()
	locked, gone, blocked := came(1, "1", 5, 2), came(1, "1", 5, 2), came(1, "1", 5, 0)
	unpriced := seen(5, came(1, "6", 5, 2))
	unpriced.CurrentRate = money.Decimal{}
	locked.Locked, gone.Missing, blocked.Blocked = true, true, true
	pay := func(amount string) []trade.PlannedTransaction {
		return []trade.PlannedTransaction{{trade.Payout, 1, dec(amount)}}
	}
	back := func(amount string) []trade.PlannedTransaction {
		return []trade.PlannedTransaction{{trade.Refund, 1, dec(amount)}}
	}
	toProcessing := []trade.Status{trade.DepositDetected, trade.Confirming, trade.Processing}
	cases := map[string]struct {
		facts  trade.Facts
		path   []trade.Status
		orders []trade.PlannedTransaction
	}{
		"nothing yet":              {seen(5), nil, nil},
		"a moment before the end":  {seen(59), nil, nil},
		"window passed":            {seen(60), []trade.Status{trade.Expired}, nil},
		"in the pool":              {seen(5, came(1, "1", 5, 0)), toProcessing[:1], nil},
		"one block":                {seen(5, came(1, "1", 5, 1)), toProcessing[:2], nil},
		"deep but locked":          {seen(5, locked), toProcessing[:2], nil},
		"gone":                     {seen(5, gone), nil, nil},
		"gone, window passed":      {seen(60, gone), []trade.Status{trade.Expired}, nil},
		"deep, never seen before":  {seen(5, came(1, "1", 5, 2)), toProcessing, pay("2")},
		"less than announced":      {seen(5, came(1, "0.3", 5, 9)), toProcessing, pay("0.6")},
		"at the minimum":           {seen(5, came(1, "0.05", 5, 2)), toProcessing, pay("0.1")},
		"below the minimum":        {seen(5, came(1, "0.049999999999", 5, 2)), toProcessing, back("0.049999999999")},
		"within the tolerance":     {seen(5, came(1, "1.01", 5, 2)), toProcessing, pay("2.02")},
		"more, inventory allows":   {seen(5, came(1, "6.2", 5, 2)), toProcessing, pay("11.881")},
		"more than the inventory":  {seen(5, came(1, "6.27", 5, 2)), toProcessing, back("6.27")},
		"more, without a price":    {unpriced, toProcessing, back("6")},
		"above the maximum":        {seen(5, came(1, "20.1", 5, 2)), toProcessing, back("20.1")},
		"the last moment":          {seen(90, came(1, "1", 59, 0)), toProcessing[:1], nil},
		"late, in the pool":        {seen(61, came(1, "1", 60, 0)), []trade.Status{trade.Expired}, nil},
		"late and deep":            {seen(61, came(1, "1", 60, 2)), []trade.Status{trade.Expired}, back("1")},
		"from a listed address":    {seen(5, blocked), []trade.Status{trade.DepositDetected, trade.Failed}, nil},
		"rounded down":             {seen(5, came(1, "0.333333333333", 5, 2)), toProcessing, pay("0.66666666")},
		"second beside one unseen": {seen(5, came(1, "1", 5, 0), came(2, "1", 5, 2)), toProcessing[:1], nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := trade.Advance(fresh(), c.facts)
			require.Equal(t, c.path, path(got))
			require.Len(t, got.Planned, len(c.orders))
			for i, o := range c.orders {
				require.Equal(t, o.Kind, got.Planned[i].Kind)
				require.Equal(t, o.Amount.String(), got.Planned[i].Amount.String())
			}
		})
	}
}

// TestAdvanceToTheEnd follows a trade to each of its ends.
func TestAdvanceToTheEnd(t *testing.T) {
	t.Parallel()
	deposit := came(1, "1", 5, 2)
	late := came(1, "1", 61, 2)
	low := came(1, "0.01", 5, 2)
	made := func(kind trade.Kind, state trade.PaymentState) trade.Payment {
		return trade.Payment{Kind: kind, DepositID: 1, State: state, Amount: dec("2"), Reason: "smaller than its chain fee"}
	}
	cases := map[string]struct {
		deposit trade.Deposit
		states  []trade.Payment
		want    []trade.Status
	}{
		"paid out": {deposit, []trade.Payment{
			made(trade.Payout, trade.Planned), made(trade.Payout, trade.Built), made(trade.Payout, trade.Sent), made(trade.Payout, trade.PaymentConfirmed),
		}, []trade.Status{trade.Processing, trade.Processing, trade.Sending, trade.Completed}},
		"payout confirmed at once": {deposit, []trade.Payment{made(trade.Payout, trade.PaymentConfirmed)}, []trade.Status{trade.Completed}},
		"payout refused":           {deposit, []trade.Payment{made(trade.Payout, trade.PaymentFailed)}, []trade.Status{trade.Failed}},
		"payout lost after it was sent": {deposit, []trade.Payment{
			made(trade.Payout, trade.Sent), made(trade.Payout, trade.PaymentFailed),
		}, []trade.Status{trade.Sending, trade.Failed}},
		"sent back": {low, []trade.Payment{
			made(trade.Refund, trade.Planned), made(trade.Refund, trade.Sent), made(trade.Refund, trade.PaymentConfirmed),
		}, []trade.Status{trade.Processing, trade.Processing, trade.Refunded}},
		"too small to send back": {low, []trade.Payment{made(trade.Refund, trade.PaymentFailed)}, []trade.Status{trade.Failed}},
		"late, sent back": {late, []trade.Payment{
			made(trade.Refund, trade.Sent), made(trade.Refund, trade.PaymentConfirmed),
		}, []trade.Status{trade.Expired, trade.Refunded}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			current := trade.Advance(fresh(), seen(62, c.deposit)).Trade
			for i, payment := range c.states {
				current = trade.Advance(current, with(seen(63, c.deposit), payment)).Trade
				require.Equal(t, c.want[i], current.Status)
			}
			require.Equal(t, c.want[len(c.want)-1].Ended(), current.Status.Ended())
			if current.Status.Ended() {
				require.Zero(t, current.Reserved.Sign(), "what has ended keeps no inventory")
			}
			if current.Status == trade.Failed {
				require.Equal(t, "smaller than its chain fee", current.Detail)
			}
		})
	}
}

func TestDepositThatVanishesBeforeItIsDeepGivesItsPlaceToTheNext(t *testing.T) {
	t.Parallel()
	first, second := came(1, "1", 5, 1), came(2, "3", 6, 0)
	confirming := trade.Advance(fresh(), seen(6, first, second)).Trade
	require.Equal(t, trade.Confirming, confirming.Status)
	first.Missing = true
	next := trade.Advance(confirming, seen(7, first, second))
	require.Equal(t, []trade.Status{trade.DepositDetected}, path(next))
	require.Equal(t, "3", next.Trade.Received.String())
	second.Missing = true
	require.Equal(t, []trade.Status{trade.AwaitingDeposit}, path(trade.Advance(next.Trade, seen(8, first, second))))
	require.Equal(t, []trade.Status{trade.AwaitingDeposit, trade.Expired}, path(trade.Advance(next.Trade, seen(60, first, second))))
}

// TestWhatIsKeptFollowsWhatWasReceived sends less than was announced. A deposit
// reserves the amount that it pays; a deposit that will be sent back reserves nothing.
func TestWhatIsKeptFollowsWhatWasReceived(t *testing.T) {
	t.Parallel()
	none := trade.Facts{Now: start}
	for name, c := range map[string]struct {
		before string
		facts  trade.Facts
		kept   string
	}{
		"nothing came":               {"2", none, "2"},
		"all of it":                  {"2", seen(5, came(1, "1", 5, 0)), "2"},
		"a part":                     {"2", seen(5, came(1, "0.3", 5, 1)), "0.6"},
		"dust":                       {"2", seen(5, came(1, "0.049", 5, 0)), "0"},
		"more than is allowed":       {"2", seen(5, came(1, "21", 5, 1)), "0"},
		"more, not settled yet":      {"2", seen(5, came(1, "6", 5, 1)), "2"},
		"dust that vanished":         {"0", seen(5), "2"},
		"and the rest is kept else":  {"0", trade.Facts{Now: start, Free: dec("1.9")}, "0"},
		"dust, replaced by the rest": {"0", seen(5, came(2, "1", 5, 0)), "2"},
		"dust, replaced by more":     {"0", seen(5, came(2, "5", 5, 2)), "9.601"},
		"by more than there is":      {"0", seen(5, came(2, "5.3", 5, 2)), "0"},
	} {
		before := fresh()
		before.Reserved = dec(c.before)
		if before.Reserved.Sign() == 0 {
			before.Status = trade.DepositDetected
		}
		got := trade.Advance(before, c.facts)
		require.Equal(t, c.kept, got.Trade.Reserved.String(), name)
		after := with(c.facts, trade.Payment{Kind: trade.Payout, DepositID: 2, State: trade.Planned, Amount: got.Trade.Payout})
		require.Equal(t, got.Trade, trade.Advance(got.Trade, after).Trade, name)
	}
}

// TestFailedTradeContinuesWhenItsTransactionIsOpenAgain reopens a failed transaction as
// an operator does: as a payout again, or as the refund of its deposit.
func TestFailedTradeContinuesWhenItsTransactionIsOpenAgain(t *testing.T) {
	t.Parallel()
	deposit := came(1, "1", 5, 2)
	processing := trade.Advance(fresh(), seen(6, deposit)).Trade
	made := func(kind trade.Kind, state trade.PaymentState) trade.Facts {
		return with(seen(7, deposit), trade.Payment{Kind: kind, DepositID: 1, State: state, Amount: processing.Payout, Reason: "refused"})
	}
	failed := trade.Advance(processing, made(trade.Payout, trade.PaymentFailed)).Trade
	require.Equal(t, trade.Failed, failed.Status)
	again := trade.Advance(failed, made(trade.Payout, trade.Planned))
	require.Equal(t, []trade.Status{trade.Processing}, path(again))
	require.Equal(t, processing, again.Trade, "as if it had never failed")
	require.Equal(t, []trade.Status{trade.Processing, trade.Sending, trade.Completed},
		path(trade.Advance(failed, made(trade.Payout, trade.PaymentConfirmed))))

	back := trade.Advance(failed, made(trade.Refund, trade.Planned))
	require.Equal(t, []trade.Status{trade.Processing}, path(back))
	require.Zero(t, back.Trade.Payout.Sign())
	require.Zero(t, back.Trade.Reserved.Sign(), "nothing is paid out, nothing is kept for it")
	require.Equal(t, []trade.Status{trade.Refunded}, path(trade.Advance(back.Trade, made(trade.Refund, trade.PaymentConfirmed))))
	require.Equal(t, []trade.Status{trade.Failed}, path(trade.Advance(back.Trade, made(trade.Refund, trade.PaymentFailed))))
}

// TestDepositThatWasAnsweredElsewhere: another copy of the database has answered a
// deposit before this copy saw it, or differently. The trade follows that answer,
// however late this copy is.
func TestDepositThatWasAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	expired := trade.Advance(fresh(), seen(60)).Trade
	sentBack := trade.Advance(expired, seen(300, came(1, "1", 240, 2))).Trade
	paidOut := trade.Advance(fresh(), seen(6, came(1, "1", 5, 2))).Trade
	other := came(1, "3", 4, 2)
	answered := came(2, "1", 59, 2)
	unmined := came(1, "1", 59, 0)
	mined := came(1, "1", 59, 2)
	mined.MinedAt = start.Add(4 * time.Hour)
	for name, c := range map[string]struct {
		before   trade.Trade
		deposits []trade.Deposit
		payment  trade.Payment
		path     []trade.Status
		payout   string
	}{
		"paid out, seen after it expired": {expired, []trade.Deposit{came(1, "1", 240, 2)}, trade.Payment{Kind: trade.Payout, DepositID: 1, Amount: dec("1.9")},
			[]trade.Status{trade.Processing, trade.Sending, trade.Completed}, "1.9"},
		"paid out, another one was there before": {expired, []trade.Deposit{other, answered}, trade.Payment{Kind: trade.Payout, DepositID: 2, Amount: dec("1.9")},
			[]trade.Status{trade.Processing, trade.Sending, trade.Completed}, "1.9"},
		"paid out, mined late": {fresh(), []trade.Deposit{mined}, trade.Payment{Kind: trade.Payout, DepositID: 1, Amount: dec("1.9")},
			[]trade.Status{trade.DepositDetected, trade.Confirming, trade.Processing, trade.Sending, trade.Completed}, "1.9"},
		"paid out, on its way to a block": {fresh(), []trade.Deposit{unmined}, trade.Payment{Kind: trade.Payout, DepositID: 1, Amount: dec("1.9")},
			[]trade.Status{trade.DepositDetected}, "0"},
		"paid out, sent back here": {sentBack, []trade.Deposit{came(1, "1", 240, 2)}, trade.Payment{Kind: trade.Payout, DepositID: 1, Amount: dec("1.9")},
			[]trade.Status{trade.Processing, trade.Sending, trade.Completed}, "1.9"},
		"sent back, paid out here": {paidOut, []trade.Deposit{came(1, "1", 5, 2)}, trade.Payment{Kind: trade.Refund, DepositID: 1, Amount: dec("1")},
			[]trade.Status{trade.Refunded}, "0"},
		"sent back, seen in time": {fresh(), []trade.Deposit{came(1, "1", 5, 2)}, trade.Payment{Kind: trade.Refund, DepositID: 1, Amount: dec("1")},
			[]trade.Status{trade.DepositDetected, trade.Confirming, trade.Processing, trade.Refunded}, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.payment.State = trade.PaymentConfirmed
			facts := with(seen(300, c.deposits...), c.payment)
			got := trade.Advance(c.before, facts)
			require.Equal(t, c.path, path(got))
			require.Empty(t, got.Abandoned)
			require.Equal(t, c.payout, got.Trade.Payout.String())
			if got.Trade.Status.Ended() {
				require.Equal(t, c.payment.DepositID, got.Trade.Counted)
				require.Equal(t, "1", got.Trade.Received.String())
				require.Equal(t, c.payment.Kind == trade.Refund, got.Trade.Detail != "")
				require.Zero(t, got.Trade.Reserved.Sign())
			}
			require.Empty(t, trade.Advance(got.Trade, facts).Transitions)
		})
	}
	t.Run("waits until it is deep, and settles no other one meanwhile", func(t *testing.T) {
		t.Parallel()
		young := came(2, "1", 299, 1)
		waits := trade.Advance(expired, with(seen(300, came(1, "1", 240, 2), young), trade.Payment{Kind: trade.Payout, DepositID: 2, State: trade.Sent, Amount: dec("2")}))
		require.Empty(t, waits.Transitions)
		require.Zero(t, waits.Trade.Counted)
	})
}

// TestNothingIsSettledWhileItIsUnsure: a database that may be behind sees two deposits
// at once. Another copy has answered the second one.
func TestNothingIsSettledWhileItIsUnsure(t *testing.T) {
	t.Parallel()
	answer := trade.Payment{Kind: trade.Payout, DepositID: 2, State: trade.PaymentConfirmed, Amount: dec("1.9")}
	blocked := came(1, "3", 5, 2)
	blocked.Blocked = true
	for name, c := range map[string]struct {
		before trade.Trade
		at     int
		first  trade.Deposit
		waits  trade.Status
	}{
		"in time": {fresh(), 6, came(1, "3", 5, 2), trade.Confirming},
		"late":    {trade.Advance(fresh(), seen(60)).Trade, 300, came(1, "3", 299, 2), trade.Expired},
		"listed":  {fresh(), 6, blocked, trade.Confirming},
		"overdue": {fresh(), 300, came(1, "3", 5, 0), trade.DepositDetected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := seen(c.at, c.first, came(2, "1", c.at-1, 2))
			facts.Unsure = true
			got := trade.Advance(c.before, facts)
			require.Equal(t, c.waits, got.Trade.Status)
			require.Zero(t, got.Trade.Counted)
			require.Empty(t, got.Planned)
			require.Empty(t, got.Abandoned)
			require.True(t, got.Postponed)

			facts.Unsure = false
			got = trade.Advance(got.Trade, with(facts, answer))
			require.Equal(t, trade.Completed, got.Trade.Status)
			require.EqualValues(t, 2, got.Trade.Counted)
			require.Equal(t, "1.9", got.Trade.Payout.String())
			require.False(t, got.Postponed)
		})
	}
}

// TestAnAnsweredTradeWaitsForNothingWhileItIsUnsure: only a deposit without an answer
// is postponed.
func TestAnAnsweredTradeWaitsForNothingWhileItIsUnsure(t *testing.T) {
	t.Parallel()
	counted := trade.Advance(fresh(), seen(6, came(1, "1", 5, 2))).Trade
	paid := trade.Payment{Kind: trade.Payout, DepositID: 1, State: trade.PaymentConfirmed, Amount: dec("2")}
	gone := came(2, "1", 5, 0)
	gone.Missing = true
	unsure := func(f trade.Facts) trade.Facts { f.Unsure = true; return f }
	done := trade.Advance(counted, unsure(with(seen(7, came(1, "1", 5, 2), gone), paid)))
	require.Equal(t, trade.Completed, done.Trade.Status)
	require.False(t, done.Postponed)
	other := trade.Advance(counted, unsure(with(seen(7, came(1, "1", 5, 2), came(2, "1", 6, 0)), paid)))
	require.Equal(t, trade.Completed, other.Trade.Status)
	require.True(t, other.Postponed)
}

func TestFurtherDepositsAreSentBackOneByOne(t *testing.T) {
	t.Parallel()
	payout := trade.Payment{Kind: trade.Payout, DepositID: 1, State: trade.PaymentConfirmed, Amount: dec("2")}
	done := trade.Advance(fresh(), with(seen(6, came(1, "1", 5, 9)), payout)).Trade
	require.Equal(t, trade.Completed, trade.Advance(done, with(seen(7, came(1, "1", 5, 9)), payout)).Trade.Status)
	again := trade.Advance(done, with(seen(900, came(1, "1", 5, 9), came(2, "1", 880, 2), came(3, "4", 890, 2)), payout))
	require.Equal(t, []trade.PlannedTransaction{{trade.Refund, 2, dec("1")}, {trade.Refund, 3, dec("4")}}, again.Planned)
	require.Empty(t, again.Transitions, "status and payout stay what they are")
	failed := trade.Payment{Kind: trade.Refund, DepositID: 2, State: trade.PaymentFailed}
	require.Equal(t, trade.Completed,
		trade.Advance(again.Trade, with(seen(901, came(1, "1", 5, 9), came(2, "1", 880, 2)), payout, failed)).Trade.Status)
}

func TestSanctionedOriginIsKeptAndNothingIsSent(t *testing.T) {
	t.Parallel()
	blocked := came(1, "1", 5, 9)
	blocked.Blocked = true
	controlled := fresh()
	controlled.Risk = provider.RiskControlled
	late := came(1, "1", 61, 9)
	late.Blocked = true
	extra := came(2, "1", 7, 9)
	extra.Blocked = true
	for name, c := range map[string]struct {
		trade    trade.Trade
		deposits []trade.Deposit
		want     trade.Status
		orders   int
	}{
		"own route":        {fresh(), []trade.Deposit{blocked}, trade.Failed, 0},
		"controlled route": {controlled, []trade.Deposit{blocked}, trade.Hold, 0},
		"late":             {fresh(), []trade.Deposit{late}, trade.Failed, 0},
		"further deposit":  {fresh(), []trade.Deposit{came(1, "1", 5, 9), extra}, trade.Processing, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := trade.Advance(c.trade, seen(62, c.deposits...))
			require.Equal(t, c.want, got.Trade.Status)
			require.Len(t, got.Planned, c.orders)
			require.False(t, got.Unbacked)
		})
	}
}

func TestReorgOfWhatIsSettledIsNoticed(t *testing.T) {
	t.Parallel()
	processing := trade.Advance(fresh(), seen(6, came(1, "1", 5, 2))).Trade
	planned := trade.Payment{Kind: trade.Payout, DepositID: 1, State: trade.Planned, Amount: dec("2")}
	shallow := trade.Advance(processing, with(seen(7, came(1, "1", 5, 1)), planned))
	require.True(t, shallow.Unbacked)
	require.Equal(t, trade.Processing, shallow.Trade.Status)
	require.False(t, trade.Advance(processing, with(seen(8, came(1, "1", 5, 2)), planned)).Unbacked)
}

// TestAdvanceConserves drives trades with arbitrary chains. At most one transaction
// answers each deposit, no transaction is worth more than its deposit at the locked
// rate, no payment exceeds the reserved inventory, and running again changes nothing.
func TestAdvanceConserves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		current := fresh()
		current.Rate = money.FromAtomic(rapid.Uint64Range(1, 1_000_000_000_000_000).Draw(t, "rate"), 12)
		current.Reserved = money.FromAtomic(rapid.Uint64Range(0, 5_000_000_000).Draw(t, "reserved"), 8)
		current.Quoted = current.Reserved
		current.AtLockedRate = money.FromAtomic(rapid.Uint64Range(1, 30_000_000_000_000).Draw(t, "announced"), 12)
		facts := trade.Facts{Free: money.FromAtomic(rapid.Uint64Range(0, 5_000_000_000).Draw(t, "free"), 8), Now: start}
		most := current.Reserved.Add(facts.Free)
		for range rapid.IntRange(1, 12).Draw(t, "looks") {
			disturb(t, &facts)
			facts.Free = most.Sub(current.Reserved)
			before := current
			got := trade.Advance(current, facts)
			checkPath(t, before, got)
			for _, id := range got.Abandoned {
				facts.Deposits[id-1].Abandoned = true
			}
			for _, o := range got.Planned {
				checkOrder(t, got.Trade, facts, o, most)
				facts.Payments = append(facts.Payments, trade.Payment{Kind: o.Kind, DepositID: o.DepositID, State: trade.Planned, Amount: o.Amount})
			}
			again := trade.Advance(got.Trade, facts)
			require.Empty(t, again.Transitions)
			require.Empty(t, again.Planned)
			require.Equal(t, got.Trade, again.Trade)
			current = got.Trade
		}
	})
}

// disturb makes random changes on the chain.
func disturb(t *rapid.T, f *trade.Facts) {
	f.Now = f.Now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "minutes")) * time.Minute)
	f.CurrentRate = money.FromAtomic(rapid.Uint64Range(0, 1_000_000_000_000_000).Draw(t, "current rate"), 12)
	for i := range f.Deposits {
		d := &f.Deposits[i]
		d.Confirmations = rapid.Int64Range(0, 4).Draw(t, "confirmations")
		if d.Confirmations > 0 && d.MinedAt.IsZero() {
			d.MinedAt = f.Now
		}
		d.Missing, d.Locked = rapid.Bool().Draw(t, "gone"), rapid.Bool().Draw(t, "locked")
	}
	for i := range f.Payments {
		if next := &f.Payments[i]; next.State != trade.PaymentFailed && next.State != trade.PaymentConfirmed {
			next.State = rapid.SampledFrom([]trade.PaymentState{
				next.State, trade.Built, trade.Sent, trade.PaymentConfirmed, trade.PaymentFailed,
			}).Draw(t, "state")
		}
	}
	if len(f.Deposits) < 3 && rapid.Bool().Draw(t, "another") {
		f.Deposits = append(f.Deposits, trade.Deposit{
			ID: int64(len(f.Deposits) + 1), Amount: money.FromAtomic(rapid.Uint64Range(1, 30_000_000_000_000).Draw(t, "amount"), 12),
			FirstSeenAt: f.Now, Confirmations: rapid.Int64Range(0, 4).Draw(t, "depth"),
		})
	}
}

func checkOrder(t *rapid.T, now trade.Trade, f trade.Facts, o trade.PlannedTransaction, most money.Decimal) {
	for _, made := range f.Payments {
		require.NotEqual(t, made.DepositID, o.DepositID, "a deposit is answered once")
	}
	deposit := f.Deposits[o.DepositID-1]
	require.False(t, deposit.Missing)
	require.GreaterOrEqual(t, deposit.Confirmations, now.Confirmations)
	if o.Kind == trade.Refund {
		require.Zero(t, o.Amount.Cmp(deposit.Amount))
		return
	}
	require.Equal(t, now.Counted, o.DepositID)
	require.False(t, deposit.Abandoned, "what was given up is not paid")
	require.LessOrEqual(t, o.Amount.Cmp(deposit.Amount.Mul(now.Rate)), 0)
	if excess := deposit.Amount.Sub(now.AtLockedRate); excess.Sign() > 0 {
		market := now.AtLockedRate.Mul(now.Rate).Add(excess.Mul(f.CurrentRate))
		require.LessOrEqual(t, o.Amount.Cmp(market), 0, "what is beyond the announced is paid at the price of now at best")
	}
	require.LessOrEqual(t, o.Amount.Cmp(most), 0)
	require.LessOrEqual(t, o.Amount.Cmp(now.Reserved), 0, "what is paid is kept for it")
}

// checkPath checks the transitions against the diagram.
func checkPath(t *rapid.T, before trade.Trade, got trade.Outcome) {
	allowed := map[trade.Status][]trade.Status{
		trade.AwaitingDeposit: {trade.DepositDetected, trade.Expired},
		trade.DepositDetected: {trade.Confirming, trade.AwaitingDeposit, trade.Failed},
		trade.Confirming:      {trade.Processing, trade.DepositDetected, trade.AwaitingDeposit, trade.Failed},
		trade.Processing:      {trade.Sending, trade.Refunded, trade.Failed},
		trade.Sending:         {trade.Completed, trade.Failed},
		trade.Expired:         {trade.Refunded, trade.Failed},
	}
	at := before.Status
	for _, c := range got.Transitions {
		require.Equal(t, at, c.From)
		require.Contains(t, allowed[c.From], c.To)
		at = c.To
	}
	require.Equal(t, at, got.Trade.Status)
	if before.Counted != 0 {
		require.Equal(t, before.Counted, got.Trade.Counted)
		require.Equal(t, before.Payout, got.Trade.Payout)
	}
}

// TestAbandonedDepositIsSentBackOnceItCanBeSpent follows a trade that no longer waits
// for its locked deposit.
func TestAbandonedDepositIsSentBackOnceItCanBeSpent(t *testing.T) {
	t.Parallel()
	locked := came(1, "1", 5, 2)
	locked.Locked = true
	waits := trade.Advance(fresh(), seen(90, locked))
	require.Equal(t, trade.Confirming, waits.Trade.Status)
	locked.Abandoned = true
	early := trade.Advance(waits.Trade, seen(30, locked))
	require.Equal(t, trade.AwaitingDeposit, early.Trade.Status, "another deposit may still come in time")
	over := trade.Advance(waits.Trade, seen(90, locked))
	require.Equal(t, []trade.Status{trade.AwaitingDeposit, trade.Expired}, path(over))
	require.Zero(t, over.Trade.Reserved.Sign(), "nothing is kept for it")
	require.Empty(t, over.Planned)
	locked.Locked = false
	free := trade.Advance(over.Trade, seen(9000, locked))
	require.Equal(t, []trade.PlannedTransaction{{trade.Refund, 1, dec("1")}}, free.Planned)
	require.Contains(t, free.Trade.Detail, "locked")
	next := came(2, "0.5", 6, 2)
	both := trade.Advance(waits.Trade, seen(90, locked, next)).Planned
	require.Len(t, both, 2)
	require.Equal(t, []any{trade.Payout, int64(2), trade.Refund, int64(1)}, []any{both[0].Kind, both[0].DepositID, both[1].Kind, both[1].DepositID})
}
