package exchange

import "github.com/durapay/durapay/internal/trade"

// WidestOfCoin returns the smallest and the largest deposit of a coin that any
// of our pairs or any provider accepts, as far as limits are configured and
// providers reported theirs. Both are 0 if the coin is only paid out.
func (d *Quoter) WidestOfCoin(c Coin) trade.Limits {
	var widestOf trade.Limits
	widestOf.Min, widestOf.Max = d.BoundsOfCoin(c)
	for _, p := range d.AllPairs() {
		if p.From.Key() != c.Key() {
			continue
		}
		for _, u := range d.Fanout.Profiles() {
			if told, offered := d.Fanout.KnownLimits(u.Name, p.From.Coin, p.To.Coin); offered && d.Allows(p, u.Name) {
				widestOf = widest(widestOf, told)
			}
		}
	}
	return widestOf
}
