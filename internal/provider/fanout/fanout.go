package fanout

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

const (
	// fresh is for how long an answer counts.
	fresh = 15 * time.Second
	// longestCall bounds a call that nobody waits for any more.
	longestCall = 30 * time.Second
	// maxCalls bounds the calls to one provider at a time, maxAnswers the answers
	// that are kept.
	maxCalls, maxAnswers = 16, 4096
)

// Options are the rules of a board.
type Options struct {
	// Patience is for how long a question waits for answers.
	Patience time.Duration
	// PerSecond and Burst bound how often one provider is asked; without them
	// only the calls at a time are.
	PerSecond, Burst int
	Now              func() time.Time
}

// Fanout asks other providers for quotes, side by side. A provider that does
// not answer in time is left out; its answer still comes to the board and is
// there for whoever asks next. It is safe for concurrent use.
type Fanout struct {
	Options

	providers []provider.Provider
	slots     map[string]chan struct{}
	pace      map[string]*rate.Limiter
	report    report

	mu      sync.Mutex
	asked   map[quoteKey]*quoteRequest
	learned map[boundsKey]Bounds
}

type quoteKey struct{ provider, from, to, amount string }

// quoteRequest is one question; what came back is set when done is closed.
type quoteRequest struct {
	done  chan struct{}
	at    time.Time
	quote provider.Quote
	err   error
}

type boundsKey struct{ provider, from, to string }

// Bounds are what a provider told of a pair, by a quote or by a refusal: the
// least and the most that it takes, in whole coins; nil when it did not tell.
type Bounds struct {
	Low, High *money.Decimal

	refused bool
}

// Answer is what a provider said in time.
type Answer struct {
	provider.Profile

	Quote provider.Quote
	Err   error
}

// New makes a board of providers, in the order of preference.
func New(providers []provider.Provider, o Options) *Fanout {
	b := &Fanout{
		Options: o, providers: providers, slots: map[string]chan struct{}{}, pace: map[string]*rate.Limiter{},
		asked: map[quoteKey]*quoteRequest{}, learned: map[boundsKey]Bounds{},
	}
	for _, p := range providers {
		name := p.Profile().Name
		b.slots[name] = make(chan struct{}, maxCalls)
		b.pace[name] = rate.NewLimiter(rate.Inf, 0)
		if o.PerSecond > 0 {
			b.pace[name] = rate.NewLimiter(rate.Limit(o.PerSecond), o.Burst)
		}
	}
	return b
}

// Profiles are the providers; none on a nil board.
func (b *Fanout) Profiles() []provider.Profile {
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
func (b *Fanout) Provider(name string) (provider.Provider, bool) {
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
func (b *Fanout) Ask(ctx context.Context, r provider.Request, allowed func(name string) bool) []Answer {
	if b == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, b.Patience)
	defer cancel()
	asked := make([]*quoteRequest, len(b.providers))
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
		if q.wait(ctx) {
			answers = append(answers, Answer{b.providers[i].Profile(), q.quote, q.err})
		}
	}
	return answers
}

// wait says whether there is an answer; one that came together with the end of
// the patience counts.
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

// inquire joins a question that is being asked or was answered lately, or
// asks; nil when the provider has too many questions open or is asked too often.
func (b *Fanout) inquire(ctx context.Context, p provider.Provider, r provider.Request) *quoteRequest {
	name := p.Profile().Name
	key := quoteKey{name, r.From.Key(), r.To.Key(), r.Amount.String()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if q, ok := b.asked[key]; ok && !q.old(b.Now()) {
		return q
	}
	if !b.takeSlot(name) {
		b.report.counted(name, notAsked)
		return nil
	}
	b.forget()
	q := &quoteRequest{done: make(chan struct{})}
	b.asked[key] = q
	go b.call(context.WithoutCancel(ctx), p, r, q)
	return q
}

// takeSlot says whether a provider may be asked now; call gives the slot back.
func (b *Fanout) takeSlot(name string) bool {
	select {
	case b.slots[name] <- struct{}{}:
	default:
		return false
	}
	if !b.pace[name].AllowN(b.Now(), 1) {
		<-b.slots[name]
		return false
	}
	return true
}

func (b *Fanout) call(ctx context.Context, p provider.Provider, r provider.Request, q *quoteRequest) {
	name := p.Profile().Name
	defer func() { <-b.slots[name] }()
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

// learn keeps what an answer says of the pair; the caller holds the lock.
func (b *Fanout) learn(key boundsKey, quote provider.Quote, err error) {
	known := b.learned[key]
	limit, isLimit := errors.AsType[*provider.LimitError](err)
	switch {
	case err == nil:
		known = Bounds{Low: quote.Min, High: quote.Max}
	case isLimit && limit.Limit != nil && errors.Is(err, provider.ErrBelowMin):
		known.Low, known.refused = limit.Limit, false
	case isLimit && limit.Limit != nil:
		known.High, known.refused = limit.Limit, false
	case errors.Is(err, provider.ErrPairUnsupported):
		known = Bounds{refused: true}
	}
	b.learned[key] = known
}

// old says that an answer does not count any more.
func (q *quoteRequest) old(now time.Time) bool {
	select {
	case <-q.done:
		return now.Sub(q.at) >= fresh || (!q.quote.ExpiresAt.IsZero() && !now.Before(q.quote.ExpiresAt))
	default:
		return false
	}
}

// forget drops old answers once there are many; the caller holds the lock.
func (b *Fanout) forget() {
	if len(b.asked) >= maxAnswers {
		maps.DeleteFunc(b.asked, func(_ quoteKey, q *quoteRequest) bool { return q.old(b.Now()) })
	}
}

// KnownLimits is what a provider is known to take of a pair; false when it said that
// it does not swap it.
func (b *Fanout) KnownLimits(name string, from, to coin.Coin) (Bounds, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.learned[boundsKey{name, from.Key(), to.Key()}]
	return known, !known.refused
}
