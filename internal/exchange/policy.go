package exchange

import (
	"fmt"
	"slices"
	"strings"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/provider"
)

// Words of a policy. Any other policy is a list of provider names, joined by
// "+".
const (
	// PolicyOwn fills from the exchange's own wallets only.
	PolicyOwn = RoutePolicy
	// PolicyBest uses the route that pays most.
	PolicyBest = "best"
	// PolicyUpstream uses only other providers.
	PolicyUpstream = "upstream"
	// PolicyOff does not offer the pair.
	PolicyOff = "off"
)

// Rule defines which routes the pairs from one coin to another may use. The
// policy of a pair is that of the first rule that fits it, or PolicyBest
// without one.
type Rule struct {
	// From and To are keys of coin.Coin, or "*" for every coin.
	From, To string
	Policy   string
}

// CheckRules returns an error for a rule with an unknown coin or provider.
func (d *Quoter) CheckRules() error {
	for _, r := range d.Rules {
		for _, key := range []string{r.From, r.To} {
			ticker, network, _ := strings.Cut(key, ":")
			if _, known := coin.Lookup(ticker, network); key != "*" && !known {
				return fmt.Errorf("EXCHANGE_ROUTES: %s is not a known coin", key)
			}
		}
		switch r.Policy {
		case PolicyOwn, PolicyBest, PolicyUpstream, PolicyOff:
			continue
		}
		for name := range strings.SplitSeq(r.Policy, "+") {
			if !d.Knows(name) {
				return fmt.Errorf("EXCHANGE_ROUTES: %s is not a known provider", name)
			}
		}
	}
	return nil
}

// Knows reports whether a provider of this name fills swaps here.
func (d *Quoter) Knows(name string) bool {
	_, upstream := d.Fanout.Provider(name)
	return upstream || name == ProviderName
}

// PolicyOf returns the policy of a pair.
func (d *Quoter) PolicyOf(p Pair) string {
	if d.Fanout == nil {
		return PolicyOwn
	}
	for _, r := range d.Rules {
		if r.fits(p) {
			return r.Policy
		}
	}
	return PolicyBest
}

func (r Rule) fits(p Pair) bool {
	return (r.From == "*" || strings.EqualFold(r.From, p.From.Key())) && (r.To == "*" || strings.EqualFold(r.To, p.To.Key()))
}

// Allows reports whether a provider may fill the pair. The exchange itself is
// one of the providers.
func (d *Quoter) Allows(p Pair, name string) bool {
	if name == ProviderName && !p.Own() {
		return false
	}
	switch policy := d.PolicyOf(p); policy {
	case PolicyOwn:
		return name == ProviderName
	case PolicyUpstream:
		return name != ProviderName
	case PolicyBest:
		return true
	case PolicyOff:
		return false
	default:
		return slices.Contains(strings.Split(policy, "+"), name)
	}
}

// Upstream reports whether any provider other than the exchange may fill the
// pair.
func (d *Quoter) Upstream(p Pair) bool {
	return slices.ContainsFunc(d.Fanout.Profiles(), func(u provider.Profile) bool { return d.Allows(p, u.Name) })
}

// Own reports whether the exchange has wallets for both coins.
func (p Pair) Own() bool { return p.From.WalletID != "" && p.To.WalletID != "" }

// Pair finds a pair that at least one provider may fill. Networks are compared
// without case.
func (d *Quoter) Pair(tickerFrom, networkFrom, tickerTo, networkTo string) (Pair, bool) {
	pair, ok := d.Settings.Pair(tickerFrom, networkFrom, tickerTo, networkTo)
	if !ok {
		from, fromOK := coin.Lookup(tickerFrom, networkFrom)
		to, toOK := coin.Lookup(tickerTo, networkTo)
		if !fromOK || !toOK || from.Key() == to.Key() {
			return Pair{}, false
		}
		pair = Pair{From: Coin{Coin: from}, To: Coin{Coin: to}}
	}
	return pair, d.offered(pair)
}

func (d *Quoter) offered(p Pair) bool { return d.Allows(p, ProviderName) || d.Upstream(p) }

// AllPairs returns the exchange's own pairs and the pairs that only other
// providers fill.
func (d *Quoter) AllPairs() []Pair {
	var list []Pair
	for _, p := range d.Pairs {
		if d.offered(p) {
			list = append(list, p)
		}
	}
	if d.Fanout == nil {
		return list
	}
	for _, from := range coin.All() {
		for _, to := range coin.All() {
			_, own := d.Settings.Pair(from.Ticker, from.Network, to.Ticker, to.Network)
			p := Pair{From: Coin{Coin: from}, To: Coin{Coin: to}}
			if !own && from.Key() != to.Key() && d.offered(p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// AllCoins returns the coins that can be swapped by any route, the exchange's
// own coins first.
func (d *Quoter) AllCoins() []Coin { return coinsOf(slices.Concat(d.Pairs, d.AllPairs())) }
