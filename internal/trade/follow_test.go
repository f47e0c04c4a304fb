package trade_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/trade"
)

func TestFollowPassesEveryStateOnTheWay(t *testing.T) {
	t.Parallel()
	expires := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	before, after, quiet := expires.Add(-time.Minute), expires.Add(time.Minute), expires.Add(31*24*time.Hour)
	for name, c := range map[string]struct {
		from, says trade.Status
		final      bool
		at         time.Time
		want       []trade.Status
		closed     bool
	}{
		"nothing new":                   {trade.AwaitingDeposit, trade.AwaitingDeposit, false, before, nil, false},
		"window passed":                 {trade.AwaitingDeposit, trade.AwaitingDeposit, false, after, []trade.Status{trade.Expired}, false},
		"expired at the provider":       {trade.AwaitingDeposit, trade.Expired, true, before, []trade.Status{trade.Expired}, true},
		"still expired":                 {trade.Expired, trade.AwaitingDeposit, false, after, nil, false},
		"looked at long enough":         {trade.Expired, trade.AwaitingDeposit, false, expires.Add(8 * 24 * time.Hour), nil, true},
		"seen":                          {trade.AwaitingDeposit, trade.Confirming, false, before, []trade.Status{trade.DepositDetected, trade.Confirming}, false},
		"seen late":                     {trade.AwaitingDeposit, trade.Confirming, false, after, []trade.Status{trade.DepositDetected, trade.Confirming}, false},
		"gone":                          {trade.Confirming, trade.AwaitingDeposit, false, before, []trade.Status{trade.AwaitingDeposit}, false},
		"all at once":                   {trade.AwaitingDeposit, trade.Completed, true, after, []trade.Status{trade.DepositDetected, trade.Confirming, trade.Processing, trade.Sending, trade.Completed}, true},
		"back is not believed":          {trade.Processing, trade.Confirming, false, before, nil, false},
		"no deposit is not believed":    {trade.Sending, trade.AwaitingDeposit, false, before, nil, false},
		"sent back":                     {trade.Confirming, trade.Refunded, true, before, []trade.Status{trade.Processing, trade.Refunded}, true},
		"sent back after all":           {trade.Sending, trade.Refunded, true, before, []trade.Status{trade.Refunded}, true},
		"held":                          {trade.Confirming, trade.Hold, false, before, []trade.Status{trade.Hold}, false},
		"let go":                        {trade.Hold, trade.Processing, false, before, []trade.Status{trade.Processing}, false},
		"halted":                        {trade.Processing, trade.Failed, false, before, []trade.Status{trade.Failed}, false},
		"failed without a deposit":      {trade.AwaitingDeposit, trade.Failed, true, before, []trade.Status{trade.Failed}, true},
		"repaired":                      {trade.Failed, trade.Completed, true, before, []trade.Status{trade.Completed}, true},
		"late deposit is swapped":       {trade.Expired, trade.Completed, true, after, []trade.Status{trade.Completed}, true},
		"expired with a deposit in it":  {trade.Processing, trade.Expired, true, before, []trade.Status{trade.Failed}, true},
		"expired while it was held":     {trade.Hold, trade.Expired, true, before, []trade.Status{trade.Failed}, true},
		"held, and seen as waiting":     {trade.Hold, trade.AwaitingDeposit, false, before, nil, false},
		"a word that nobody knows":      {trade.Processing, "", false, before, nil, false},
		"ended stays ended":             {trade.Completed, trade.Processing, false, before, nil, false},
		"forgotten before a deposit":    {trade.AwaitingDeposit, "", false, quiet, []trade.Status{trade.Expired}, true},
		"forgotten with a deposit":      {trade.Confirming, "", false, quiet, []trade.Status{trade.Failed}, true},
		"never brought to an end":       {trade.Processing, trade.Processing, false, quiet, []trade.Status{trade.Failed}, true},
		"held for ever":                 {trade.Hold, trade.Hold, false, quiet, []trade.Status{trade.Failed}, true},
		"halted for ever":               {trade.Failed, trade.Failed, false, quiet, nil, true},
		"late, but it moves":            {trade.Confirming, trade.Processing, false, quiet, []trade.Status{trade.Processing}, false},
		"the same deposit seen as such": {trade.Confirming, trade.Confirming, false, before, nil, false},
	} {
		report := trade.Report{Status: c.says, Final: c.final, Now: c.at, Received: money.MustDecimal("1"), QuietSince: expires}
		o, closed := trade.Follow(trade.Trade{Status: c.from, ExpiresAt: expires}, report)
		var passed []trade.Status
		for _, change := range o.Transitions {
			passed = append(passed, change.To)
		}
		require.Equal(t, c.want, passed, name)
		require.Equal(t, c.closed, closed, name)
		if len(passed) > 0 && passed[len(passed)-1] == trade.Completed {
			require.Equal(t, "1", o.Trade.Received.String(), name)
		}
		if c.from == trade.AwaitingDeposit && (c.says == trade.Expired || c.says == trade.Failed) {
			require.Equal(t, "0", o.Trade.Received.String(), name)
		}
		if closed {
			continue // the provider is not polled again
		}
		if len(passed) > 0 {
			report.QuietSince = c.at
		}
		again, _ := trade.Follow(o.Trade, report)
		require.Empty(t, again.Transitions, name)
		require.Equal(t, o.Trade, again.Trade, name)
	}
}
