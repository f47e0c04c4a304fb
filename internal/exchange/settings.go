package exchange

import (
	"fmt"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
)

// ProviderName is the name under which the exchange itself fills trades.
const ProviderName = "durapay"

// Patience is for how long a request waits for the quotes of other providers.
const Patience = 4 * time.Second

// RoutePolicy labels pairs that the exchange alone fills.
const RoutePolicy = "precheck"

// Coin is a coin that the exchange has a wallet for.
type Coin struct {
	coin.Coin

	WalletID string
	// Confirmations is how deep a deposit must lie, and a payout counts as
	// confirmed, in blocks.
	Confirmations int32
}

// CheckAddress verifies an address that the exchange may have to pay, as coin.Coin does. Of
// a coin that a wallet of ours pays, also by sending a deposit back, what that wallet
// cannot pay is none: coin.ErrAddress.
func (c Coin) CheckAddress(address string, net coin.Net) error {
	if c.WalletID != "" && !coin.HasScript(address) {
		return fmt.Errorf("%w: our wallet cannot pay it", coin.ErrAddress)
	}
	return c.Coin.CheckAddress(address, net)
}

// ETA is how long a swap of the pair takes when blocks come as usual: the
// deposit's depth and the payout's first block.
func (p Pair) ETA() time.Duration {
	return time.Duration(p.From.Confirmations)*blockTime(p.From.Ticker) + blockTime(p.To.Ticker)
}

// blockTime is the pause between two blocks that a chain aims at.
func blockTime(ticker string) time.Duration {
	switch ticker {
	case "xmr":
		return 2 * time.Minute
	case "ltc":
		return 150 * time.Second
	case "doge":
		return time.Minute
	default:
		return 10 * time.Minute
	}
}

// Pair is a direction in which the exchange swaps.
type Pair struct {
	From, To Coin
	// Min, Max and Step bound deposits, in the coin that comes in; see
	// trade.Market.
	Min, Max, Step money.Decimal
}

// Settings are the rules of the quoter.
type Settings struct {
	Pairs []Pair
	// Rules are the policies of pairs.
	Rules []Rule
	// SpreadBP is the least that the exchange keeps, in basis points. What the
	// prices of the pair's coins moved within rates' window is added to it.
	// Above MaxSpreadBP there is no quote.
	SpreadBP, MaxSpreadBP int64
	// ExcessBP is by how much, in basis points, a deposit may be larger than
	// announced and still be paid at the locked rate as a whole.
	ExcessBP int64
	// UnfundedPercent and ClientPercent cap what trades without a deposit keep,
	// see trade.Inventory.
	UnfundedPercent, ClientPercent int64
	// Net is the chain whose addresses are taken.
	Net coin.Net
}

// AtLockedRate is the part of a deposit that is paid at the locked rate, in
// a trade that was announced with this amount.
func (s Settings) AtLockedRate(announced money.Decimal) money.Decimal {
	return announced.Add(announced.Mul(money.DecimalFromInt(s.ExcessBP)).Mul(money.MustDecimal("0.0001")))
}

// Pair finds a pair; networks are compared without case.
func (s Settings) Pair(tickerFrom, networkFrom, tickerTo, networkTo string) (Pair, bool) {
	for _, p := range s.Pairs {
		if p.From.is(tickerFrom, networkFrom) && p.To.is(tickerTo, networkTo) {
			return p, true
		}
	}
	return Pair{}, false
}

// Coins are the coins of all pairs, each once.
func (s Settings) Coins() []Coin {
	var list []Coin
	seen := map[string]bool{}
	for _, p := range s.Pairs {
		for _, c := range []Coin{p.From, p.To} {
			if !seen[c.WalletID] {
				seen[c.WalletID] = true
				list = append(list, c)
			}
		}
	}
	return list
}

// BoundsOfCoin are the smallest and the largest deposit of a coin that any pair is
// set to take; 0 when it is only paid out.
func (s Settings) BoundsOfCoin(c Coin) (least, most money.Decimal) {
	for _, p := range s.Pairs {
		if p.From.WalletID != c.WalletID {
			continue
		}
		if most.Sign() == 0 || p.Min.Cmp(least) < 0 {
			least = p.Min
		}
		if p.Max.Cmp(most) > 0 {
			most = p.Max
		}
	}
	return least, most
}

func (c Coin) is(ticker, network string) bool {
	return c.Ticker == ticker && strings.EqualFold(c.Network, network)
}
