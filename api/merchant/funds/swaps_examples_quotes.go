package funds

import (
	"time"

	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

// exampleQuoteID is an example of a quote; real ones are longer.
const exampleQuoteID = "AQxv3cPdVYk1rJz0l2m9T5u8wKfYbHqNsXeGtRa4vCi7oD6gBhJnMk-LpQ_WzE"

func exampleQuote() swapQuote {
	fee, percent, eta := money.MustDecimal("0.0609"), money.MustDecimal("2.03"), int64(1320)
	low, high := money.MustDecimal("0.05"), money.MustDecimal("20")
	return swapQuote{
		From: "xmr", To: "ltc", FromNetwork: "Mainnet", ToNetwork: "Mainnet", Amount: money.MustDecimal("1.5"), QuoteID: exampleQuoteID,
		OutputAmount: money.MustDecimal("2.9391"), Rate: money.MustDecimal("1.9594"), Provider: "house", Fee: &fee, FeePercent: &percent,
		EstimatedTime: &eta, MinAmount: &low, MaxAmount: &high, ExpiresAt: wire.TimeOf(example.Time().Add(5 * time.Minute)),
	}
}

func exampleQuotes() quoteList {
	q := exampleQuote()
	return quoteList{Quotes: []listedQuote{{q.Provider, q.Rate, q.OutputAmount, q.EstimatedTime, q.QuoteID, q.ExpiresAt}}}
}
