package swap

import (
	"strings"
	"time"

	"github.com/durapay/durapay/api/exchangeapi"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/wire"
)

const (
	exampleTradeID  = "6f1c9d0a4be24d7f8a35c0e1b2d3f405"
	exampleMonero   = "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"
	exampleLitecoin = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
)

func exampleTime(minutes int) wire.Time {
	return wire.TimeOf(time.Date(2026, 11, 21, 9, 30+minutes, 0, 0, time.UTC))
}

func exampleQuote() quote {
	return quote{
		AmountFrom: "1.5", AmountTo: "2.93999", TradeID: exampleTradeID, TickerFrom: "xmr", TickerTo: "ltc",
		NetworkFrom: "Mainnet", NetworkTo: "Mainnet", Rate: "1.959993333333333333", ExpiresAt: exampleTime(1),
		Policy: exchange.RoutePolicy, AsOf: exampleTime(0), Best: exchange.ProviderName, Breakdown: fees{"0.0008", "4.5", "0"},
		Fees: "4.5008", ETA: 450, MinFrom: "0.05", MaxFrom: "20",
		Quotes: routes{[]routeEntry{{
			exchange.ProviderName, string(provider.RiskPrecheck), "1.959993333333333333", "2.93999", 450, "4.5008", exchangeapi.Rating,
		}}},
	}
}

func exampleHead() TradeHead {
	return TradeHead{
		TradeID: exampleTradeID, Status: "pending", TickerFrom: "xmr", TickerTo: "ltc", NetworkFrom: "Mainnet", NetworkTo: "Mainnet",
		AmountFrom: "1.5", AmountTo: "2.93999", Rate: "1.959993333333333333", Provider: exchange.ProviderName,
		IDProvider: "sw_0123456789abcdef01234567", Deposit: exampleMonero, Refund: exampleMonero, Address: exampleLitecoin,
		Password: strings.Repeat("0f", 16), Date: exampleTime(0), ExpiresAt: exampleTime(60),
	}
}

func exampleCreated() createdTrade {
	return createdTrade{TradeHead: exampleHead(), Risk: string(provider.RiskPrecheck), WindowSeconds: 3600}
}

func exampleFound() foundTrade {
	found := foundTrade{TradeHead: exampleHead(), Received: "0", UpdatedAt: exampleTime(0)}
	found.Status = string(trade.AwaitingDeposit)
	return found
}

func exampleCoin() coinEntry {
	return coinEntry{
		Name: "Monero", Ticker: "xmr", Network: "Mainnet", Image: documentURL + "/images/coins/xmr.svg", Minimum: "0.05", Maximum: "20",
	}
}

func examplePair() pairEntry {
	return pairEntry{"xmr", "Mainnet", "ltc", "Mainnet", exchange.RoutePolicy, []string{"floating"}, true, "0.05", "20"}
}

func exampleLimit() limitEntry {
	return limitEntry{"xmr", "Mainnet", "ltc", "Mainnet", "0.05", "20", exampleTime(0)}
}

func exampleExchange() exchangeEntry {
	return exchangeEntry{Name: exchange.ProviderName, Rating: exchangeapi.Rating, EnabledMarkup: true, ETA: 22}
}

func exampleCommission() commissionEntry {
	return commissionEntry{"ltc", "Mainnet", "0.03919", 1}
}
