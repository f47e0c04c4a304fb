package exchange

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

const (
	// patience is for how long a request waits for the quotes of others.
	patience = 4 * time.Second
	// fresh is for how long an answer counts.
	fresh = 15 * time.Second
	// longestCall bounds a call that nobody waits for any more.
	longestCall = 30 * time.Second
	// maxCalls bounds the calls to one provider at a time, maxKept the answers
	// that are kept.
	maxCalls, maxKept = 16, 4096
)

// Board asks other providers for quotes, side by side. A provider that does
// not answer in time is left out; its answer still comes to the board and is
// there for whoever asks next. It is safe for concurrent use.
type Board struct {
	providers []provider.Provider
	now       func() time.Time
	slots     map[string]chan struct{}

	mu      sync.Mutex
	asked   map[inquiryKey]*inquiry
	learned map[boundsKey]bounds
}

type inquiryKey struct{ provider, from, to, amount string }

// inquiry is one question; what came back is set when done is closed.
type inquiry struct {
	done  chan struct{}
	at    time.Time
	quote provider.Quote
	err   error
}

type boundsKey struct{ provider, from, to string }

// bounds is what a provider told of a pair, by a quote or by a refusal.
type bounds struct {
	low, high *money.Decimal
	refused   bool
}

// Answer is what a provider said in time.
type Answer struct {
	provider.Profile

	Quote provider.Quote
	Err   error
}

// NewBoard makes a board of providers, in the order of preference.
func NewBoard(providers []provider.Provider, now func() time.Time) *Board {
	b := &Board{
		providers: providers, now: now, slots: map[string]chan struct{}{},
		asked: map[inquiryKey]*inquiry{}, learned: map[boundsKey]bounds{},
	}
	for _, p := range providers {
		b.slots[p.Profile().Name] = make(chan struct{}, maxCalls)
	}
	return b
}

// Profiles are the providers; none on a nil board.
func (b *Board) Profiles() []provider.Profile {
	if b == nil {
		return nil
	}
	list := make([]provider.Profile, 0, len(b.providers))
	for _, p := range b.providers {
		list = append(list, p.Profile())
	}
	return list
}

// Provider finds one by its name.
func (b *Board) Provider(name string) (provider.Provider, bool) {
	if b == nil {
		return nil, false
	}
	for _, p := range b.providers {
		if p.Profile().Name == name {
			return p, true
		}
	}
	return nil, false
}

// Ask asks the providers that are allowed and returns those that answered in
// time, in the order of preference.
func (b *Board) Ask(ctx context.Context, r provider.Request, allowed func(name string) bool) []Answer {
	if b == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	asked := make([]*inquiry, len(b.providers))
	for i, p := range b.providers {
		if allowed(p.Profile().Name) {
			asked[i] = b.inquire(ctx, p, r)
		}
	}
	var answers []Answer
	for i, q := range asked {
		if q == nil {
			continue
		}
		select {
		case <-q.done:
			answers = append(answers, Answer{b.providers[i].Profile(), q.quote, q.err})
		case <-ctx.Done():
		}
	}
	return answers
}

// inquire joins a question that is being asked or was answered lately, or
// asks; nil when the provider has too many questions open.
func (b *Board) inquire(ctx context.Context, p provider.Provider, r provider.Request) *inquiry {
	name := p.Profile().Name
	key := inquiryKey{name, r.From.Key(), r.To.Key(), r.Amount.String()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if q, ok := b.asked[key]; ok && !q.old(b.now()) {
		return q
	}
	select {
	case b.slots[name] <- struct{}{}:
	default:
		return nil
	}
	b.forget()
	q := &inquiry{done: make(chan struct{})}
	b.asked[key] = q
	go b.call(context.WithoutCancel(ctx), p, r, q)
	return q
}

func (b *Board) call(ctx context.Context, p provider.Provider, r provider.Request, q *inquiry) {
	name := p.Profile().Name
	defer func() { <-b.slots[name] }()
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	quote, err := p.Quote(ctx, r)
	b.mu.Lock()
	defer b.mu.Unlock()
	q.quote, q.err, q.at = quote, err, b.now()
	b.learn(boundsKey{name, r.From.Key(), r.To.Key()}, quote, err)
	close(q.done)
}

// learn keeps what an answer says of the pair; the caller holds the lock.
func (b *Board) learn(key boundsKey, quote provider.Quote, err error) {
	known := b.learned[key]
	limit, isLimit := errors.AsType[*provider.LimitError](err)
	switch {
	case err == nil:
		known = bounds{low: quote.Min, high: quote.Max}
	case isLimit && limit.Limit != nil && errors.Is(err, provider.ErrBelowMin):
		known.low, known.refused = limit.Limit, false
	case isLimit && limit.Limit != nil:
		known.high, known.refused = limit.Limit, false
	case errors.Is(err, provider.ErrPairUnsupported):
		known = bounds{refused: true}
	}
	b.learned[key] = known
}

// old says that an answer does not count any more.
func (q *inquiry) old(now time.Time) bool {
	select {
	case <-q.done:
		return now.Sub(q.at) >= fresh || (!q.quote.ExpiresAt.IsZero() && !now.Before(q.quote.ExpiresAt))
	default:
		return false
	}
}

// forget drops old answers once there are many; the caller holds the lock.
func (b *Board) forget() {
	if len(b.asked) >= maxKept {
		maps.DeleteFunc(b.asked, func(_ inquiryKey, q *inquiry) bool { return q.old(b.now()) })
	}
}

// told is what a provider is known to take of a pair; false when it said that
// it does not swap it.
func (b *Board) told(name string, from, to coin.Coin) (bounds, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.learned[boundsKey{name, from.Key(), to.Key()}]
	return known, !known.refused
}
