package adapter

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// aggregator implements the dialect of a swap aggregator, which many wallets use to ask
// for quotes and trades: GET requests, and errors as one sentence. Our own exchange also
// speaks it, in its second API.
type aggregator struct{ base }

// Aggregator returns an adapter for an aggregator.
func Aggregator(c *Client, about provider.Profile) provider.Provider {
	return aggregator{base{c, about}}
}

// aggregatorRate contains the used fields of new_rate.
type aggregatorRate struct {
	TradeID  string      `json:"trade_id"`
	Provider string      `json:"provider"`
	AmountTo money.Loose `json:"amount_to"`
	Quotes   struct {
		Min    *money.Loose `json:"min_deposit"`
		Max    *money.Loose `json:"max_deposit"`
		Quotes []struct {
			Provider string          `json:"provider"`
			Rating   provider.Rating `json:"kycrating"`
			Minutes  money.Loose     `json:"eta"`
		} `json:"quotes"`
	} `json:"quotes"`
}

// Quote asks for the best route.
func (p aggregator) Quote(ctx context.Context, r provider.Request) (provider.Quote, error) {
	query := pairQuery(r)
	query.Set("best_only", "True")
	var rate aggregatorRate
	refused := func(a answer) error { return aggregatorRefusal(a, r.Amount, provider.ErrUnavailable) }
	if err := p.client.read(ctx, get("/new_rate", query), &rate, refused); err != nil {
		return provider.Quote{}, err
	}
	q := provider.Quote{
		Request: r, Route: rate.Provider, Reference: rate.TradeID, Rating: p.about.Rating,
		Min: bound(rate.Quotes.Min), Max: bound(rate.Quotes.Max),
	}
	for _, route := range rate.Quotes.Quotes {
		if route.Provider != rate.Provider {
			continue
		}
		q.ETA = eta(route.Minutes.Decimal, time.Minute)
		if route.Rating.Known() {
			q.Rating = route.Rating
		}
		break
	}
	return q.Priced(rate.AmountTo.Decimal)
}

// Create orders a trade at the floating rate.
func (p aggregator) Create(ctx context.Context, o provider.Order) (provider.Swap, error) {
	call := get("/new_trade", orderQuery(o, map[string]string{
		"address_memo": o.Memo, "refund_memo": o.RefundMemo, "provider": o.Route, "id": o.Reference,
	}))
	return order[aggregatorTrade](ctx, p.base, o, call, func(a answer) error {
		if a.status == http.StatusServiceUnavailable && errorText(a) != "" {
			return provider.ErrUnavailable
		}
		return aggregatorRefusal(a, o.Amount, provider.ErrRefused)
	})
}

// Status looks up a trade by its trade_id.
func (p aggregator) Status(ctx context.Context, id string) (provider.Swap, error) {
	call := get("/trade", url.Values{"id": {id}})
	return look[only[aggregatorTrade]](ctx, p.base, id, call, withCode(provider.ErrUnknownSwap))
}

// aggregatorRefusal interprets the sentence of a refusal, because the dialect has no
// codes. It returns other for a sentence that it does not recognize, and nil if there is
// no sentence, because the order may then have been made.
func aggregatorRefusal(reply answer, amount money.Decimal, other error) error {
	says := strings.ToLower(errorText(reply))
	switch {
	case says == "":
		return nil
	case containsAny(says, "minimum", "below", "too low", "too small", "at least"):
		return limitError(provider.ErrBelowMin, amount, numbers().FindAllString(says, -1)...)
	case containsAny(says, "maximum", "above", "too high", "too large", "at most"):
		return limitError(provider.ErrAboveMax, amount, numbers().FindAllString(says, -1)...)
	case reply.status == http.StatusNotFound, containsAny(says, "pair", "coin not found", "not supported"):
		return provider.ErrPairUnsupported
	}
	return other
}

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

func numbers() *regexp.Regexp { return regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?\b`) }

// aggregatorTrade contains the used fields of new_trade and trade.
type aggregatorTrade struct {
	TradeID         string      `json:"trade_id"`
	Status          string      `json:"status"`
	AmountFrom      money.Loose `json:"amount_from"`
	AmountTo        money.Loose `json:"amount_to"`
	AddressProvider string      `json:"address_provider"`
	AddressMemo     string      `json:"address_provider_memo"`
	AddressUser     string      `json:"address_user"`
	HashOut         string      `json:"hashout"`
	Quotes          struct {
		ExpiresAt string `json:"expiresAt"`
	} `json:"quotes"`
	Details struct {
		HashOut string `json:"hashout"`
	} `json:"details"`
}

func (t aggregatorTrade) swap() (s provider.Swap, paidTo string) {
	s = provider.Swap{
		ID: t.TradeID, Word: t.Status, DepositAddress: t.AddressProvider, DepositMemo: t.AddressMemo,
		AmountFrom: t.AmountFrom.Decimal, AmountTo: t.AmountTo.Decimal,
		PayoutTx: cmp.Or(t.HashOut, t.Details.HashOut),
		State: stateOf(t.Status, map[string]provider.State{
			"new": provider.Waiting, "waiting": provider.Waiting, "confirming": provider.Confirming, "confirmed": provider.Exchanging,
			"exchanging": provider.Exchanging, "sending": provider.Sending, "finished": provider.Finished, "refunded": provider.Refunded,
			"failed": provider.Failed, "expired": provider.Expired, "halted": provider.Halted, "paid partially": provider.Halted,
		}),
	}
	switch s.DepositMemo { // the words that aggregators send for an empty memo
	case "0", "None", "null":
		s.DepositMemo = ""
	}
	if at, err := time.Parse("2006-01-02 15:04:05Z07:00", t.Quotes.ExpiresAt); err == nil { // 2026-07-29 14:34:45+00:00
		s.ExpiresAt = at.UTC()
	}
	if s.State == provider.Refunded { // the only hash in the answer is that of the refund
		s.PayoutTx, s.RefundTx = "", s.PayoutTx
	}
	return s, t.AddressUser
}
