package exchange

import (
	"fmt"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/trade"
)

// ProviderName is the name under which the exchange itself fills trades.
const ProviderName = "durapay"

// MaxQuoteWait is how long a request waits for the quotes of other providers.
const MaxQuoteWait = 4 * time.Second

// RoutePolicy is the policy of pairs that only the exchange fills.
const RoutePolicy = "precheck"

// WalletRole is the role of the exchange's wallets among all wallets.
const WalletRole = "exchange"

// Coin is a coin that the exchange has a wallet for.
type Coin struct {
	coin.Coin

	WalletID string
	// Confirmations is how many blocks deep a deposit must be, and how deep a payout must be to
	// count as confirmed.
	Confirmations int32
}

// CheckAddress verifies an address that the exchange may have to pay, as coin.Coin does. If
// the exchange has a wallet for the coin, it also returns coin.ErrAddress for an address
// that this wallet cannot pay, because the wallet pays trades and sends deposits back.
func (c Coin) CheckAddress(address string, net coin.Net) error {
	if c.WalletID != "" && !coin.HasScript(address) {
		return fmt.Errorf("%w: our wallet cannot pay it", coin.ErrAddress)
	}
	return c.Coin.CheckAddress(address, net)
}

// ETA returns how long a swap of the pair takes at the usual pace of blocks: the deposit's
// depth and the payout's first block.
func (p Pair) ETA() time.Duration {
	return time.Duration(p.From.Confirmations)*blockTime(p.From.Ticker) + blockTime(p.To.Ticker)
}

// blockTime returns the block interval that a chain aims at.
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
	// Min, Max and Step bound deposits, in the coin of the deposit; see trade.Market.
	Min, Max, Step money.Decimal
}

// Settings are the rules of the quoter.
type Settings struct {
	Pairs []Pair
	// Rules are the policies of pairs.
	Rules []Rule
	// SpreadBP is the smallest spread of the exchange, in basis points. The movement of the two
	// coins' prices within the window of package rates is added to it. There is no quote above
	// MaxSpreadBP.
	SpreadBP, MaxSpreadBP int64
	// ExcessBP is by how many basis points a deposit may exceed the announced amount and still
	// be paid at the locked rate as a whole.
	ExcessBP int64
	// UnfundedPercent and ClientPercent cap the inventory that trades without a deposit
	// reserve, see trade.Inventory.
	UnfundedPercent, ClientPercent int64
	// Net is the chain whose addresses are accepted.
	Net coin.Net
}

// AtLockedRate returns the part of a deposit that is paid at the locked rate, for a trade
// that was announced with this amount.
func (s Settings) AtLockedRate(announced money.Decimal) money.Decimal {
	return announced.Add(announced.Mul(money.DecimalFromInt(s.ExcessBP)).Mul(money.MustDecimal("0.0001")))
}

// Pair finds a pair. Networks are compared without case.
func (s Settings) Pair(tickerFrom, networkFrom, tickerTo, networkTo string) (Pair, bool) {
	for _, p := range s.Pairs {
		if p.From.is(tickerFrom, networkFrom) && p.To.is(tickerTo, networkTo) {
			return p, true
		}
	}
	return Pair{}, false
}

// Coins returns the coins of all pairs, each once.
func (s Settings) Coins() []Coin { return coinsOf(s.Pairs) }

// coinsOf returns the coins of pairs, each once, as the first pair has it.
func coinsOf(pairs []Pair) (list []Coin) {
	seen := map[string]bool{}
	for _, p := range pairs {
		for _, c := range []Coin{p.From, p.To} {
			if !seen[c.Key()] {
				seen[c.Key()] = true
				list = append(list, c)
			}
		}
	}
	return list
}

// BoundsOfCoin returns the smallest and the largest deposit of a coin that any pair is
// configured to accept; 0 when the coin is only paid out.
func (s Settings) BoundsOfCoin(c Coin) trade.Limits {
	var bounds trade.Limits
	for _, p := range s.Pairs {
		if p.From.WalletID == c.WalletID {
			bounds = widest(bounds, provider.Bounds{Low: &p.Min, High: &p.Max})
		}
	}
	return bounds
}

func (c Coin) is(ticker, network string) bool {
	return c.Ticker == ticker && strings.EqualFold(c.Network, network)
}
