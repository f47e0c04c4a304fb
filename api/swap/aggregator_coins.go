package swap

import (
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
)

// mainNetwork comes first in lists because clients use the first entry.
const mainNetwork = "Mainnet"

type aggregatorCoin struct {
	Name    string `json:"name"`
	Ticker  string `json:"ticker"`
	Network string `json:"network"`
	Image   string `json:"image"`
	Memo    bool   `json:"memo"`
	Minimum double `json:"minimum"`
	Maximum double `json:"maximum"`
}

type aggregatorExchange struct {
	Name          string `json:"name"`
	Rating        string `json:"rating"`
	Insurance     double `json:"insurance"`
	EnabledMarkup bool   `json:"enabledmarkup"`
	ETA           double `json:"eta"`
}

type aggregatorExchanges struct {
	List []aggregatorExchange `json:"list"`
}

type validity struct {
	Result bool `json:"result"`
}

func (s *aggregators) coins(aggregatorCall) (any, error) {
	return s.coinEntries(func(exchange.Coin) bool { return true }), nil
}

// coin lists the networks of a ticker. It ignores the name, because clients have names of
// their own.
func (s *aggregators) coin(r aggregatorCall) (any, error) {
	ticker, err := r.query.needed("ticker")
	if err != nil {
		return nil, err
	}
	network, err := r.query.text("network")
	if err != nil {
		return nil, err
	}
	list := s.coinEntries(func(c exchange.Coin) bool {
		return strings.EqualFold(c.Ticker, ticker) && (network == "" || strings.EqualFold(c.Network, network))
	})
	if len(list) == 0 {
		return nil, coinNotFound()
	}
	return list, nil
}

func (s *aggregators) coinEntries(matches func(exchange.Coin) bool) []aggregatorCoin {
	list := []aggregatorCoin{}
	for _, c := range s.Quoter.AllCoins() {
		if !matches(c) {
			continue
		}
		takes := s.Quoter.WidestOfCoin(c)
		list = append(list, aggregatorCoin{
			c.Name, c.Ticker, c.Network, s.PublicURL + c.Image, c.Memo, double(takes.Min), double(takes.Max),
		})
	}
	slices.SortStableFunc(list, func(a, b aggregatorCoin) int { return offMain(a) - offMain(b) })
	return list
}

func offMain(e aggregatorCoin) int {
	if e.Network == mainNetwork {
		return 0
	}
	return 1
}

func (s *aggregators) exchanges(aggregatorCall) (any, error) {
	var longest time.Duration
	for _, p := range s.Quoter.Pairs {
		longest = max(longest, p.ETA())
	}
	list := []aggregatorExchange{{
		Name: exchange.ProviderName, Rating: Rating, EnabledMarkup: true, ETA: double(money.DecimalFromInt(minutes(longest))),
	}}
	for _, u := range s.Quoter.Fanout.Profiles() {
		list = append(list, aggregatorExchange{Name: u.Name, Rating: string(u.Rating)})
	}
	return aggregatorExchanges{list}, nil
}

// minutes returns a duration in whole minutes, rounded up.
func minutes(d time.Duration) int64 { return int64((d + time.Minute - 1) / time.Minute) }

func (s *aggregators) validateAddress(r aggregatorCall) (any, error) {
	var given [3]string
	for i, name := range []string{"ticker", "network", "address"} {
		var err error
		if given[i], err = r.query.needed(name); err != nil {
			return nil, err
		}
	}
	c, ok := s.coinOf(given[0], given[1])
	if !ok {
		return nil, coinNotFound()
	}
	return validity{c.CheckAddress(given[2], s.Quoter.Net) == nil}, nil
}

func (s *aggregators) coinOf(ticker, network string) (exchange.Coin, bool) {
	for _, c := range s.Quoter.AllCoins() {
		if strings.EqualFold(c.Ticker, ticker) && strings.EqualFold(c.Network, network) {
			return c, true
		}
	}
	return exchange.Coin{}, false
}
