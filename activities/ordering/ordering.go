package ordering

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/providerorder"
	"github.com/durapay/durapay/internal/refusals"
)

// Why an order is not sent again.
var (
	// errAnswerLost says that an order was noted before and that its answer is not
	// known: it is given up now.
	errAnswerLost = errors.New("the answer to the order is lost")
	// ErrGivenUp says that the order was given up before.
	ErrGivenUp = errors.New("the order was given up")
)

// Order is one order at a provider, with the rows in which it is kept.
type Order interface {
	// Found is nil when something was made of the order, and ErrNotFound when not.
	Found(ctx context.Context) error
	// Claim notes the order before it is sent; false when it was noted before.
	Claim(ctx context.Context) (claimed bool, err error)
	// Check refuses what must not be sent though it is noted.
	Check(ctx context.Context) error
	// Send sends the order, with the errors of provider.Provider.Create.
	Send(ctx context.Context) (provider.Swap, error)
	// Keep writes the answer, and what is made of it, in one transaction. It refuses
	// when the order was given up meanwhile.
	Keep(ctx context.Context, made provider.Swap) error
	// GiveUp ends an order that is noted and not placed; false when there is none.
	// Where claim can refuse, it notes that too: an attempt that was presumed dead,
	// and that claims after this, is refused as well.
	GiveUp(ctx context.Context, state providerorder.State) (given bool, err error)
	// Refusal is what a client is told of an error of send, of errAnswerLost or of
	// ErrGivenUp.
	Refusal(cause error) error
}

// PlaceOnce notes an order, sends it and keeps the answer. It sends it once,
// however often it runs: a run that finds the note without an answer gives the
// order up, and so does a first run that comes back after that. Then nobody pays
// what the provider may hold, since its address is kept nowhere. nil says that
// something was made of the order, by this run or an earlier one. A refusal says
// that nothing was and nothing will be. After a fault it is to be run again.
func PlaceOnce(ctx context.Context, o Order) error {
	claimed, err := o.Claim(ctx)
	if err != nil || !claimed {
		return EndOrder(ctx, o, providerorder.OutcomeUnknown, err)
	}
	if err := o.Check(ctx); err != nil {
		return EndOrder(ctx, o, providerorder.Refused, err)
	}
	made, err := o.Send(ctx)
	if err != nil {
		return EndOrder(ctx, o, providerorder.StateAfter(err), o.Refusal(err))
	}
	if err := o.Keep(ctx, made); err != nil {
		return EndOrder(ctx, o, providerorder.OutcomeUnknown, err)
	}
	return nil
}

// EndOrder gives an order up and says why. Without a reason it was noted before.
// A fault ends nothing.
func EndOrder(ctx context.Context, o Order, state providerorder.State, reason error) error {
	if _, refused := refusals.Of(reason); reason != nil && !refused {
		return reason
	}
	given, err := o.GiveUp(ctx, state)
	if err != nil {
		return err
	}
	if err := o.Found(ctx); !postgres.IsNotFound(err) {
		return err
	}
	switch {
	case reason != nil:
		return reason
	case given:
		return o.Refusal(errAnswerLost)
	default:
		return o.Refusal(ErrGivenUp)
	}
}

// Placed is an order at a provider that is followed.
type Placed interface {
	// Hear writes what follows from an answer.
	Hear(ctx context.Context, said provider.Swap) error
	// Silent notes that the provider did not answer, and says whether that is an
	// error.
	Silent(ctx context.Context, cause error) error
}

// PollOnce asks a provider once where an order stands. One that does not know the
// order says nothing that is understood; one that is not configured any more does
// not answer.
func PollOnce(ctx context.Context, find func(name string) (provider.Provider, bool), name, idProvider string, o Placed) error {
	p, known := find(name)
	if !known {
		return o.Silent(ctx, fmt.Errorf("provider %s is not configured: %w", name, provider.ErrUnavailable))
	}
	said, err := p.Status(ctx, idProvider)
	if errors.Is(err, provider.ErrUnknownSwap) {
		said, err = provider.Swap{State: provider.Unknown, Word: "no such swap"}, nil
	}
	if err != nil {
		return o.Silent(ctx, err)
	}
	return o.Hear(ctx, said.Usable())
}

// AlertUnclear tells operators what is unclear about an order, or that nothing is
// any more.
func AlertUnclear(ctx context.Context, q *db.Queries, kind, subject, unclear string) error {
	if unclear == "" {
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: kind, Subject: subject})
	}
	return q.OpenAlert(ctx, db.OpenAlertParams{Kind: kind, Subject: subject, Detail: unclear})
}
