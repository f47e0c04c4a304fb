package funds

import (
	"time"

	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/report"
	"github.com/durapay/durapay/internal/wire"
)

func exampleReport() transactionReport {
	order, payoutID, value, rate, currency := "A-1001", "po_0123456789abcdef01234567", money.MustDecimal("49.85"), money.MustDecimal("163.36"), money.USD
	at := example.Time()
	return transactionReport{wire.TimeOf(at.AddDate(0, 0, -reportDays)), wire.TimeOf(at), []report.Transaction{{
		ChargeID: example.ChargeID, CreatedAt: wire.TimeOf(at.Add(-time.Hour)), ConfirmedAt: wire.TimeOf(at.Add(-time.Minute)),
		Amount: money.MustDecimal("49.9"), Currency: money.USD, AmountXMR: 305_161_448_141, AmountReceivedXMR: 305_161_448_141,
		OrderID: &order, PayoutID: &payoutID, Fiat: &report.Fiat{FiatValue: &value, FiatCurrency: &currency, FiatRate: &rate},
	}}}
}

func exampleSummary() summary {
	month := 11
	return summary{
		Period: report.Monthly, Year: 2026, Month: &month, From: wire.TimeOf(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)),
		To: wire.TimeOf(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)), ChargesConfirmed: 3, TotalXMR: money.MustDecimal("1.5"),
		TotalFiat: money.MustDecimal("245.28"), FiatCurrency: money.USD, PlatformFeesXMR: money.MustDecimal("0.0075"),
		Payouts: 1, PayoutsXMR: money.MustDecimal("1.4924693"),
	}
}
