package provider

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
)

const (
	// fresh is how long an answer is valid.
	fresh = 15 * time.Second
	// longestCall bounds a call after its caller has stopped waiting.
	longestCall = 30 * time.Second
	// maxCalls is the maximum number of simultaneous calls to one provider, for quotes and
	// for orders each. maxAnswers is the number of stored answers from which old ones are
	// dropped.
	maxCalls, maxAnswers = 16, 4096
)

// FanoutOptions are the rules of a fan-out.
type FanoutOptions struct {
	// MaxWait is how long a caller waits for answers.
	MaxWait time.Duration
	// PerSecond and Burst bound the rate of calls to one provider. If PerSecond is 0,
	// only the number of simultaneous calls is bounded.
	PerSecond, Burst int
	Now              func() time.Time
}

// Fanout asks several providers the same question in parallel. It waits for a limited
// time, continues with the answers that it has, and keeps later answers for the next
// caller. So a slow provider costs a caller a limited wait, and many callers with the
// same question cost a provider one call. It is safe for concurrent use.
type Fanout struct {
	FanoutOptions

	providers []Provider
	slots     map[slotsOf]*semaphore.Weighted
	pace      map[string]*rate.Limiter
	report    report

	mu      sync.Mutex
	asked   map[quoteKey]*quoteRequest
	learned map[boundsKey]Bounds
}

// slotsOf are the slots of a provider for quotes, or for those of orders, which no number of
// quotes may hold up.
type slotsOf struct {
	provider string
	binding  bool
}

type quoteKey struct{ provider, from, to, amount string }

// quoteRequest is one request to one provider. Its result is set when done is
// closed.
type quoteRequest struct {
	done  chan struct{}
	at    time.Time
	quote Quote
	err   error
}

type boundsKey struct{ provider, from, to string }

// Bounds are the limits of a pair that a provider reported in a quote or a refusal:
// the lowest and the highest amount that it accepts, in whole coins. They are nil if
// it did not report them.
type Bounds struct {
	Low, High *money.Decimal

	refused bool
}

// Answer is a provider's answer that came in time.
type Answer struct {
	Profile

	Quote Quote
	Err   error
}

// NewFanout makes a fan-out to providers, which are in the order of preference.
func NewFanout(providers []Provider, o FanoutOptions) *Fanout {
	b := &Fanout{
		FanoutOptions: o, providers: providers, slots: map[slotsOf]*semaphore.Weighted{}, pace: map[string]*rate.Limiter{},
		asked: map[quoteKey]*quoteRequest{}, learned: map[boundsKey]Bounds{},
	}
	for _, p := range providers {
		name := p.Profile().Name
		for _, binding := range []bool{false, true} {
			b.slots[slotsOf{name, binding}] = semaphore.NewWeighted(maxCalls)
		}
		b.pace[name] = rate.NewLimiter(rate.Inf, 0)
		if o.PerSecond > 0 {
			b.pace[name] = rate.NewLimiter(rate.Limit(o.PerSecond), o.Burst)
		}
	}
	return b
}

// Profiles returns the profiles of the providers; none for a nil Fanout.
func (b *Fanout) Profiles() []Profile {
	if b == nil {
		return nil
	}
	list := make([]Profile, 0, len(b.providers))
	for _, p := range b.providers {
		list = append(list, p.Profile())
	}
	return list
}

// Provider finds a provider by its name.
func (b *Fanout) Provider(name string) (Provider, bool) {
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

// Ask asks the allowed providers and returns the answers that came in time, in the
// order of preference. binding is set if an order follows.
func (b *Fanout) Ask(ctx context.Context, r Request, binding bool, allowed func(name string) bool) []Answer {
	if b == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, b.MaxWait)
	defer cancel()
	asked := make([]*quoteRequest, len(b.providers))
	for i, p := range b.providers {
		if allowed(p.Profile().Name) {
			asked[i] = b.inquire(ctx, p, r, binding)
		}
	}
	var answers []Answer
	for i, q := range asked {
		if q == nil {
			continue
		}
		if q.wait(ctx) {
			answers = append(answers, Answer{b.providers[i].Profile(), q.quote, q.err})
		}
	}
	return answers
}

// wait reports whether there is an answer. An answer at the same moment as the end
// of the wait counts.
func (q *quoteRequest) wait(ctx context.Context) bool {
	select {
	case <-q.done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-q.done:
		return true
	default:
		return false
	}
}

// inquire returns a running request with the same question or one that was answered
// recently. Otherwise it starts a new one. It returns nil if the provider has too
// many running requests or is asked too often.
func (b *Fanout) inquire(ctx context.Context, p Provider, r Request, binding bool) *quoteRequest {
	name := p.Profile().Name
	key := quoteKey{name, r.From.Key(), r.To.Key(), r.Amount.String()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if q, ok := b.asked[key]; ok && !q.old(b.Now()) {
		return q
	}
	slots := b.slots[slotsOf{name, binding}]
	if !b.takeSlot(name, slots) {
		b.report.counted(name, notAsked)
		return nil
	}
	b.forget()
	q := &quoteRequest{done: make(chan struct{})}
	b.asked[key] = q
	go b.call(context.WithoutCancel(ctx), p, r, q, slots)
	return q
}

// takeSlot takes a slot for a call and reports whether the provider may be asked
// now. call returns the slot.
func (b *Fanout) takeSlot(name string, slots *semaphore.Weighted) bool {
	if !slots.TryAcquire(1) {
		return false
	}
	if !b.pace[name].AllowN(b.Now(), 1) {
		slots.Release(1)
		return false
	}
	return true
}

func (b *Fanout) call(ctx context.Context, p Provider, r Request, q *quoteRequest, slots *semaphore.Weighted) {
	name := p.Profile().Name
	defer slots.Release(1)
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	quote, err := p.Quote(ctx, r)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.report.answered(name, err, b.Now())
	q.quote, q.err, q.at = quote, err, b.Now()
	b.learn(boundsKey{name, r.From.Key(), r.To.Key()}, quote, err)
	close(q.done)
}

// learn stores the limits of the pair from an answer. The caller holds the lock.
func (b *Fanout) learn(key boundsKey, quote Quote, err error) {
	known := b.learned[key]
	limit, isLimit := errors.AsType[*LimitError](err)
	switch {
	case err == nil:
		known = Bounds{Low: quote.Min, High: quote.Max}
	case isLimit && limit.Limit != nil && errors.Is(err, ErrBelowMin):
		known.Low, known.refused = limit.Limit, false
	case isLimit && limit.Limit != nil:
		known.High, known.refused = limit.Limit, false
	case errors.Is(err, ErrPairUnsupported):
		known = Bounds{refused: true}
	}
	b.learned[key] = known
}

// old reports whether an answer is no longer valid.
func (q *quoteRequest) old(now time.Time) bool {
	select {
	case <-q.done:
		return now.Sub(q.at) >= fresh || (!q.quote.ExpiresAt.IsZero() && !now.Before(q.quote.ExpiresAt))
	default:
		return false
	}
}

// forget drops old answers once there are many. The caller holds the lock.
func (b *Fanout) forget() {
	if len(b.asked) >= maxAnswers {
		maps.DeleteFunc(b.asked, func(_ quoteKey, q *quoteRequest) bool { return q.old(b.Now()) })
	}
}

// KnownLimits returns the limits that a provider reported for a pair. It returns
// false if the provider reported that it does not swap the pair.
func (b *Fanout) KnownLimits(name string, from, to coin.Coin) (Bounds, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.learned[boundsKey{name, from.Key(), to.Key()}]
	return known, !known.refused
}
