// Package adapter implements the dialects of swap providers: the swap API of a
// Durapay exchange, the dialect of aggregators, Exolix and ChangeNOW. ConfigFile opens
// the providers that an operator configured.
package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// The headers with the keys.
const (
	APIKeyHeader       = "API-Key" // of Durapay and of aggregators
	ExolixKeyHeader    = "Authorization"
	ChangeNOWKeyHeader = "X-Changenow-Api-Key"
)

// base is the part that all adapters share.
type base struct {
	client *Client
	about  provider.Profile
}

// Profile returns the configured facts about the provider.
func (b base) Profile() provider.Profile { return b.about }

// reported is a provider's answer about a swap. paidTo is the address that the provider
// would pay, or empty if it does not report it.
type reported interface {
	swap() (s provider.Swap, paidTo string)
}

// order orders a swap, whose answer is a T, and compares the swap with the order.
func order[T reported](ctx context.Context, b base, o provider.Order, call request, refused refused) (provider.Swap, error) {
	var made T
	if err := b.client.place(ctx, call, &made, refused); err != nil {
		return provider.Swap{}, err
	}
	s, paidTo := made.swap()
	return o.Accept(s, paidTo, b.about.Net)
}

// look looks a swap up by its ID. The answer is a T.
func look[T reported](ctx context.Context, b base, id string, call request, refused refused) (provider.Swap, error) {
	var found T
	if err := b.client.read(ctx, call, &found, refused); err != nil {
		return provider.Swap{}, err
	}
	s, _ := found.swap()
	if s.ID != id {
		return provider.Swap{}, fmt.Errorf("%w: %w", provider.ErrUnavailable, errAnswer)
	}
	return s, nil
}

// only is a list with one answer. It is a swap without an ID if it has none or several.
type only[T reported] []T

func (list only[T]) swap() (s provider.Swap, paidTo string) {
	if len(list) != 1 {
		return s, ""
	}
	return list[0].swap()
}

// pairQuery is the query of a Durapay exchange and of aggregators for a pair and an
// amount.
func pairQuery(r provider.Request) url.Values {
	return url.Values{
		"ticker_from": {r.From.Ticker}, "network_from": {r.From.Network},
		"ticker_to": {r.To.Ticker}, "network_to": {r.To.Network},
		"amount_from": {r.Amount.String()}, "payment": {"False"},
	}
}

// orderQuery is pairQuery for an order. It leaves out optional values that are empty.
func orderQuery(o provider.Order, optional map[string]string) url.Values {
	query := pairQuery(o.Request)
	query.Set("address", o.Address)
	query.Set("refund", o.Refund)
	for name, value := range optional {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// stateOf returns the state for a provider's word, and Unknown for a word that is not
// in the table.
func stateOf(word string, table map[string]provider.State) provider.State {
	return cmp.Or(table[word], provider.Unknown)
}

// bound returns a limit, or nil if the provider does not report it.
func bound(n *money.Loose) *money.Decimal {
	if n == nil {
		return nil
	}
	return &n.Decimal
}

// limitError returns a LimitError of a kind. It contains the limit if exactly one of
// these texts is a number that the amount violates.
func limitError(kind error, amount money.Decimal, texts ...string) error {
	var found []money.Decimal
	for _, text := range texts {
		limit, err := money.ParseDecimal(text)
		violated := limit.Cmp(amount) > 0
		if errors.Is(kind, provider.ErrAboveMax) {
			violated = limit.Cmp(amount) < 0
		}
		if err == nil && violated {
			found = append(found, limit)
		}
	}
	e := &provider.LimitError{Kind: kind}
	if len(found) == 1 {
		e.Limit = &found[0]
	}
	return e
}

// eta returns this many units of time, at most a day; 0 for a longer time, which is not
// credible.
func eta(n money.Decimal, unit time.Duration) time.Duration {
	if n.Sign() < 0 || n.Cmp(money.DecimalFromInt(int64(24*time.Hour/unit))) > 0 {
		return 0
	}
	return time.Duration(n.ScaleInt(int64(unit)))
}

// errorText returns the text in an answer's field error. It is empty if the answer has
// another form, because it then does not come from the provider.
func errorText(reply answer) string {
	var body struct {
		Error string `json:"error"`
	}
	if !reply.decode(&body) {
		return ""
	}
	return body.Error
}
