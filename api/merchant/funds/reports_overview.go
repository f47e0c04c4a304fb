package funds

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
)

// overviewDays is the number of days in the overview, including today. No month has more.
const overviewDays = 31

type dayTotal struct {
	Day         string         `json:"day" doc:"Day in UTC" example:"2025-11-06"`
	Confirmed   int64          `json:"confirmed" doc:"Charges confirmed on it"`
	ReceivedXMR money.Piconero `json:"received_xmr" doc:"What they received, in XMR"`
}

type overview struct {
	Days             []dayTotal `json:"days" doc:"The last 31 days, the oldest first, today last; days without anything are 0"`
	Pending          int64      `json:"pending" doc:"Charges that wait for money or for confirmations, counted up to 1000"`
	Underpaid        int64      `json:"underpaid" doc:"Expired charges with money that is in no payout, counted up to 1000, among 10,000 payments that are in none"`
	Late             int64      `json:"late" doc:"Charges that were paid late and are in no payout, counted up to 1000"`
	FailedDeliveries int64      `json:"failed_deliveries" doc:"Deliveries of the last 7 days that were given up, counted up to 1000"`
	RefundsToApprove int64      `json:"refunds_to_approve" doc:"Claims of refunds that wait for an approval, of either mode, counted up to 1000"`
}

func (h *Reports) overview(ctx context.Context, caller access.Key, _ *httpapi.None) (*httpapi.Out[overview], error) {
	now := h.Clock().UTC()
	today := permission.DayOf(now)
	if !caller.Since(now).IsZero() {
		return h.overviewOfToday(ctx, caller, today)
	}
	first := today.AddDate(0, 0, -overviewDays+1)
	rows, err := h.Store.LedgerDays(ctx, db.LedgerDaysParams{MerchantID: caller.MerchantID, Mode: string(caller.Mode), Since: first})
	if err != nil {
		return nil, err
	}
	waits, err := h.Store.CountAttention(ctx, db.CountAttentionParams{
		MerchantID: caller.MerchantID, Mode: string(caller.Mode), DeliveriesSince: now.Add(-httpapi.FailuresFor),
	})
	if err != nil {
		return nil, err
	}
	out := overview{
		Pending: waits.Pending, Underpaid: waits.Underpaid, Late: waits.Late, FailedDeliveries: waits.Failed, RefundsToApprove: waits.Claims,
	}
	out.Days = daysFrom(first, overviewDays, rows)
	return httpapi.With(out, nil)
}

// overviewOfToday answers a caller who may see only today: the sum of today, and no counts of
// open work.
func (h *Reports) overviewOfToday(ctx context.Context, caller access.Key, today time.Time) (*httpapi.Out[overview], error) {
	rows, err := h.Store.LedgerDays(ctx, db.LedgerDaysParams{MerchantID: caller.MerchantID, Mode: string(caller.Mode), Since: today})
	return httpapi.With(overview{Days: daysFrom(today, 1, rows)}, err)
}

// daysFrom returns the given number of days, each with its sum. rows has only the days with a
// sum.
func daysFrom(first time.Time, days int, rows []db.LedgerDaysRow) []dayTotal {
	all := make([]dayTotal, 0, days)
	for i := range days {
		day := dayTotal{Day: first.AddDate(0, 0, i).Format(time.DateOnly)}
		if len(rows) > 0 && rows[0].Day.Time.Format(time.DateOnly) == day.Day {
			day.Confirmed, day.ReceivedXMR = rows[0].Charges, rows[0].Received
			rows = rows[1:]
		}
		all = append(all, day)
	}
	return all
}
