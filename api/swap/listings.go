package swap

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/wire"
)

type coinEntry struct {
	Name    string `json:"name"`
	Ticker  string `json:"ticker"`
	Network string `json:"network"`
	Memo    bool   `json:"memo"    doc:"Whether a deposit may need a memo beside the address"`
	Image   string `json:"image"`
	Minimum string `json:"minimum" doc:"Smallest deposit of any pair"`
	Maximum string `json:"maximum" doc:"Largest deposit of any pair"`
}

type pairEntry struct {
	TickerFrom  string   `json:"ticker_from"`
	NetworkFrom string   `json:"network_from"`
	TickerTo    string   `json:"ticker_to"`
	NetworkTo   string   `json:"network_to"`
	Policy      string   `json:"policy"`
	RateTypes   []string `json:"rate_types"      nullable:"false"`
	Enabled     bool     `json:"enabled"         doc:"Whether it can be filled now"`
	Min         string   `json:"min_amount_from"`
	Max         string   `json:"max_amount_from" doc:"0 when it cannot be filled now"`
}

type pairList struct {
	Pairs []pairEntry `json:"pairs" nullable:"false"`
}

type limitEntry struct {
	TickerFrom  string    `json:"ticker_from"`
	NetworkFrom string    `json:"network_from"`
	TickerTo    string    `json:"ticker_to"`
	NetworkTo   string    `json:"network_to"`
	Min         string    `json:"min_amount_from"`
	Max         string    `json:"max_amount_from" doc:"0 when the pair cannot be filled now"`
	AsOf        wire.Time `json:"as_of"`
}

type limitList struct {
	Limits []limitEntry `json:"limits" nullable:"false"`
}

type exchangeEntry struct {
	Name          string `json:"name"`
	Rating        string `json:"rating"        doc:"A (never asks who one is) to D"`
	Insurance     int    `json:"insurance"     doc:"Share of a swap that is insured"`
	EnabledMarkup bool   `json:"enabledmarkup" doc:"Whether a markup is credited for its fills"`
	ETA           int64  `json:"eta"           doc:"Expected time of a swap, in minutes; 0 when it is not known"`
}

type exchangeList struct {
	List []exchangeEntry `json:"list" nullable:"false"`
}

func (a *app) coins(_ context.Context, q *query) (*httpapi.Out[[]coinEntry], error) {
	ticker, err := q.text("ticker")
	if err != nil {
		return nil, err
	}
	network, err := q.text("network")
	if err != nil {
		return nil, err
	}
	list := []coinEntry{}
	for _, c := range a.Quoter.AllCoins() {
		if (ticker != "" && ticker != c.Ticker) || (network != "" && !strings.EqualFold(network, c.Network)) {
			continue
		}
		list = append(list, a.coinEntry(c))
	}
	return httpapi.With(list, nil)
}

// coinEntry shows the configured limits of a coin's pairs, which need no price. /limits shows
// the amounts that can be filled now.
func (a *app) coinEntry(c exchange.Coin) coinEntry {
	bounds := a.Quoter.BoundsOfCoin(c)
	return coinEntry{
		Name: c.Name, Ticker: c.Ticker, Network: c.Network, Memo: c.Memo, Image: a.PublicURL + c.Image,
		Minimum: bounds.Min.String(), Maximum: bounds.Max.String(),
	}
}

func (a *app) pairs(ctx context.Context, _ *query) (*httpapi.Out[pairList], error) {
	list := pairList{[]pairEntry{}}
	for _, p := range a.Quoter.AllPairs() {
		limits, err := a.limitsNow(ctx, p)
		if err != nil {
			return nil, err
		}
		list.Pairs = append(list.Pairs, pairEntry{
			TickerFrom: p.From.Ticker, NetworkFrom: p.From.Network, TickerTo: p.To.Ticker, NetworkTo: p.To.Network,
			Policy: a.Quoter.PolicyOf(p), RateTypes: []string{"floating"}, Enabled: limits.Max.Sign() > 0,
			Min: limits.Min.String(), Max: limits.Max.String(),
		})
	}
	return httpapi.With(list, nil)
}

// limitsNow returns the limits of a pair for a list. The maximum is 0 for a pair that cannot
// be priced.
func (a *app) limitsNow(ctx context.Context, p exchange.Pair) (trade.Limits, error) {
	limits, err := a.Quoter.Bounds(ctx, a.BalanceReader, p, a.Now())
	if errors.Is(err, exchange.ErrStale) || errors.Is(err, exchange.ErrBlind) {
		return trade.Limits{Min: p.Min}, nil
	}
	return limits, err
}

func (a *app) limits(ctx context.Context, q *query) (*httpapi.Out[any], error) {
	given := false
	for _, name := range pairParameters() {
		given = given || q.values.Has(name)
	}
	if q.err != nil || given {
		return a.limitsOfPair(ctx, q)
	}
	list := limitList{[]limitEntry{}}
	for _, p := range a.Quoter.AllPairs() {
		limits, err := a.limitsNow(ctx, p)
		if err != nil {
			return nil, err
		}
		list.Limits = append(list.Limits, limitEntryOf(p, limits, a.Now()))
	}
	return httpapi.With[any](list, nil)
}

func (a *app) limitsOfPair(ctx context.Context, q *query) (*httpapi.Out[any], error) {
	names, err := pairNames(q)
	if err != nil {
		return nil, err
	}
	p, err := a.pairOf(names)
	if err != nil {
		return nil, err
	}
	now := a.Now()
	limits, err := a.Quoter.Bounds(ctx, a.BalanceReader, p, now)
	if err != nil {
		return nil, quoteProblem(err, limits.Min)
	}
	return httpapi.With[any](limitEntryOf(p, limits, now), nil)
}

func limitEntryOf(p exchange.Pair, limits trade.Limits, now time.Time) limitEntry {
	return limitEntry{
		TickerFrom: p.From.Ticker, NetworkFrom: p.From.Network, TickerTo: p.To.Ticker, NetworkTo: p.To.Network,
		Min: limits.Min.String(), Max: limits.Max.String(), AsOf: wire.TimeOf(now),
	}
}

func (a *app) exchanges(context.Context, *query) (*httpapi.Out[exchangeList], error) {
	entry := exchangeEntry{Name: exchange.ProviderName, Rating: Rating, EnabledMarkup: true}
	for _, p := range a.Quoter.Pairs {
		entry.ETA = max(entry.ETA, int64((p.ETA()+time.Minute-1)/time.Minute))
	}
	list := exchangeList{[]exchangeEntry{entry}}
	for _, u := range a.Quoter.Fanout.Profiles() {
		list.List = append(list.List, exchangeEntry{Name: u.Name, Rating: string(u.Rating)})
	}
	return httpapi.With(list, nil)
}
